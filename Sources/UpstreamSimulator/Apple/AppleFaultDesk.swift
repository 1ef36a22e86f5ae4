/// The switches in use. At most one strikes a request, besides latency: the first that can.
struct AppleFaultDesk {
    enum Strike: Hashable {
        case hang
        case cutBefore
        case status(Int, retryAfterSeconds: Int?)
        case proxyPage
        case answer(AppleReply)
        case truncate
        case cutAfter
    }

    private struct Armed {
        var strike: Strike
        var fault: Fault
        var path: String?
        var dose: ArmedDose
    }

    private var dice: Dice
    private var latency: Faults.Latency?
    private var armed: [Armed] = []
    private(set) var struck: [String: Int] = [:]

    init(seed: UInt64) { self.dice = Dice(seed: seed) }

    mutating func set(_ faults: AppleFaults, now: Int64) {
        self.latency = faults.latency
        self.armed = []
        if faults.down != nil { self.struck[Fault.down.rawValue, default: 0] += 1 }
        func arm(_ strike: Strike, _ fault: Fault, _ dose: Dose?, path: String? = nil) {
            self.armed.append(
                Armed(strike: strike, fault: fault, path: path, dose: ArmedDose(dose ?? .always, now: now))
            )
        }
        if let dose = faults.hang { arm(.hang, .hang, dose) }
        if let dose = faults.cutBefore { arm(.cutBefore, .cutBefore, dose) }
        if let error = faults.serverError {
            arm(.status(error.status ?? 503, retryAfterSeconds: nil), .serverError, error.when)
        }
        if let throttle = faults.throttle {
            let strike = Strike.status(
                throttle.status ?? 429,
                retryAfterSeconds: throttle.retryAfterSeconds
            )
            arm(strike, .throttle, throttle.when)
        }
        if let dose = faults.proxyPage { arm(.proxyPage, .proxyPage, dose) }
        for wrong in faults.wrongAnswers ?? [] {
            let reply = AppleReply(wrong.status, wrong.text)
            arm(.answer(reply), .wrongRet, wrong.when, path: wrong.path)
        }
        if let dose = faults.truncated { arm(.truncate, .truncated, dose) }
        if let dose = faults.cutAfter { arm(.cutAfter, .cutAfter, dose) }
    }

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

    /// No longer than an hour, so that no setting can overflow a timer.
    mutating func delay() -> Int {
        guard let latency else { return 0 }
        let longest = 3_600_000
        let jitter = min(max(latency.jitterMilliseconds ?? 0, 0), longest)
        let extra = jitter == 0 ? 0 : Int.random(in: 0...jitter, using: &self.dice)
        return min(max(latency.milliseconds, 0), longest) + extra
    }
}
