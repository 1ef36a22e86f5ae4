internal import Foundation

/// The simulated Marketing API without its sockets: accounts, tokens, limits and accepted conversions.
struct MarketingState {
    struct Request {
        var method: String
        var uri: String
        var headers: [String: String]
        var body: [UInt8]

        /// Whether the body is said to be JSON.
        var isJSON: Bool { self.headers["content-type"]?.lowercased().hasPrefix("application/json") == true }

        var path: String { String(self.uri.prefix { $0 != "?" }) }
        var query: FormFields {
            FormFields(decoding: Array(self.uri.utf8.drop { $0 != 0x3F }.dropFirst())[...])
        }
    }

    /// The counters since the start.
    struct Ledger {
        var requests = 0
        var actions = 0
        var codes: [String: Int] = [:]
        var repeatedNonces = 0
        var largestBatch = 0
        var renewals = 0
    }

    private struct ConversionKey: Hashable {
        var actionSetID: UInt64
        var actionType: String
        var outerActionID: String
        var callback: String
    }

    private struct Tally {
        var muid: String
        var count: Int
    }

    /// The window in which requests of an account are counted.
    private struct Quota {
        var window: Int64 = .min
        var used = 0

        mutating func takes(_ limit: Int?, in window: Int64) -> Bool {
            if window != self.window { (self.window, self.used) = (window, 0) }
            self.used += 1
            return limit.map { self.used <= $0 } ?? true
        }
    }

    private(set) var ledger = Ledger()
    private(set) var uris: [String] = []
    private let rules: MarketingSimulator.Rules
    private var accounts: [UInt64: Set<UInt64>] = [:]
    /// The end of each access token in Unix milliseconds.
    private var tokens: [String: Int64]
    private var clients: [String: MarketingSimulator.Client]
    private var nonces: Set<String> = []
    private var minutes: [UInt64: Quota] = [:]
    private var days: [UInt64: Quota] = [:]
    private var accepted: [ConversionKey: Tally] = [:]

    init(_ settings: MarketingSimulator.Settings) {
        self.rules = settings.rules
        self.tokens = Dictionary(uniqueKeysWithValues: settings.tokens.map { ($0, Int64.max) })
        self.clients = Dictionary(settings.clients.map { ($0.clientID, $0) }, uniquingKeysWith: { $1 })
        self.set(settings.accounts)
    }

    mutating func set(_ accounts: [MarketingSimulator.Account]) {
        self.accounts = Dictionary(
            accounts.map { ($0.accountID, $0.actionSetIDs) },
            uniquingKeysWith: { $1 }
        )
    }

    mutating func expire(_ token: String, now: Int64) {
        if self.tokens[token] != nil { self.tokens[token] = now }
    }

    mutating func arrived(_ request: Request) {
        self.ledger.requests += 1
        if self.uris.count == 1_000 { self.uris.removeFirst(500) }
        self.uris.append(request.uri)
    }

    var conversionCount: Int { self.accepted.count }

    var conversions: [MarketingSimulator.Conversion] {
        self.accepted
            .map { key, tally in
                MarketingSimulator.Conversion(
                    actionSetID: key.actionSetID,
                    actionType: key.actionType,
                    outerActionID: key.outerActionID,
                    muid: tally.muid,
                    callback: key.callback,
                    count: tally.count
                )
            }
            .sorted { ($0.outerActionID, $0.actionType) < ($1.outerActionID, $1.actionType) }
    }

    /// Answers a request. The first check that fails decides the code.
    mutating func answer(_ request: Request, now: Int64) -> AppleReply {
        switch (request.method, request.path) {
        case ("POST", "/v3.0/user_actions/add") where request.query["cb"] == nil:
            return self.coded(self.report(request, now: now))
        case ("POST", "/v3.0/user_actions/add"):
            let code = self.admission(
                token: request.headers["access-token"],
                timestamp: request.headers["timestamp"],
                nonce: request.headers["nonce"],
                now: now
            )
            return self.coded(code ?? self.callback(request, now: now))
        case ("POST", "/conv"): return self.coded(self.callback(request, now: now))
        case ("GET", "/oauth/token"): return self.renewal(request, now: now)
        case (_, "/v3.0/user_actions/add"), (_, "/conv"), (_, "/oauth/token"):
            return .notAllowed
        default: return .notFound
        }
    }

    private mutating func coded(_ code: Int) -> AppleReply {
        self.ledger.codes[String(code), default: 0] += 1
        let message = code == 0 ? "" : "simulated refusal"
        return AppleReply(200, #"{"code":\#(code),"message":"\#(message)","message_cn":""}"#)
    }

    /// Checks what every request carries. Returns nil if it is in order.
    private mutating func admission(token: String?, timestamp: String?, nonce: String?, now: Int64) -> Int? {
        guard let token, let timestamp = timestamp.flatMap({ Int64($0) }), let nonce,
            (1...32).contains(nonce.utf8.count)
        else { return 12_000 }
        guard !token.isEmpty else { return 11_005 }
        guard let end = self.tokens[token] else { return 11_002 }
        guard end > now else { return 11_000 }
        guard abs(now / 1_000 - timestamp) <= self.rules.timestampTolerance else { return 12_001 }
        if self.nonces.count >= self.rules.noncesKept { self.nonces = [] }
        guard self.nonces.insert(nonce).inserted else {
            self.ledger.repeatedNonces += 1
            return 12_002
        }
        return nil
    }

    private mutating func report(_ request: Request, now: Int64) -> Int {
        let query = request.query
        let code = self.admission(
            token: query["access_token"].map { String(decoding: $0, as: UTF8.self) },
            timestamp: query["timestamp"].map { String(decoding: $0, as: UTF8.self) },
            nonce: query["nonce"].map { String(decoding: $0, as: UTF8.self) },
            now: now
        )
        if let code { return code }
        guard request.isJSON, let body = Self.object(request.body),
            let account = Self.number(body["account_id"]),
            let actionSet = Self.number(body["user_action_set_id"])
        else { return 31_001 }
        let day = (now + 8 * 3_600_000) / 86_400_000
        guard self.days[account, default: Quota()].takes(self.rules.requestsADay, in: day) else {
            return 11_018
        }
        guard self.minutes[account, default: Quota()].takes(self.rules.requestsAMinute, in: now / 60_000)
        else { return 11_017 }
        guard let sets = self.accounts[account] else { return 31_033 }
        guard sets.contains(actionSet) else { return 31_002 }
        return self.take(body["actions"], bytes: request.body.count, of: actionSet, callback: "", now: now)
    }

    private mutating func callback(_ request: Request, now: Int64) -> Int {
        guard request.isJSON, let cb = request.query["cb"], !cb.isEmpty, let body = Self.object(request.body)
        else {
            return 31_001
        }
        let callback = String(decoding: cb, as: UTF8.self)
        guard !callback.hasPrefix("bad") else { return 31_003 }
        return self.take(body["actions"], bytes: request.body.count, of: 0, callback: callback, now: now)
    }

    /// Accepts all actions of a request, or none of them.
    private mutating func take(
        _ value: Any?,
        bytes: Int,
        of actionSet: UInt64,
        callback: String,
        now: Int64
    ) -> Int {
        guard let list = value as? [Any], (1...50).contains(list.count), bytes <= 51_200 else {
            return 31_004
        }
        self.ledger.largestBatch = max(self.ledger.largestBatch, list.count)
        let seconds = now / 1_000
        let actions = list.compactMap {
            MarketingAction($0, oldest: self.rules.oldestAction, now: seconds)
        }
        guard actions.count == list.count else { return 31_005 }
        for action in actions {
            let key = ConversionKey(
                actionSetID: actionSet,
                actionType: action.type,
                outerActionID: action.outerActionID,
                callback: callback
            )
            self.accepted[key, default: Tally(muid: action.muid, count: 0)].count += 1
        }
        self.ledger.actions += actions.count
        return 0
    }

    private mutating func renewal(_ request: Request, now: Int64) -> AppleReply {
        let query = request.query
        func text(_ name: String) -> String { query[name].map { String(decoding: $0, as: UTF8.self) } ?? "" }
        guard var client = self.clients[text("client_id")], client.clientSecret == text("client_secret"),
            text("grant_type") == "refresh_token"
        else { return self.coded(11_007) }
        guard client.refreshToken == text("refresh_token") else { return self.coded(11_010) }
        self.ledger.renewals += 1
        client.refreshToken = "refresh-\(client.clientID)-\(self.ledger.renewals)"
        self.clients[client.clientID] = client
        let access = "access-\(client.clientID)-\(self.ledger.renewals)"
        self.tokens[access] = now + self.rules.tokenLifetime * 1_000
        self.ledger.codes["0", default: 0] += 1
        return AppleReply(
            200,
            #"{"code":0,"message":"","data":{"access_token":"\#(access)","#
                + #""refresh_token":"\#(client.refreshToken)","#
                + #""access_token_expires_in":\#(self.rules.tokenLifetime),"#
                + #""refresh_token_expires_in":2592000}}"#
        )
    }

    private static func object(_ body: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    }

    private static func number(_ value: Any?) -> UInt64? { (value as? NSNumber)?.uint64Value }
}
