internal import Foundation

/// The simulated store without its sockets: the apps, the purchases, and the responses of verifyReceipt and
/// the App Store Server API.
///
/// The simulator reads requests with code of its own, and shares none with the worker that writes them, so
/// that a mistake of the worker is not repeated here. A receipt is not parsed: the store searches its text
/// for the ids of known apps and purchases.
struct StoreState {
    struct Request {
        var method: String
        /// The path with its query.
        var target: String
        var authorization: String?
        var body: [UInt8]
    }

    /// The claims that the App Store Server API requires in addition to those of `BearerToken`.
    private struct Claims: Decodable {
        var exp: Int64
        var aud: String
        var bid: String
    }

    private struct Key {
        var app: SimulatedApp
        var verifier: ES256Verifier
    }

    static let pageSize = 20
    private static let sandbox = "/sandbox"

    private let writer: SignedDataWriter?
    private var apps: [String: SimulatedApp] = [:]
    private var keys: [String: Key] = [:]
    private(set) var purchases: [SimulatedPurchase] = []
    private(set) var calls: [StoreSimulator.Call] = []
    private(set) var requests = 0
    private(set) var accepted = 0
    private(set) var answers: [String: Int] = [:]

    init() { self.writer = SimulatedChain.writer }

    /// Replaces all apps. An app without a readable public key cannot use the App Store Server API.
    mutating func set(_ apps: [SimulatedApp]) {
        self.apps = Dictionary(apps.map { ($0.bundleID, $0) }) { _, last in last }
        self.keys = [:]
        for app in apps {
            guard let id = app.keyID,
                let verifier = app.publicKeyPEM.flatMap({ ES256Verifier(publicKeyPEM: $0) })
            else { continue }
            self.keys[id] = Key(app: app, verifier: verifier)
        }
    }

    mutating func set(_ purchases: [SimulatedPurchase]) { self.purchases = purchases }

    /// Answers a request as Apple does, and counts it. `now` is in Unix milliseconds.
    mutating func answer(_ request: Request, now: Int64) -> AppleReply {
        let isSandbox = request.target.hasPrefix(Self.sandbox + "/")
        let target = isSandbox ? String(request.target.dropFirst(Self.sandbox.count)) : request.target
        let reply: AppleReply
        if target == "/verifyReceipt" {
            reply = self.verifyReceipt(request, isSandbox, now: now)
        } else if target.hasPrefix("/inApps/") {
            reply = self.serverAPI(target, request, isSandbox: isSandbox, now: now)
        } else {
            reply = AppleReply(404, "Not Found")
        }
        self.note(request, now, status: reply.status)
        // verifyReceipt also rejects receipts with status 200. Only a response that contains a receipt counts
        // as accepted.
        let isShown = target != "/verifyReceipt" || reply.text.contains("\"receipt\":")
        if reply.status == 200, isShown { self.accepted += 1 }
        return reply
    }

    /// Counts a request and remembers it. `status` is 0 if there was no response.
    mutating func note(_ request: Request, _ now: Int64, status: Int) {
        self.requests += 1
        self.answers[String(status), default: 0] += 1
        // At most the newest 20,000 calls are kept, so that a long run does not fill the memory.
        if self.calls.count >= 20_000 { self.calls.removeFirst(10_000) }
        self.calls.append(StoreSimulator.Call(target: request.target, at: now, status: status))
    }

    // MARK: verifyReceipt

    private func verifyReceipt(_ request: Request, _ isSandbox: Bool, now: Int64) -> AppleReply {
        guard request.method == "POST" else { return Self.status(21000) }
        guard let body = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any]
        else {
            return Self.status(21000)
        }
        guard let text = body["receipt-data"] as? String, let bytes = StrictBase64.decode(Array(text.utf8)),
            !bytes.isEmpty
        else { return Self.status(21002) }
        let receipt = Self.text(in: bytes)
        // The longest bundle id decides, since the id of one app may be the beginning of another's.
        let apps = self.apps.values.filter { receipt.contains($0.bundleID) }
        guard let app = apps.max(by: { $0.bundleID.utf8.count < $1.bundleID.utf8.count }) else {
            return Self.status(21003)
        }
        let isOfSandbox = receipt.contains("Sandbox")
        guard isOfSandbox == isSandbox else { return Self.status(isSandbox ? 21008 : 21007) }
        guard app.sharedSecret == nil || body["password"] as? String == app.sharedSecret else {
            return Self.status(21004)
        }
        let bought = self.purchases.filter { purchase in
            purchase.bundleID == app.bundleID && purchase.isSandbox == isSandbox
                && (receipt.contains(purchase.transactionID)
                    || receipt.contains(purchase.originalTransactionID))
        }
        if app.answersInOldStyle == true { return Self.oldAnswer(bought, now) }
        let isBrief = (body["exclude-old-transactions"] as? Bool) == true
        let answer: [String: Any] = [
            "status": 0, "environment": isSandbox ? "Sandbox" : "Production",
            "receipt": [
                "receipt_type": isSandbox ? "ProductionSandbox" : "Production", "bundle_id": app.bundleID,
                "in_app": bought.map(Self.line),
            ] as [String: Any],
            "latest_receipt_info": (isBrief ? Self.newest(of: bought) : bought).map(Self.line),
            "pending_renewal_info": Self.newest(of: bought).filter { $0.expiresAt != nil }
                .map { Self.renewal(of: $0, now) },
        ]
        return Self.json(200, answer)
    }

    /// The last period of each subscription, and all purchases that do not expire.
    private static func newest(of purchases: [SimulatedPurchase]) -> [SimulatedPurchase] {
        purchases.filter { purchase in
            guard let end = purchase.expiresAt else { return true }
            return !purchases.contains {
                $0.originalTransactionID == purchase.originalTransactionID && ($0.expiresAt ?? end) > end
            }
        }
    }

    /// The entry of a subscription in `pending_renewal_info`.
    private static func renewal(of purchase: SimulatedPurchase, _ now: Int64) -> [String: String] {
        var line = [
            "original_transaction_id": purchase.originalTransactionID, "product_id": purchase.productID,
            "auto_renew_product_id": purchase.productID,
            "auto_renew_status": (purchase.expiresAt ?? 0) > now ? "1" : "0",
        ]
        if let grace = purchase.graceEndsAt {
            line["is_in_billing_retry_period"] = "1"
            line["grace_period_expires_date_ms"] = String(grace)
        }
        return line
    }

    /// The old form of the response, as for a receipt of iOS 6. It has one purchase, an object where the new
    /// form has lists, no environment, and the status 21006 for an expired subscription.
    private static func oldAnswer(_ bought: [SimulatedPurchase], _ now: Int64) -> AppleReply {
        guard let purchase = bought.max(by: { $0.purchasedAt < $1.purchasedAt }) else {
            return Self.status(21003)
        }
        var line = Self.line(purchase)
        line["bid"] = purchase.bundleID
        // In the old form, `expires_date` itself holds the milliseconds.
        line["expires_date"] = line.removeValue(forKey: "expires_date_ms")
        var answer: [String: Any] = ["status": 0, "receipt": line]
        if let expiresAt = purchase.expiresAt {
            let isOver = expiresAt <= now
            answer["status"] = isOver ? 21006 : 0
            answer[isOver ? "latest_expired_receipt_info" : "latest_receipt_info"] = line
            answer["auto_renew_status"] = isOver ? 0 : 1
        }
        return Self.json(200, answer)
    }

    /// A purchase as verifyReceipt reports it: every value is a string.
    private static func line(_ purchase: SimulatedPurchase) -> [String: String] {
        var line = [
            "quantity": "1", "product_id": purchase.productID, "transaction_id": purchase.transactionID,
            "original_transaction_id": purchase.originalTransactionID,
            "purchase_date_ms": String(purchase.purchasedAt), "is_trial_period": "false",
        ]
        if let expiresAt = purchase.expiresAt { line["expires_date_ms"] = String(expiresAt) }
        if let revokedAt = purchase.revokedAt {
            line["cancellation_date_ms"] = String(revokedAt)
            line["cancellation_reason"] = "0"
        }
        if purchase.isUpgraded == true { line["is_upgraded"] = "true" }
        return line
    }

    /// The readable text of a receipt. In a receipt of iOS 6 this includes the decoded text of base64 strings
    /// inside it.
    private static func text(in bytes: [UInt8]) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        guard bytes.first == UInt8(ascii: "{") else { return text }
        for word in text.split(separator: "\"") where word.utf8.count > 40 {
            if let inner = StrictBase64.decode(Array(word.utf8)) {
                text += String(decoding: inner, as: UTF8.self)
            }
        }
        return text
    }

    /// A response of verifyReceipt that consists of a status only.
    private static func status(_ status: Int) -> AppleReply { Self.json(200, ["status": status]) }

    // MARK: The App Store Server API

    private mutating func serverAPI(_ target: String, _ request: Request, isSandbox: Bool, now: Int64)
        -> AppleReply
    {
        guard request.method == "GET" else { return AppleReply(405, "Method Not Allowed") }
        guard let app = self.caller(request, now) else {
            return AppleReply(401, "Unauthenticated\n\nRequest ID: SIMULATED.0.0")
        }
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts[0].split(separator: "/").map(String.init)
        guard path.count == 4, let id = path.last else { return AppleReply(404, "Not Found") }
        guard id.count <= 20, id.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return Self.error(400, 4_000_006)
        }
        let bought = self.purchases.filter { $0.bundleID == app.bundleID && $0.isSandbox == isSandbox }
        guard
            let place = bought.firstIndex(where: { $0.transactionID == id || $0.originalTransactionID == id })
        else { return Self.error(404, 4_040_010) }
        guard !self.isTooFresh(bought[place]) else { return Self.error(404, 4_040_010) }
        let own = bought.filter { $0.originalTransactionID == bought[place].originalTransactionID }
        switch path[1...2].joined(separator: "/") {
        case "v1/transactions": return self.transaction(own.first { $0.transactionID == id } ?? bought[place])
        case "v1/subscriptions":
            return self.subscriptions(own.filter { $0.expiresAt != nil }, isSandbox, now: now)
        case "v2/history": return self.history(bought, Self.fields(parts.count == 2 ? parts[1] : ""))
        default: return AppleReply(404, "Not Found")
        }
    }

    /// Whether the purchase must still be treated as unknown. Each call uses up one of its `lag`.
    private mutating func isTooFresh(_ purchase: SimulatedPurchase) -> Bool {
        guard let place = self.purchases.firstIndex(of: purchase), let lag = purchase.lag, lag > 0 else {
            return false
        }
        self.purchases[place].lag = lag - 1
        return true
    }

    /// The app that a request is authorized for; nil if Apple would not accept the token.
    private func caller(_ request: Request, _ now: Int64) -> SimulatedApp? {
        guard let token = request.authorization.flatMap({ BearerToken(authorization: $0) }),
            let key = self.keys[token.keyID], key.app.issuerID == token.issuer,
            key.verifier.accepts(token.signature, of: token.signedBytes),
            let claims = Self.claims(request.authorization)
        else { return nil }
        let second = now / 1_000
        guard claims.aud == "appstoreconnect-v1", claims.bid == key.app.bundleID, token.issuedAt <= second,
            claims.exp > second, claims.exp - token.issuedAt <= 3_600
        else { return nil }
        return key.app
    }

    private static func claims(_ authorization: String?) -> Claims? {
        let parts = (authorization ?? "").split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = String(parts[1].map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text).flatMap { try? JSONDecoder().decode(Claims.self, from: $0) }
    }

    private func transaction(_ purchase: SimulatedPurchase) -> AppleReply {
        guard let signed = self.signed(purchase) else { return Self.error(500, 5_000_001) }
        return Self.json(200, ["signedTransactionInfo": signed])
    }

    /// The fields of a query. Percent-encoding is not decoded.
    private static func fields(_ query: String) -> [String: String] {
        let pairs = query.split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1).map(String.init)
        }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { _, last in last }
    }

    /// The transaction history, in pages. A revision is valid only for the sort order in which it was issued.
    private func history(_ purchases: [SimulatedPurchase], _ query: [String: String]) -> AppleReply {
        let order = query["sort"] ?? "ASCENDING"
        guard ["ASCENDING", "DESCENDING"].contains(order) else { return Self.error(400, 4_000_019) }
        let mark = order.prefix(1)
        var start = 0
        if let revision = query["revision"] {
            guard revision.hasPrefix(mark), let number = Int(revision.dropFirst()), number >= 0 else {
                return Self.error(400, 4_000_005)
            }
            start = number
        }
        let oldestFirst = purchases.sorted { $0.purchasedAt < $1.purchasedAt }
        let ordered = order == "DESCENDING" ? oldestFirst.reversed() : oldestFirst
        let page = ordered.dropFirst(start).prefix(Self.pageSize)
        let end = start + page.count
        let answer: [String: Any] = [
            "revision": "\(mark)\(end)", "hasMore": end < purchases.count,
            "signedTransactions": page.compactMap { self.signed($0) },
        ]
        return Self.json(200, answer)
    }

    /// The status of the subscription with the latest end, in Apple's numbers: 1 active, 2 expired, 4 in the
    /// grace period, 5 revoked.
    private func subscriptions(_ periods: [SimulatedPurchase], _ isSandbox: Bool, now: Int64)
        -> AppleReply
    {
        guard let last = periods.max(by: { ($0.expiresAt ?? 0) < ($1.expiresAt ?? 0) }),
            let signed = self.signed(last)
        else { return Self.json(200, ["data": [String]()]) }
        let status =
            last.revokedAt != nil
            ? 5 : (last.expiresAt ?? 0) > now ? 1 : (last.graceEndsAt ?? 0) > now ? 4 : 2
        var item: [String: Any] = [
            "status": status, "originalTransactionId": last.originalTransactionID,
            "signedTransactionInfo": signed,
        ]
        let renewal = Renewal(
            originalTransactionId: last.originalTransactionID,
            productId: last.productID,
            autoRenewStatus: status == 1 ? 1 : 0,
            isInBillingRetryPeriod: last.graceEndsAt == nil ? nil : true,
            gracePeriodExpiresDate: last.graceEndsAt,
            environment: isSandbox ? "Sandbox" : "Production",
            signedDate: now
        )
        if let text = self.writer?.signed(renewal) { item["signedRenewalInfo"] = text }
        let group: [String: Any] = ["subscriptionGroupIdentifier": "20000001", "lastTransactions": [item]]
        return Self.json(
            200,
            ["environment": isSandbox ? "Sandbox" : "Production", "bundleId": last.bundleID, "data": [group]]
        )
    }

    /// The payload of `signedRenewalInfo`, with Apple's names.
    private struct Renewal: Encodable {
        var originalTransactionId: String
        var productId: String
        var autoRenewStatus: Int
        var isInBillingRetryPeriod: Bool?
        var gracePeriodExpiresDate: Int64?
        var environment: String
        var signedDate: Int64
    }

    private func signed(_ purchase: SimulatedPurchase) -> String? {
        self.writer?.signed(SimulatedTransaction(of: purchase))
    }

    /// An error of the App Store Server API, with Apple's error code.
    private static func error(_ status: Int, _ code: Int) -> AppleReply {
        Self.json(status, ["errorCode": code, "errorMessage": "Simulated."])
    }

    private static func json(_ status: Int, _ object: [String: Any]) -> AppleReply {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data("{}".utf8)
        return AppleReply(status, String(decoding: bytes, as: UTF8.self))
    }
}
