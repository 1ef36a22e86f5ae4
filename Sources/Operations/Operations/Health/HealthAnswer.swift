/// The answer to a probe, before it becomes an HTTP response.
struct HealthAnswer: Hashable, Sendable {
    let isGood: Bool
    let body: [UInt8]

    init(_ liveness: Health.Liveness) {
        switch liveness {
        case .alive: self.init(isGood: true, status: "alive")
        case .stalled(let reason): self.init(isGood: false, status: "stalled", reason: reason)
        }
    }

    init(_ readiness: Health.Readiness) {
        switch readiness {
        case .starting: self.init(isGood: false, status: "starting")
        case .ready: self.init(isGood: true, status: "ready")
        case .notReady(let reason): self.init(isGood: false, status: "not ready", reason: reason)
        case .draining: self.init(isGood: false, status: "draining")
        }
    }

    private init(isGood: Bool, status: String, reason: String? = nil) {
        var body = Array("{\"status\":".utf8)
        JSONText.appendQuoted(status, to: &body)
        if let reason {
            body.append(contentsOf: ",\"reason\":".utf8)
            JSONText.appendQuoted(reason, to: &body, limit: 512)
        }
        body.append(contentsOf: "}\n".utf8)
        self.isGood = isGood
        self.body = body
    }
}
