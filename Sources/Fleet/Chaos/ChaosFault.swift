/// Something that goes wrong in a chaos run, from when and for how long.
struct ChaosFault: Hashable, Sendable {
    enum Deed: Hashable, Sendable {
        /// SIGKILL; after the length of the fault the next life begins.
        case kill(worker: Int)
        case killAll
        /// SIGSTOP, and SIGCONT after the length of the fault.
        case pause(worker: Int)
        /// SIGTERM; after the length of the fault the next life begins.
        case scaleDown(worker: Int)
        /// One more worker for the length of the fault; then SIGTERM.
        case scaleUp(worker: Int)
        case upstream(UpstreamTrouble)
        /// A fault of the store's sandbox, which receipt workers call; production is well.
        case sandbox(UpstreamTrouble)
        case broker(BrokerTrouble)
    }

    /// Since the load began.
    var start: Duration
    var length: Duration
    var deed: Deed
    /// How many records the producer's queue holds in the life that begins with this fault; nil for as many as usual.
    var queueLimit: Int?

    var end: Duration { self.start + self.length }

    /// Which worker is out for the length of the fault; nil if none is, or all are.
    var missingWorker: Int? {
        switch self.deed {
        case .kill(let worker), .pause(let worker), .scaleDown(let worker): worker
        case .killAll, .scaleUp, .upstream, .sandbox, .broker: nil
        }
    }
}

/// The ways of an upstream to fail.
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

/// The ways of the embedded broker to fail.
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
