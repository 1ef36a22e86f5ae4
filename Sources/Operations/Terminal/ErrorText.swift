import Foundation

/// The words of an error for a line of standard error.
enum ErrorText {
    /// Returns the error's own description; for an error of the file system, the path, the reason, and what the user can do
    /// if the error says so.
    ///
    /// Foundation describes such an error by all that it knows, over several lines.
    static func line(_ error: any Error) -> String {
        let known = error as NSError
        guard [NSCocoaErrorDomain, NSPOSIXErrorDomain].contains(known.domain) else { return "\(error)" }
        let cause = (known.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError } ?? known
        let reason =
            cause.domain == NSPOSIXErrorDomain
            ? unsafe strerror(Int32(clamping: cause.code)).map { unsafe String(cString: $0) } : nil
        let path = known.userInfo[NSFilePathErrorKey] as? String
        let text = [path.map { "'\($0)'" }, reason ?? known.localizedDescription].compactMap { $0 }
            .joined(separator: ": ")
        return [text, known.localizedRecoverySuggestion].compactMap { $0 }.joined(separator: "; ")
    }
}
