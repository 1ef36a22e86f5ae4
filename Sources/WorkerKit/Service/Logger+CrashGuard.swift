package import Logging

extension Logger {
    /// Tells what has gone wrong with the memory of crashes. None of it stops a worker.
    package func tell(ofCrashGuard warnings: [String]) {
        for warning in warnings { self.warning("crash guard", metadata: ["error": "\(warning)"]) }
    }
}
