package import ServiceKit

/// The engine's view of the memory of records that have killed a process. The memory outlives the process.
package protocol CrashMemory: AnyObject {
    /// Whether any record is known to have killed a process.
    var hasDeaths: Bool { get }

    /// Notes that a task is about to be given this record.
    func mark(topic: String, partition: Int32, offset: Int64)

    /// Notes that the task has returned.
    func clear()

    /// Returns how many processes this record has killed, as far as is known.
    func deaths(of topic: String, partition: Int32, offset: Int64) -> Int

    /// Forgets the deaths of a record, because what came of it is committed.
    func forgive(topic: String, partition: Int32, offset: Int64)

    /// Forgets the deaths of every record of a partition, because its topic was deleted and made again.
    func forgive(topic: String, partition: Int32)

    /// Learns which records other processes have died of since.
    func takeStock()

    /// Returns what has gone wrong since the last call, for the log.
    func takeWarnings() -> [String]
}

extension CrashRecorder: CrashMemory {}
