import Foundation
import ServiceKit

/// A folder in which the processes of one storm mark the record that they handle, with the mark of each that died. The
/// folder is real, and is deleted with this object.
final class SimulatedDeaths {
    private let folder: URL
    private var counts: [RecordName: Int] = [:]

    /// Names a folder that does not exist yet.
    init() {
        self.folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("flotilla-storm-\(UUID().uuidString)")
    }

    deinit { try? FileManager.default.removeItem(at: self.folder) }

    /// Returns what a process that starts now gets: it knows of all deaths so far.
    func recorder() -> CrashRecorder? { try? CrashRecorder(folder: self.folder.path) }

    /// Forgets the deaths by records of a partition that are worked on again although they were settled: what they have
    /// done was forgiven, and the limit counts from then on.
    func forget(in partition: Int32) { self.counts = self.counts.filter { $0.key.partition != partition } }

    /// Leaves the mark of a process that has died while it handled this record.
    ///
    /// - Returns: the number of processes that the record has killed.
    func died(of name: RecordName) -> Int {
        // A recorder that goes away without having cleared its mark leaves behind what a dead process leaves.
        self.recorder()?.mark(topic: SimulatedCluster.topic, partition: name.partition, offset: name.offset)
        self.counts[name, default: 0] += 1
        return self.counts[name, default: 0]
    }
}
