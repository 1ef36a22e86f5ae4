/// The states of a record in hand. Each carries what only a record in that state has.
///
/// `RecordTable.move` is the only way from one state to another. It allows these moves (a test compares the
/// list with `Kind.next`):
///
///     arrived    → queued, ready, backingOff, condemned, settling
///     queued     → ready, condemned, settling
///     ready      → blocked, calling, backingOff, held, condemned, settling
///     blocked    → ready, condemned, settling
///     calling    → calling, ready, backingOff, held, condemned, settling
///     backingOff → ready, condemned, settling
///     held       → ready, backingOff, condemned, settling
///     condemned  → settling
///     settling   → backingOff, resending, waiting, written
///     resending  → backingOff, settling, waiting
///     waiting    → backingOff, settling
///     written    → backingOff, waiting
///
/// A record leaves the table from `settling`, with exactly-once from `written`. It is dropped in any state
/// when its partition is taken away, or when it goes back to the parking topic.
enum RecordState: Sendable {
    /// The record has just been taken in hand, and is in no queue yet.
    case arrived
    /// The record waits behind an earlier one of its key or partition.
    case queued
    /// The record waits for a slot, to be planned or to make this call.
    case ready(FollowUp?)
    /// The endpoint that the record has to call may not be called now.
    case blocked(FollowUp?)
    /// A call for the record is in flight.
    case calling(CallInFlight)
    /// The record waits for its next attempt, or for the time before which its publisher wants none.
    case backingOff(FollowUp?, BackoffCause)
    /// The record's lane is held, or the whole upstream is.
    case held(FollowUp?)
    /// The record is to become a dead letter and waits until the budget has room for it.
    case condemned(Rejection)
    /// A dead letter, an outcome, a copy or a ticket of the record is on its way to the broker.
    case settling(Publication)
    /// The producer or the broker has refused a dead letter, an outcome, a copy or a ticket of the record for
    /// now.
    case resending(Publication)
    /// The dead letter, outcome, copy or ticket waits for a transaction in which it can be sent, or for that
    /// of an earlier record of its key.
    case waiting(Publication)
    /// The broker has acknowledged everything that comes of the record, in a transaction that is not
    /// committed yet.
    case written(Publication)

    /// The reasons for which a record waits for its next attempt.
    enum BackoffCause: Sendable {
        /// The last call failed while its endpoint was in doubt, and the answer did not say how long to wait.
        /// When the endpoint is well again, the wait is cut short.
        case doubt
        /// The publisher does not want the record to be worked on before a time.
        case delay
        /// Any other reason: the wait lasts as long as it was set.
        case other
    }

    /// A state without its content.
    enum Kind: UInt8, CaseIterable, Sendable {
        case arrived, queued, ready, blocked, calling, backingOff, held, condemned
        case settling, resending, waiting, written
    }

    var kind: Kind {
        switch self {
        case .arrived: .arrived
        case .queued: .queued
        case .ready: .ready
        case .blocked: .blocked
        case .calling: .calling
        case .backingOff: .backingOff
        case .held: .held
        case .condemned: .condemned
        case .settling: .settling
        case .resending: .resending
        case .waiting: .waiting
        case .written: .written
        }
    }

    /// The call with which a waiting record goes on instead of being planned anew; nil if there is none.
    var followUp: FollowUp? {
        switch self {
        case .ready(let call), .blocked(let call), .backingOff(let call, _), .held(let call): call
        case .arrived, .queued, .calling, .condemned, .settling, .resending, .waiting, .written: nil
        }
    }

    /// The records that the broker is to have; nil before they are published.
    var publication: Publication? {
        switch self {
        case .settling(let all), .resending(let all), .waiting(let all), .written(let all): all
        case .arrived, .queued, .ready, .blocked, .calling, .backingOff, .held, .condemned: nil
        }
    }
}

extension RecordState.Kind {
    /// A set of kinds of states.
    struct Set: OptionSet, Sendable {
        let rawValue: UInt16

        static let arrived = Set(.arrived)
        static let queued = Set(.queued)
        static let ready = Set(.ready)
        static let blocked = Set(.blocked)
        static let calling = Set(.calling)
        static let backingOff = Set(.backingOff)
        static let held = Set(.held)
        static let condemned = Set(.condemned)
        static let settling = Set(.settling)
        static let resending = Set(.resending)
        static let waiting = Set(.waiting)
        static let written = Set(.written)

        init(rawValue: UInt16) { self.rawValue = rawValue }

        init(_ kind: RecordState.Kind) { self.rawValue = 1 << UInt16(kind.rawValue) }

        func contains(_ kind: RecordState.Kind) -> Bool { self.contains(Set(kind)) }
    }

    /// The states that may follow this one.
    var next: Set {
        switch self {
        case .arrived: [.queued, .ready, .backingOff, .condemned, .settling]
        case .queued: [.ready, .condemned, .settling]
        case .ready: [.blocked, .calling, .backingOff, .held, .condemned, .settling]
        case .blocked: [.ready, .condemned, .settling]
        case .calling: [.calling, .ready, .backingOff, .held, .condemned, .settling]
        case .backingOff: [.ready, .condemned, .settling]
        case .held: [.ready, .backingOff, .condemned, .settling]
        case .condemned: [.settling]
        case .settling: [.backingOff, .resending, .waiting, .written]
        case .resending: [.backingOff, .settling, .waiting]
        case .waiting: [.backingOff, .settling]
        case .written: [.backingOff, .waiting]
        }
    }
}

/// A call that a record makes when it has a slot, without being planned anew. It is kept outside of the
/// record's state, because few records have one and it is large.
final class FollowUp: Sendable {
    let call: Call<any Sendable>

    init(_ call: Call<any Sendable>) { self.call = call }
}

/// A call that was made and is not answered yet.
struct CallInFlight: Sendable {
    let number: UInt64
    /// The endpoint, as an index of the handler's list.
    let endpoint: Int
    let lane: String
    /// The handler's own value, which comes back to it with the answer.
    let job: any Sendable
    /// The monotonic time at which the call began, in nanoseconds.
    let began: Int64
    /// The number of the call among those of its record, from 1.
    let attempt: Int
    /// Whether the call is the first to its endpoint since the record was taken in.
    let isFirstThere: Bool
    /// Whether the record's last call failed while calls for other records succeeded at the same endpoint.
    let isOutlier: Bool
    /// Whether the record has failed so often where others succeeded that it is probably at fault itself.
    let isFaulty: Bool
    /// Whether the call may be cut short: it can be made again, and no call for the record has failed alone before.
    let mayBeCut: Bool
    /// Whether the record's call before this one was cut short.
    let followsCut: Bool
    /// Whether the call may share its request with others.
    let mayShare: Bool
    /// Whether this worker has cut the call short.
    var isCut = false
}
