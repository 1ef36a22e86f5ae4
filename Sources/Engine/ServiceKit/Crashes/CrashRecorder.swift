import Glibc
import Kafka

/// The memory of the records that a worker died of, from one run of the process to the next.
///
/// A record that kills the process by itself is delivered again to the next process and kills that too, and
/// no retry limit ever sees it. So the engine marks the record that it hands to the handler, and clears the
/// mark afterwards. A mark that is found in the slot of a dead process names the record that was being
/// handled, and the death is charged to that record in a ledger. A record that was charged so often (`deadly`) is
/// not handled again: the engine of calls dead-letters it, and the engine of states has its task bury it.
///
/// Marking is done for every record and costs some nanoseconds: two or three stores into memory that is
/// shared with a file. Everything else is done at the start, when partitions are assigned, and when a record
/// is forgiven.
///
/// The workers of one consumer group may share a folder, 64 recorders at a time. A recorder belongs to one
/// thread; a worker with several engines has one recorder for each of their threads.
package final class CrashRecorder {
    package typealias Place = CrashLedger.Place

    /// The reason why there can be no recorder, as a sentence without its full stop.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The number of deaths from which on a record is not handled again.
    ///
    /// A process that is killed from outside looks like one that died of its record: neither leaves a word. A large
    /// record takes long to handle, so that two kills have hit the same innocent one. Sidekiq, too, gives a job up at the
    /// third death.
    package static let deadly = 3
    /// The number of recorders that may share a folder.
    package static let slots = 64

    private let folder: CrashFolder
    private let slot: CrashSlot
    /// The number of runs that died of each record. In good times it is empty.
    private var deaths: [Place: Int] = [:]

    /// Charges the records that dead processes were handling, and takes a free slot.
    ///
    /// - Parameters:
    ///   - path: A folder that belongs to this user alone; created if it does not exist.
    ///   - run: The number of this run, which no other run has.
    /// - Throws: `Failure` if the folder cannot be used, or all its slots are taken.
    package init(folder path: String, run: UInt64 = .random(in: .min ... .max)) throws(Failure) {
        do {
            let folder = try CrashFolder(path: path)
            let lock = try folder.lock()
            defer { close(lock) }
            self.deaths = try Self.takeStock(of: folder).deaths
            self.slot = try Self.takeSlot(of: folder, run: run)
            self.folder = folder
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// Makes a recorder of the records of one cluster. It has a folder of its own within `path`, because the
    /// same topic, partition and offset is another record in another cluster.
    ///
    /// - Throws: `Failure` if the folder cannot be used, or all its slots are taken.
    package convenience init(folder path: String, of clusterID: String) throws(Failure) {
        do throws(CrashFolder.Failure) {
            _ = try CrashFolder(path: path)
        } catch {
            throw Failure(description: "\(error)")
        }
        let cluster = PartitionMark(clusterID: clusterID, TopicPartition(topic: "", partition: 0))
        try self.init(folder: "\(path)/cluster-\(cluster.text)")
    }

    /// Notes that the handler is about to be given this record.
    package func mark(topic: String, partition: Int32, offset: Int64) {
        self.slot.mark(topic: topic, partition: partition, offset: offset)
    }

    /// Notes that the handler has returned.
    package func clear() { self.slot.clear() }

    /// Whether any record is known to have killed a process.
    package var hasDeaths: Bool { !self.deaths.isEmpty }

    /// Returns how many runs died of this record, as far as is known.
    package func deaths(of topic: String, partition: Int32, offset: Int64) -> Int {
        guard !self.deaths.isEmpty else { return 0 }
        guard let place = Place(topic: topic, partition: partition, offset: offset) else { return 0 }
        return self.deaths[place] ?? 0
    }

    /// Drops a record from the ledger: it was settled, or what came of it is committed.
    package func forgive(topic: String, partition: Int32, offset: Int64) {
        guard let place = Place(topic: topic, partition: partition, offset: offset) else { return }
        self.deaths[place] = nil
        self.lockingFolder {
            var (ledger, _) = try self.folder.readLedger()
            if ledger.forgive(place) { try self.folder.write(ledger) }
        }
    }

    /// Drops every record of a partition from the ledger, because its topic was deleted and made again.
    package func forgive(topic: String, partition: Int32) {
        self.deaths = self.deaths.filter { !$0.key.isIn(topic, partition) }
        self.lockingFolder {
            var (ledger, _) = try self.folder.readLedger()
            if ledger.forgive(topic: topic, partition: partition) { try self.folder.write(ledger) }
        }
    }

    /// Charges the records of processes that have died since, and learns what other recorders have found.
    /// Call it when partitions are assigned: they may have come from a process that has just died.
    package func takeStock() {
        self.lockingFolder {
            self.deaths = try Self.takeStock(of: self.folder).deaths
        }
    }

    /// Returns what has gone wrong since the last call, for the log. A worker goes on in spite of it.
    package func takeWarnings() -> [String] {
        defer { self.folder.warnings = [] }
        return self.folder.warnings
    }

    private func lockingFolder(_ body: () throws -> Void) {
        do {
            let lock = try self.folder.lock()
            defer { close(lock) }
            try body()
        } catch {
            self.folder.warnings.append("\(error)")
        }
    }
}

// The functions below run under the folder's lock.
extension CrashRecorder {
    /// Brings the marks of dead processes into the ledger, and clears them. Living processes hold their slots
    /// locked.
    private static func takeStock(of folder: CrashFolder) throws(CrashFolder.Failure) -> CrashLedger {
        let (before, isWhole) = try folder.readLedger()
        var ledger = before
        var settled: [Int32] = []
        defer { for descriptor in settled { close(descriptor) } }
        for number in 0..<Self.slots {
            do throws(CrashFolder.Failure) {
                guard let descriptor = try folder.lockSlot(number, makesIt: false) else { continue }
                settled.append(descriptor)
                guard let mark = folder.mark(in: descriptor, number) else { continue }
                ledger.charge(mark.place, with: mark.run)
            } catch {
                folder.warnings.append("\(error)")
            }
        }
        do throws(CrashFolder.Failure) {
            if ledger != before || !isWhole { try folder.write(ledger) }
            // The marks are cleared only now. A process that dies before this leaves them to the next one,
            // and because a run counts once for each record, no death is charged twice.
            for descriptor in settled { _ = CrashFolder.fill(descriptor, with: CrashMark.blank(run: 0)) }
        } catch {
            folder.warnings.append("\(error)")
        }
        return ledger
    }

    private static func takeSlot(of folder: CrashFolder, run: UInt64) throws(CrashFolder.Failure) -> CrashSlot
    {
        var failure = CrashFolder.Failure(
            description: "all \(Self.slots) slots of the folder \(folder.path) are taken"
        )
        for number in 0..<Self.slots {
            do throws(CrashFolder.Failure) {
                guard let descriptor = try folder.lockSlot(number, makesIt: true) else { continue }
                // The owner of the slot has died since stock was taken, or its mark could not be saved. The
                // next process that takes stock will find it.
                guard folder.mark(in: descriptor, number) == nil else {
                    close(descriptor)
                    continue
                }
                if let slot = CrashSlot(owning: descriptor, run: run) { return slot }
                throw .last("cannot use \(folder.path)/\(CrashFolder.name(ofSlot: number))")
            } catch {
                failure = error
            }
        }
        throw failure
    }
}
