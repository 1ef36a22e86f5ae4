package import WorkerKit

/// What an engine has to know of records that have killed a process. It outlives the process.
package protocol CrashMemory: AnyObject {
    /// Whether any record is known to have killed a process.
    var hasDeaths: Bool { get }

    /// A task is about to be given this record.
    func mark(topic: String, partition: Int32, offset: Int64)

    /// The task has returned.
    func clear()

    /// How many processes this record has killed, as far as it is known.
    func deaths(of topic: String, partition: Int32, offset: Int64) -> Int

    /// What came of this record is committed.
    func forgive(topic: String, partition: Int32, offset: Int64)

    /// Learns what others have died of since.
    func takeStock()

    /// What has gone wrong since this was asked last, for the log.
    func takeWarnings() -> [String]
}

extension CrashRecorder: CrashMemory {}
