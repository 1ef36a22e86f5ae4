import Glibc

/// Remembers which records a worker has died of, from one life to the next.
///
/// A record that kills the process by itself is delivered again to the next one, and kills that too: no retry limit
/// ever sees it. So the engine marks the record that it hands to the handler, and takes the mark away afterwards.
/// A mark that is found in the slot of a dead process names the record that was being handled, and is charged to it
/// in a ledger. Who finds that a record has done so twice dead-letters it instead of handling it.
///
/// Marking is for every record, and costs some nanoseconds: two or three stores into memory that is shared with a
/// file. All else happens at the start, when partitions are assigned, and when a record is forgiven.
///
/// Workers of one consumer group may share a folder, 64 of them at a time. For one thread.
package final class CrashRecorder {
    package typealias Place = CrashLedger.Place

    /// Why there can be no recorder, as a sentence without its full stop.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Workers that may share a folder.
    package static let slots = 64

    private let folder: CrashFolder
    private let slot: CrashSlot
    /// How many workers each record has killed. Empty in good times.
    private var deaths: [Place: Int] = [:]

    /// Takes a free slot, and stock of those who died.
    ///
    /// - Parameters:
    ///   - path: A folder that is this user's alone; made if it is not there.
    ///   - run: Tells this life from all others.
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

    /// The handler is about to be given this record.
    package func mark(topic: String, partition: Int32, offset: Int64) {
        self.slot.mark(topic: topic, partition: partition, offset: offset)
    }

    /// The handler has returned.
    package func clear() { self.slot.clear() }

    /// Whether any record is known to have killed a worker.
    package var hasDeaths: Bool { !self.deaths.isEmpty }

    /// How many workers this record has killed, as far as it is known.
    package func deaths(of topic: String, partition: Int32, offset: Int64) -> Int {
        guard !self.deaths.isEmpty else { return 0 }
        guard let place = Place(topic: topic, partition: partition, offset: offset) else { return 0 }
        return self.deaths[place] ?? 0
    }

    /// The broker has this record's dead letter: it is of no more interest.
    package func forgive(topic: String, partition: Int32, offset: Int64) {
        guard let place = Place(topic: topic, partition: partition, offset: offset) else { return }
        self.deaths[place] = nil
        self.lockingFolder {
            var (ledger, _) = try self.folder.readLedger()
            if ledger.forgive(place) { try self.folder.write(ledger) }
        }
    }

    /// Charges the records of those who have died since, and learns what others have found. Worth a call when
    /// partitions are assigned: they may be those of somebody who has just died.
    package func takeStock() {
        self.lockingFolder {
            self.deaths = try Self.takeStock(of: self.folder).deaths
        }
    }

    /// What has gone wrong since this was asked last, for the log. None of it stops a worker.
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

// Under the folder's lock.
extension CrashRecorder {
    /// Brings the marks of the dead into the ledger, and takes them away. The living hold their slots locked.
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
            // Only now: whoever dies before this leaves the marks to the next, and nobody is charged twice.
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
                // Its owner has died since stock was taken, or its mark could not be saved: that is for the next.
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
