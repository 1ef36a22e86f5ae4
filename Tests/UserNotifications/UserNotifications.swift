// As much of Apple's framework as the sample extension in Schemas/examples needs, so that Linux compiles all of it. The
// declarations are those of the iOS SDK.
import Foundation

open class UNNotificationContent: NSObject {
    open var userInfo: [AnyHashable: Any] { [:] }
}

open class UNNotificationRequest: NSObject {
    open var content: UNNotificationContent { UNNotificationContent() }
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}

    open func serviceExtensionTimeWillExpire() {}
}

extension FileManager {
    /// Foundation on Linux has no App Groups.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}
