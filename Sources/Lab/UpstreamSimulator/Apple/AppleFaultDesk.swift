/// Decides which fault strikes a request to one of Apple's simulators.
///
/// Besides latency, at most one fault strikes a request: the first one in the order of `AppleFaults` whose
/// dose allows it.
struct AppleFaultDesk {
    /// A fault as it applies to one request.
    enum Strike: Hashable {
        case hang
        case cutBefore
        case status(Int, retryAfterSeconds: Int?)
        case proxyPage
        case answer(AppleReply)
        case truncate
        case cutAfter
    }

    /// A fault that is set, with the rest of its dose.
    private struct Armed {
        var strike: Strike
        var fault: Fault
        /// The end of the paths that the fault is limited to; nil for every path.
        var path: String?
        var dose: ArmedDose
    }

    private var dice: Dice
    private var latency: Faults.Latency?
    private var armed: [Armed] = []
    /// How often each fault has struck, by `Fault.rawValue`. An outage counts once; latency is not counted.
    private(set) var struck: [String: Int] = [:]

    init(seed: UInt64) { self.dice = Dice(seed: seed) }

    /// Replaces all faults. Their doses start at `now`, in Unix milliseconds.
    mutating func set(_ faults: AppleFaults, now: Int64) {
        self.latency = faults.latency
        self.armed = []
        if faults.down != nil { self.struck[Fault.down.rawValue, default: 0] += 1 }
        func arm(_ strike: Strike, _ fault: Fault, dose: Dose?, path: String? = nil) {
            self.armed.append(
                Armed(strike: strike, fault: fault, path: path, dose: ArmedDose(dose ?? .always, now: now))
            )
        }
        if let dose = faults.hang { arm(.hang, .hang, dose: dose) }
        if let dose = faults.cutBefore { arm(.cutBefore, .cutBefore, dose: dose) }
        if let error = faults.serverError {
            arm(.status(error.status ?? 503, retryAfterSeconds: nil), .serverError, dose: error.when)
        }
        if let throttle = faults.throttle {
            let strike = Strike.status(
                throttle.status ?? 429,
                retryAfterSeconds: throttle.retryAfterSeconds
            )
            arm(strike, .throttle, dose: throttle.when)
        }
        if let dose = faults.proxyPage { arm(.proxyPage, .proxyPage, dose: dose) }
        for wrong in faults.wrongAnswers ?? [] {
            let reply = AppleReply(wrong.status, wrong.text)
            arm(.answer(reply), .wrongRet, dose: wrong.when, path: wrong.path)
        }
        if let dose = faults.truncated { arm(.truncate, .truncated, dose: dose) }
        if let dose = faults.cutAfter { arm(.cutAfter, .cutAfter, dose: dose) }
    }

    /// The fault for a request with this path, or nil. The fault's dose is reduced.
    mutating func strike(_ path: String, now: Int64) -> Strike? {
        for index in self.armed.indices {
            if let end = self.armed[index].path, !path.hasSuffix(end) { continue }
            if self.armed[index].dose.strikes(now: now, dice: &self.dice) {
                self.struck[self.armed[index].fault.rawValue, default: 0] += 1
                return self.armed[index].strike
            }
        }
        return nil
    }

    /// The delay for a request in milliseconds. Latency and jitter are each limited to one hour, so that no
    /// setting can overflow a timer.
    mutating func delay() -> Int {
        guard let latency else { return 0 }
        let longest = 3_600_000
        let jitter = min(max(latency.jitterMilliseconds ?? 0, 0), longest)
        let extra = jitter == 0 ? 0 : Int.random(in: 0...jitter, using: &self.dice)
        return min(max(latency.milliseconds, 0), longest) + extra
    }
}
