import ServiceKit

/// Checks that the records of honest publishers are settled in time and with success, whatever other
/// publishers send and whichever other part fails.
///
/// A record may take `bound`. Time does not count if a fault leaves no worker that could settle the record,
/// such as a rebalance or an outage of the record's own destination. A fault of others excuses no delay.
package final class HonestJudge {
    /// The longest time from the publication of an honest record until readers can see its outcome.
    package static let bound = Duration.seconds(30)

    private struct Birth {
        var name: RecordName
        var at: Int64
    }

    private struct Excuse {
        var from: Int64
        var until: Int64
    }

    private let bound: Int64
    private var births: [RecordName: Int64] = [:]
    /// The records by age, the oldest first. Some of them have got an outcome since they were added.
    private var queue = Fifo<Birth>()
    private var excuses: [Excuse] = []
    /// The time that each settled record took, without excused time, in nanoseconds.
    private(set) var waits: [Int64] = []
    /// The number of honest records that count. Records that were skipped do not.
    package private(set) var published = 0

    /// Makes a judge that knows no records yet.
    package init(bound: Duration = HonestJudge.bound) { self.bound = bound.wholeNanoseconds }

    /// Notes that an honest record was published.
    package func recordPublished(_ name: RecordName, at now: Int64) {
        self.published += 1
        self.births[name] = now
        self.queue.append(Birth(name: name, at: now))
    }

    /// Excuses all waiting in this time, because no worker can settle records in it.
    ///
    /// - Parameter from: monotonic nanoseconds.
    package func excuse(from: Int64, for length: Duration) {
        self.excuses.append(Excuse(from: from, until: from.addingClamped(length.wholeNanoseconds)))
        self.excuses.sort { $0.from < $1.from }
    }

    /// Forgets records that no worker has to settle: those that an operator has made the group skip, and those that the
    /// brokers have lost, whose names others can get.
    package func forgetRecords(where isForgotten: (RecordName) -> Bool) {
        for name in self.births.keys where isForgotten(name) {
            self.births[name] = nil
            self.published -= 1
        }
    }

    /// Forgets the records that wait, because their topic was deleted and made again. Records of the new topic can have
    /// the names of earlier ones.
    package func topicMadeAnew() {
        self.published -= self.births.count
        self.births = [:]
        self.queue = Fifo()
    }

    /// Notes that readers can see an outcome.
    ///
    /// - Returns: a complaint if the outcome is late or is no success. Outcomes of other records give nil.
    package func outcomeSeen(_ outcome: SimulatedOutcome, at now: Int64) -> String? {
        let name = outcome.name
        guard let born = self.births.removeValue(forKey: name) else { return nil }
        let wait = self.wait(from: born, to: now)
        self.waits.append(wait)
        guard outcome.fate == "succeeded" else {
            return "the honest \(outcome.id) has ended as \(outcome.fate): \(outcome.reason)"
        }
        return wait > self.bound ? "the honest \(outcome.id) took \(Self.seconds(wait)) s" : nil
    }

    /// Looks for an honest record that is late and has no outcome yet.
    ///
    /// - Returns: a complaint that names the record and the number of others that wait. Each late record is
    ///   reported once.
    package func overdue(at now: Int64) -> String? {
        while let first = self.queue.first {
            guard self.births[first.name] == first.at else {
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

    /// The number of honest records that have no outcome yet.
    package var waiting: Int { self.births.count }

    /// Returns the share of all honest records that were settled within a limit, excused time not counted.
    package func share(within limit: Duration) -> Double {
        let nanoseconds = limit.wholeNanoseconds
        return Double(self.waits.count { $0 <= nanoseconds }) / Double(max(1, self.published))
    }

    /// Returns the time between two instants without the excused time, in nanoseconds.
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
