import WorkerKit

/// Tells whether the records of honest publishers are settled in time, and well, whatever else is published and
/// whoever else has trouble.
///
/// A record may take `bound`. Time in which a fault leaves nobody who could settle it, such as a rebalance or an outage
/// of its own destination, is excused and does not count; a fault of others excuses nothing.
package final class HonestJudge {
    /// What an honest record may take from its publication to an outcome that readers see.
    package static let bound = Duration.seconds(30)

    private struct Birth {
        var name: SimulatedCluster.RecordName
        var at: Int64
    }

    private struct Excuse {
        var from: Int64
        var until: Int64
    }

    private let bound: Int64
    private var births: [SimulatedCluster.RecordName: Int64] = [:]
    /// Those without an outcome, oldest first, and some that have got one since.
    private var queue = Fifo<Birth>()
    private var excuses: [Excuse] = []
    /// What the settled records took, less what is excused; in nanoseconds.
    private var waits: [Int64] = []
    package private(set) var published = 0

    package init(bound: Duration = HonestJudge.bound) { self.bound = bound.wholeNanoseconds }

    package func recordPublished(_ name: SimulatedCluster.RecordName, at now: Int64) {
        self.published += 1
        self.births[name] = now
        self.queue.append(Birth(name: name, at: now))
    }

    /// Nobody can settle anything in this time.
    package func excuse(from: Int64, for length: Duration) {
        self.excuses.append(Excuse(from: from, until: from.addingClamped(length.wholeNanoseconds)))
        self.excuses.sort { $0.from < $1.from }
    }

    /// An operator has had the group skip records: nobody is to settle these any more.
    package func recordsSkipped(where isSkipped: (SimulatedCluster.RecordName) -> Bool) {
        for name in self.births.keys where isSkipped(name) {
            self.births[name] = nil
            self.published -= 1
        }
    }

    /// A reader sees an outcome.
    ///
    /// - Returns: what is wrong with it, if something is.
    package func outcomeSeen(_ outcome: SimulatedOutcome, at now: Int64) -> String? {
        let name = SimulatedCluster.RecordName(partition: outcome.partition, offset: outcome.offset)
        guard let born = self.births.removeValue(forKey: name) else { return nil }
        let wait = self.wait(from: born, to: now)
        self.waits.append(wait)
        guard outcome.fate == "succeeded" else {
            return "the honest \(outcome.id) has ended as \(outcome.fate): \(outcome.reason)"
        }
        return wait > self.bound ? "the honest \(outcome.id) took \(Self.seconds(wait)) s" : nil
    }

    /// Looks for a record that is late, and has no outcome yet.
    ///
    /// - Returns: which one, and how many others wait; each is told once.
    package func overdue(at now: Int64) -> String? {
        while let first = self.queue.first {
            guard self.births[first.name] != nil else {
                _ = self.queue.popFirst()
                continue
            }
            let wait = self.wait(from: first.at, to: now)
            guard wait > self.bound else { return nil }
            self.births[first.name] = nil
            self.waits.append(wait)
            let place = "\(first.name.partition)/\(first.name.offset)"
            return "the honest \(place) waits for \(Self.seconds(wait)) s, and \(self.births.count) others"
        }
        return nil
    }

    /// Records that have no outcome yet.
    package var waiting: Int { self.births.count }

    /// The share of all published records that were settled within so long.
    package func share(within limit: Duration) -> Double {
        let nanoseconds = limit.wholeNanoseconds
        return Double(self.waits.count { $0 <= nanoseconds }) / Double(max(1, self.published))
    }

    /// Time from one to the other, less what is excused.
    private func wait(from start: Int64, to end: Int64) -> Int64 {
        var (wait, counted) = (end - start, start)
        for excuse in self.excuses {
            let (from, until) = (max(excuse.from, counted), min(excuse.until, end))
            guard until > from else { continue }
            wait -= until - from
            counted = until
        }
        return wait
    }

    private static func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds / 1_000_000) / 1_000 }
}
