#if canImport(UserNotifications)
    import Foundation
    import UserNotifications

    /// The extension: reports the arrival first, and loads the picture after that. Set its group and its address, give app
    /// and extension the App Group, and send pushes with `"mutable-content": 1`.
    final class NotificationService: UNNotificationServiceExtension {
        private static let group = "group.com.example.app"
        private static let address = "https://edge.example.com/push-arrivals"
        /// The bundle id of the app. The extension's own has one component more.
        private static let app = "com.example.app"

        private let delivery = Delivery()

        override func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            self.delivery.begin(request.content, contentHandler)
            guard let reporter = Self.reporter() else { return self.delivery.finish() }
            if let device = try? reporter.reports.installation(),
                let report = PushReport(.arrived, of: request.content.userInfo, app: Self.app, device: device)
            {
                try? reporter.reports.keep(report)
            }
            let delivery = self.delivery
            Task {
                // What cannot be posted now is kept, and posted with the next push or when the app is opened.
                _ = try? await reporter.post(within: 10)
                // Here is the place to load a picture and to attach it.
                delivery.finish()
            }
        }

        override func serviceExtensionTimeWillExpire() { self.delivery.finish() }

        private static func reporter() -> PushReporter? {
            guard
                let container = FileManager.default.containerURL(
                    forSecurityApplicationGroupIdentifier: self.group
                ),
                let reports = try? KeptReports(in: container), let url = URL(string: self.address)
            else { return nil }
            return PushReporter(url: url, reports: reports)
        }
    }

    /// Shows the notification once, whoever is first: the reporter, or the system that does not wait any longer.
    private final class Delivery: @unchecked Sendable {
        private let lock = NSLock()
        private var content: UNNotificationContent?
        private var handler: ((UNNotificationContent) -> Void)?

        func begin(_ content: UNNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
            self.lock.withLock { (self.content, self.handler) = (content, handler) }
        }

        func finish() {
            let (content, handler) = self.lock.withLock {
                defer { self.handler = nil }
                return (self.content, self.handler)
            }
            if let content { handler?(content) }
        }
    }
#endif
