import Kafka
import ServiceKit

/// When the positions of the assigned partitions are committed, and how that has gone lately.
///
/// A regular commit is made once in an interval, and the last one of an assignment as soon as it is wanted. With
/// at-least-once a commit is a request of its own, of which one is out at a time. With exactly-once the
/// transactions carry the positions, and only ask here when one is due.
///
/// All times are monotonic nanoseconds.
struct CommitSchedule: Sendable {
    private let interval: Duration
    /// The positions of the commit that is not answered yet, and its id; nil if there is none.
    private var outstanding: (id: UInt64, positions: [CommittedPosition])?
    private var lastID: UInt64 = 0
    /// Whether the last commit of an assignment is to be made.
    private(set) var isLastWanted = false
    /// The time before which no regular commit is made.
    private var nextDue: Int64 = .min
    /// The time before which the last commit of an assignment is not sent. It lies ahead only after a commit
    /// that failed.
    private var lastDue: Int64 = .min
    /// The number of failed commits in a row.
    private var failures = 0
    /// The reason why commits fail, and since when; nil since the last commit that succeeded.
    private(set) var trouble: Trouble?

    /// The pause between two tries of the last commit.
    private static let pauseOfLast = Duration.milliseconds(100)

    init(interval: Duration) { self.interval = interval }

    /// Whether a commit is to be answered or made before the partitions can be given back.
    var isOutstanding: Bool { self.outstanding != nil || self.isLastWanted }

    /// Returns the time of the next commit; nil if none is to be made, or the last one is not answered yet.
    ///
    /// - Parameters:
    ///   - mayCommit: Whether regular commits are made in this phase of the membership.
    ///   - hasChanged: Whether a position may have changed since the last commit.
    func nextCommit(mayCommit: Bool, hasChanged: @autoclosure () -> Bool) -> Int64? {
        guard self.outstanding == nil else { return nil }
        if self.isLastWanted { return self.lastDue }
        return mayCommit && hasChanged() ? self.nextDue : nil
    }

    /// Decides whether a commit is made now, and sets the time of the next one.
    ///
    /// - Parameter mayCommit: Whether regular commits are made in this phase of the membership.
    mutating func takeTurn(mayCommit: Bool, at now: Int64) -> Bool {
        guard self.outstanding == nil else { return false }
        if self.isLastWanted {
            guard now >= self.lastDue else { return false }
        } else {
            guard mayCommit, now >= self.nextDue else { return false }
        }
        self.turnTaken(at: now)
        return true
    }

    /// Notes that the positions are compared now, for a commit or a transaction. The time of the next one is
    /// set even if no position has changed, because the comparison takes time too.
    mutating func turnTaken(at now: Int64) {
        self.isLastWanted = false
        self.nextDue = now.addingClamped(self.interval.wholeNanoseconds)
    }

    /// Notes that the last commit of the assignment is to be made now.
    mutating func lastWanted(at now: Int64) {
        self.isLastWanted = true
        self.lastDue = now
    }

    /// Notes that there is nothing to write in a last commit.
    mutating func lastNotNeeded() { self.isLastWanted = false }

    /// Begins a commit of these positions and returns its id.
    mutating func begin(_ positions: [CommittedPosition]) -> UInt64 {
        self.lastID += 1
        self.outstanding = (self.lastID, positions)
        return self.lastID
    }

    /// Ends the commit of this id, which is answered or could not be sent.
    ///
    /// - Returns: Its positions; nil if the answer belongs to an earlier assignment, about which it says
    ///   nothing any more.
    mutating func end(_ id: UInt64) -> [CommittedPosition]? {
        guard let outstanding = self.outstanding, outstanding.id == id else { return nil }
        self.outstanding = nil
        return outstanding.positions
    }

    /// Notes that positions were committed, with a commit or with a transaction.
    ///
    /// - Returns: The number of commits that failed in a row before.
    mutating func succeeded() -> Int {
        defer {
            self.failures = 0
            self.trouble = nil
        }
        return self.failures
    }

    /// Notes that a commit or a transaction failed.
    ///
    /// - Returns: Whether it is the first failure of a row.
    mutating func failed(_ error: KafkaError, at now: Int64) -> Bool {
        self.failures += 1
        self.trouble = Trouble(error, since: self.trouble?.since ?? now)
        return self.failures == 1
    }

    /// Lets a last commit that failed be made again soon, because no later one would carry its positions.
    mutating func lastFailed(at now: Int64) {
        self.isLastWanted = true
        self.lastDue = now.addingClamped(Self.pauseOfLast.wholeNanoseconds)
    }

    /// Forgets the commits of partitions that were given up.
    mutating func forgetAssignment() {
        self.outstanding = nil
        self.isLastWanted = false
        self.nextDue = .min
        self.lastDue = .min
        self.failures = 0
        self.trouble = nil
    }
}
