import Glibc
import ServiceKit
import WorkerKit

/// An upstream of some servers with a queue before them, and a caller that always has more to ask for: a model to
/// find limits for. It knows time only as numbers, so an hour of it takes no time.
struct QueueingUpstream {
    enum Service {
        case always
        /// As calls that share nothing.
        case exponential
        /// The logarithm is normal with this deviation.
        case logNormal(Double)
    }

    /// The events of some time.
    struct Account {
        var answered = 0
        var refused = 0
        var seconds = 0.0
        /// The mean latency of the answered calls.
        var milliseconds = 0.0
        var limits: [Int] = []

        var throughput: Double { Double(self.answered) / self.seconds }
        var meanLimit: Double { Double(self.limits.reduce(0, +)) / Double(max(1, self.limits.count)) }
    }

    var servers: Int
    /// The mean time that a server takes for a call.
    var service: Duration
    var shape = Service.always
    /// The part of the calls that hangs for a time of its own.
    var hanging = (share: 0.0, for: Duration.zero)
    /// Beyond so many calls, the next is refused at once.
    var places = Int.max
    /// The part of the calls that is refused whatever the load.
    var refusedAnyway = 0.0
    /// Calls that the caller keeps in flight; nil for as many as the limit says.
    var fixed: Int?
    /// The caller never has more to ask for than this.
    var demand = Int.max
    var limit: ConcurrencyLimit
    var now: Int64 = 0

    private var random: SplitMix64
    private var events = DueQueue<Event>()
    private var waiting = Fifo<Int64>()
    private var busy = 0
    private(set) var inFlight = 0

    var currentLimit: Int { self.limit.current(at: self.now) }

    private enum Event {
        case served(since: Int64)
        case released(since: Int64)
        case refused(since: Int64)
    }

    init(servers: Int, service: Duration, limit: ConcurrencyLimit, seed: UInt64 = 1) {
        self.servers = servers
        self.service = service
        self.limit = limit
        self.random = SplitMix64(seed: seed)
    }

    /// Lets some time pass.
    mutating func run(for seconds: Double) -> Account {
        let end = self.now + Int64(seconds * 1e9)
        var account = Account(seconds: seconds)
        var latencies = 0.0
        var nextSample = self.now
        while true {
            self.call()
            // The caller wakes when the limit says that it may change by itself, as the engine does.
            let change = self.limit.dipEnd(at: self.now)
            guard let due = [self.events.nextDue, change].compactMap({ $0 }).min(), due <= end else { break }
            self.now = due
            guard let event = self.events.popDue(at: due) else { continue }
            while nextSample <= due {
                account.limits.append(self.currentLimit)
                nextSample += 10_000_000
            }
            switch event {
            case .served(let since):
                self.busy -= 1
                self.serveNext()
                self.finish(since, .answered)
                account.answered += 1
                latencies += Double(due - since) / 1e6
            case .released(let since):
                self.finish(since, .answered)
                account.answered += 1
            case .refused(let since):
                self.finish(since, .overloaded)
                account.refused += 1
            }
        }
        self.now = end
        account.milliseconds = latencies / Double(max(1, account.answered))
        return account
    }

    private mutating func call() {
        while self.inFlight < min(self.fixed ?? self.currentLimit, self.demand) {
            self.inFlight += 1
            self.limit.started(inFlight: self.inFlight)
            let atServers = self.busy + self.waiting.count
            if atServers >= self.places || Double.random(in: 0..<1, using: &self.random) < self.refusedAnyway
            {
                self.events.add(.refused(since: self.now), due: self.now + 1_000_000)
            } else if Double.random(in: 0..<1, using: &self.random) < self.hanging.share {
                self.events.add(.released(since: self.now), due: self.now + self.hanging.for.wholeNanoseconds)
            } else {
                self.waiting.append(self.now)
                self.serveNext()
            }
        }
    }

    private mutating func serveNext() {
        guard self.busy < self.servers, let since = self.waiting.popFirst() else { return }
        self.busy += 1
        self.events.add(.served(since: since), due: self.now + self.serviceTime())
    }

    private mutating func finish(_ since: Int64, _ outcome: ConcurrencyLimit.Outcome) {
        self.limit.completed(
            latency: self.now - since,
            inFlight: self.inFlight,
            outcome: outcome,
            at: self.now
        )
        self.inFlight -= 1
    }

    private mutating func serviceTime() -> Int64 {
        let mean = Double(self.service.wholeNanoseconds)
        switch self.shape {
        case .always: return Int64(mean)
        case .exponential: return Int64(-log(Double.random(in: 0x1p-53..<1, using: &self.random)) * mean)
        case .logNormal(let deviation):
            let first = sqrt(-2 * log(Double.random(in: 0x1p-53..<1, using: &self.random)))
            let normal = first * cos(2 * .pi * Double.random(in: 0..<1, using: &self.random))
            return Int64(exp(deviation * normal - deviation * deviation / 2) * mean)
        }
    }
}
