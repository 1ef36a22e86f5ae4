internal import Foundation

/// The simulated DeviceCheck API without its sockets: the teams, the bits of all devices, and the response to
/// each request.
///
/// The simulator reads requests with code of its own, and shares none with the worker that writes them, so
/// that a mistake of the worker is not repeated here.
struct DeviceCheckState {
    struct Request {
        var method: String
        var path: String
        var authorization: String?
        var body: [UInt8]
    }

    /// The body of a request, with Apple's field names.
    private struct Body: Decodable {
        var device_token: String?
        var transaction_id: String?
        var timestamp: Int64?
        var bit0: Bool?
        var bit1: Bool?
    }

    /// The two bits alone. `isObject` uses them to find out whether it is the bits that cannot be decoded.
    private struct Fields: Decodable {
        var bit0: Bool?
        var bit1: Bool?
    }

    /// The owner of two bits: Apple keeps them per team, environment and device.
    private struct Holder: Hashable {
        var team: String
        var environment: String
        var device: String
    }

    private struct Bits {
        var bit0 = false
        var bit1 = false
        var month = ""
        /// The number of updates since the start.
        var updates = 0
    }

    private struct Key {
        var team: DeviceCheckTeam
        var verifier: ES256Verifier
    }

    let rules: DeviceCheckSimulator.Rules
    private var keys: [String: Key] = [:]
    private var bits: [Holder: Bits] = [:]
    private(set) var calls: [DeviceCheckSimulator.Call] = []
    private(set) var requests = 0
    private(set) var accepted = 0
    private(set) var answers: [String: Int] = [:]

    init(_ rules: DeviceCheckSimulator.Rules) { self.rules = rules }

    /// Replaces all teams. A team whose public key cannot be read is left out, and every call for it is
    /// refused.
    mutating func set(_ teams: [DeviceCheckTeam]) {
        self.keys = [:]
        for team in teams {
            guard let verifier = ES256Verifier(publicKeyPEM: team.publicKeyPEM) else { continue }
            self.keys[team.keyID] = Key(team: team, verifier: verifier)
        }
    }

    /// Answers a request, and applies the changes that it asks for. `now` is in Unix milliseconds.
    mutating func answer(_ request: Request, now: Int64) -> AppleReply {
        var call = DeviceCheckSimulator.Call(path: request.path, at: now)
        let reply = self.judge(request, &call, now: now)
        call.status = reply.status
        if reply.status == 200 { self.accepted += 1 }
        self.note(call)
        return reply
    }

    /// Counts a request that a fault kept from the API. `status` is the HTTP status of the response, or 0 for
    /// none.
    mutating func missed(_ request: Request, now: Int64, status: Int) {
        var call = DeviceCheckSimulator.Call(path: request.path, at: now)
        _ = self.body(of: request, &call)
        call.status = status
        self.note(call)
    }

    private mutating func note(_ call: DeviceCheckSimulator.Call) {
        self.requests += 1
        self.answers[String(call.status), default: 0] += 1
        // Only the newest calls are kept, so that a long run does not fill the memory.
        if self.calls.count == self.rules.callsKept {
            self.calls.removeFirst(max(1, self.rules.callsKept / 2))
        }
        self.calls.append(call)
    }

    private mutating func judge(
        _ request: Request,
        _ call: inout DeviceCheckSimulator.Call,
        now: Int64
    ) -> AppleReply {
        let development = "/development"
        let isDevelopment = request.path.hasPrefix(development + "/")
        let path = isDevelopment ? String(request.path.dropFirst(development.count)) : request.path
        let operations = ["/v1/query_two_bits", "/v1/update_two_bits", "/v1/validate_device_token"]
        guard operations.contains(path) else { return .notFound }
        guard request.method == "POST" else { return .notAllowed }
        let parsed = self.body(of: request, &call)
        let team: DeviceCheckTeam
        switch self.caller(request, &call, now: now) {
        case .failure(let refusal): return refusal.reply
        case .success(let caller): team = caller
        }
        guard let body = parsed else { return self.isObject(request.body) ? .badBits : .badPayload }
        let environment = isDevelopment ? "development" : "production"
        guard let token = self.token(body, environment, now: now) else { return .badDeviceToken }
        guard let transaction = body.transaction_id, !transaction.isEmpty else { return .badTransaction }
        guard let timestamp = body.timestamp, abs(now - timestamp) <= self.rules.timestampTolerance else {
            return .badTimestamp
        }
        let holder = Holder(team: team.teamID, environment: environment, device: token.device)
        switch path {
        case operations[0]: return self.query(holder)
        case operations[1]: return self.update(holder, body, now: now)
        default: return .done
        }
    }

    /// The response to a request that is not authorized.
    private struct Refusal: Error { var reply: AppleReply }

    /// Finds the team that a request is authorized for.
    private func caller(
        _ request: Request,
        _ call: inout DeviceCheckSimulator.Call,
        now: Int64
    ) -> Result<DeviceCheckTeam, Refusal> {
        guard let token = request.authorization.flatMap({ BearerToken(authorization: $0) }) else {
            return .failure(Refusal(reply: .badAuthorization))
        }
        call.issuedAt = token.issuedAt
        guard let key = self.keys[token.keyID], key.team.teamID == token.issuer,
            key.verifier.accepts(token.signature, of: token.signedBytes)
        else { return .failure(Refusal(reply: .unverified)) }
        guard key.team.hasDeviceCheck ?? true else { return .failure(Refusal(reply: .badAuthorization)) }
        let seconds = now / 1_000
        guard token.issuedAt <= seconds else { return .failure(Refusal(reply: .unverified)) }
        guard seconds - token.issuedAt <= self.rules.authorizationLifetime else {
            return .failure(Refusal(reply: .expired))
        }
        return .success(key.team)
    }

    /// Decodes the body, and copies its fields into `call`; nil if the body cannot be decoded.
    private func body(of request: Request, _ call: inout DeviceCheckSimulator.Call) -> Body? {
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(request.body)) else { return nil }
        call.transactionID = body.transaction_id
        call.timestamp = body.timestamp
        call.device = body.device_token.flatMap { SimulatedDeviceToken(base64: $0)?.device }
        call.bit0 = body.bit0
        call.bit1 = body.bit1
        return body
    }

    /// Whether the body is a JSON object whose bits are not booleans. Apple then answers differently from a
    /// body that is no JSON object.
    private func isObject(_ bytes: [UInt8]) -> Bool {
        let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        return object != nil && (try? JSONDecoder().decode(Fields.self, from: Data(bytes))) == nil
    }

    /// The device token of a request; nil if it is invalid, belongs to the other environment, or has expired.
    private func token(_ body: Body, _ environment: String, now: Int64) -> SimulatedDeviceToken? {
        guard let token = body.device_token.flatMap({ SimulatedDeviceToken(base64: $0) }),
            (token.environment ?? environment) == environment
        else { return nil }
        if let madeAt = token.madeAt, now - madeAt > self.rules.deviceTokenLifetime { return nil }
        return token
    }

    private func query(_ holder: Holder) -> AppleReply {
        guard let bits = self.bits[holder] else { return .neverSet }
        return AppleReply(
            200,
            "{\"bit0\":\(bits.bit0),\"bit1\":\(bits.bit1),\"last_update_time\":\"\(bits.month)\"}"
        )
    }

    private mutating func update(_ holder: Holder, _ body: Body, now: Int64) -> AppleReply {
        guard body.bit0 != nil || body.bit1 != nil else { return .badBits }
        var bits = self.bits[holder] ?? Bits()
        bits.bit0 = body.bit0 ?? bits.bit0
        bits.bit1 = body.bit1 ?? bits.bit1
        bits.month = Self.month(of: now)
        bits.updates += 1
        self.bits[holder] = bits
        return .done
    }

    /// The month of an update as `YYYY-MM`, in UTC: Apple reports nothing more exact.
    private static func month(of milliseconds: Int64) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        let parts = calendar.dateComponents([.year, .month], from: date)
        return String(format: "%04d-%02d", parts.year ?? 0, parts.month ?? 0)
    }

    var devices: [DeviceCheckSimulator.Device] {
        self.bits.map { holder, bits in
            DeviceCheckSimulator.Device(
                team: holder.team,
                environment: holder.environment,
                device: holder.device,
                bit0: bits.bit0,
                bit1: bits.bit1,
                month: bits.month,
                updates: bits.updates
            )
        }.sorted { ($0.team, $0.environment, $0.device) < ($1.team, $1.environment, $1.device) }
    }
}
