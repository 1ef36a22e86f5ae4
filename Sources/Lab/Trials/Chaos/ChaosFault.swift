import Harness

/// One fault of a chaos run, with its start and its length.
struct ChaosFault: Hashable, Sendable {
    /// The kind of fault.
    enum Deed: Hashable, Sendable {
        /// SIGKILL; a new process starts after the fault's length.
        case kill(worker: Int)
        /// SIGKILL for every worker; new processes start after the fault's length.
        case killAll
        /// SIGSTOP, then SIGCONT after the fault's length.
        case pause(worker: Int)
        /// SIGTERM; a new process starts after the fault's length.
        case scaleDown(worker: Int)
        /// One additional worker for the fault's length, then SIGTERM.
        case scaleUp(worker: Int)
        /// A fault of GDT.
        case upstream(UpstreamTrouble)
        /// A fault of the store's sandbox, which receipt workers call. The store's production environment
        /// keeps working.
        case sandbox(UpstreamTrouble)
        /// A fault of the embedded broker.
        case broker(BrokerTrouble)
        /// GDT does not know one of the accounts, for the fault's length (see `LateAccount`).
        case lateAccount
        /// The input topic and the parking topic of the first workers get more partitions. Nothing ends this, and the
        /// fault's length means nothing.
        case growth(to: Int)
        /// SIGKILL for every worker of the first kind. While the group is empty, its position is moved back, with the
        /// metadata of the old one. Then new processes start. The fault's length is the longest time that this may take.
        case moveBack
    }

    /// The time since the load began.
    var start: Duration
    var length: Duration
    var deed: Deed
    /// The size of the producer queue, in records, of the process that starts with this fault; nil for the
    /// default.
    var queueLimit: Int?

    var end: Duration { self.start + self.length }

    /// The worker that is absent for the fault's length; nil if none is, or if all are.
    var missingWorker: Int? {
        switch self.deed {
        case .kill(let worker), .pause(let worker), .scaleDown(let worker): worker
        case .killAll, .scaleUp, .upstream, .sandbox, .broker, .lateAccount, .growth, .moveBack: nil
        }
    }

    /// Whether the fault starts, stops or pauses workers.
    var isOfWorkers: Bool {
        switch self.deed {
        case .kill, .killAll, .pause, .scaleDown, .scaleUp, .moveBack: true
        case .upstream, .sandbox, .broker, .lateAccount, .growth: false
        }
    }
}

/// The ways in which an upstream can fail. The raw value is the text in the run's output.
enum UpstreamTrouble: String, CaseIterable, Hashable, Sendable {
    case refuses = "refuses every connection"
    case resets = "resets every connection"
    case fails = "answers 503 to everything"
    case isSilent = "takes every call and says nothing"
    case throttles = "says 429 with Retry-After: 1"
    case isSlow = "takes its time"
    case isFlaky = "fails now and then"
    case losesAnswers = "counts reports and cuts the connection"
}

/// The ways in which the embedded broker can fail. The raw value is the text in the run's output.
enum BrokerTrouble: String, CaseIterable, Hashable, Sendable {
    case isSlow = "the broker is slow"
    case refusesRecords = "the broker refuses records"
    case losesAnswers = "the broker takes records and cuts the connection"
    case losesEnds = "the broker ends transactions and cuts the connection"
    case isLateWithMarkers = "the broker's markers come late"
    case movesCoordinators = "the coordinators move"
    case cutsConnections = "the broker cuts every connection"
    case isDeaf = "the broker takes no connections"
}
