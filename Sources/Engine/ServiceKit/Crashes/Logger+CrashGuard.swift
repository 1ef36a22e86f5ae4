package import Logging

extension Logger {
    /// Logs what has gone wrong with the memory of crashes. A worker goes on in spite of it.
    package func tell(ofCrashGuard warnings: [String]) {
        for warning in warnings { self.warning("crash guard", metadata: ["error": "\(warning)"]) }
    }
}
