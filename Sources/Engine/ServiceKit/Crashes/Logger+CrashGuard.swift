package import Logging

extension Logger {
    /// Logs what has gone wrong with the memory of crashes. A worker goes on in spite of it.
    package func tell(ofCrashGuard warnings: [String]) {
        for warning in warnings { self.warning("crash guard", metadata: ["error": "\(warning)"]) }
    }
}

extension CrashRecorder {
    /// Makes a recorder as `init(folder:of:)` does; nil if none can be made, which the log tells. A worker
    /// can do its work without one.
    package convenience init?(folder path: String, of clusterID: String, telling logger: Logger) {
        do throws(Failure) {
            try self.init(folder: path, of: clusterID)
        } catch {
            logger.warning("no crash guard", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
