import Foundation
import Testing

@testable import UpstreamSimulator

/// The simulated store's answers to each request, decided as Apple's answers are known. The token is of the vectors.
@Suite struct StoreSimulatorTests {
    private static let token = [
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IkRDVEVTVEtFWTEiLCJ0eXAiOiJKV1QifQ",
        "eyJpc3MiOiI1NzI0NjU0Mi05NmZlLTFhNjMtZTA1My0wODI0ZDAxMTA3MmEiLCJpYXQiOjE3MDAwMDAwMDAsImV4cCI6MTcwMDAw"
            + "MDMwMCwiYXVkIjoiYXBwc3RvcmVjb25uZWN0LXYxIiwiYmlkIjoiY29tLmV4YW1wbGUuYXBwIn0",
        "OjEXoGFZThszUoRQZRJU7awVQKz1wgO9rFaZXhF9G81ZmSN5mD1_9dNJvcVeIlyHmQHKKSemBkHr9Kh1FmYqMg",
    ].joined(separator: ".")
    /// A minute after the token was issued.
    private static let now: Int64 = 1_700_000_060_000
    private static let bundleID = "com.example.app"
    private static let app = SimulatedApp(
        bundleID: Self.bundleID,
        sharedSecret: "s3cret",
        issuerID: "57246542-96fe-1a63-e053-0824d011072a",
        keyID: "DCTESTKEY1",
        publicKeyPEM: DeviceCheckSimulatorTests.publicKey
    )

    private static func purchase(_ id: String, isSandbox: Bool = false, expiresAt: Int64? = nil)
        -> SimulatedPurchase
    {
        SimulatedPurchase(
            transactionID: id,
            bundleID: Self.bundleID,
            productID: "pro",
            isSandbox: isSandbox,
            purchasedAt: Self.now - 1_000,
            expiresAt: expiresAt
        )
    }

    private static func store(_ purchases: [SimulatedPurchase]) -> StoreState {
        var store = StoreState()
        store.set([Self.app])
        store.set(purchases)
        return store
    }

    private static func object(_ reply: AppleReply) -> [String: Any] {
        let object = try? JSONSerialization.jsonObject(with: Data(reply.text.utf8))
        return object as? [String: Any] ?? [:]
    }

    // MARK: verifyReceipt

    private static func ask(
        _ receipt: String,
        password: String? = "s3cret",
        target: String = "/verifyReceipt",
        method: String = "POST"
    ) -> [String: Any] {
        var members = ["receipt-data": receipt]
        members["password"] = password
        let request = StoreState.Request(
            method: method,
            target: target,
            body: (try? JSONSerialization.data(withJSONObject: members)).map(Array.init) ?? []
        )
        var store = Self.store([
            Self.purchase("1000001"), Self.purchase("1000002", isSandbox: true, expiresAt: Self.now + 1),
        ])
        return Self.object(store.answer(request, now: Self.now))
    }

    @Test func readsReceiptsOfBothEnvironments() throws {
        let production = SimulatedReceipt.text(of: Self.purchase("1000001"))
        let sandbox = SimulatedReceipt.text(of: Self.purchase("1000002", isSandbox: true))
        let answer = Self.ask(production)
        #expect(answer["status"] as? Int == 0 && answer["environment"] as? String == "Production")
        let receipt = try #require(answer["receipt"] as? [String: Any])
        #expect(receipt["bundle_id"] as? String == Self.bundleID)
        let list = try #require(receipt["in_app"] as? [[String: String]])
        #expect(list.map { $0["transaction_id"] } == ["1000001"])
        #expect(Self.ask(sandbox)["status"] as? Int == 21007)
        #expect(Self.ask(production, target: "/sandbox/verifyReceipt")["status"] as? Int == 21008)
        let other = Self.ask(sandbox, target: "/sandbox/verifyReceipt")
        #expect(other["status"] as? Int == 0)
        let renewals = try #require(other["latest_receipt_info"] as? [[String: String]])
        #expect(renewals.first?["expires_date_ms"] == String(Self.now + 1))
    }

    @Test func refusesAsAppleDoes() {
        let good = SimulatedReceipt.text(of: Self.purchase("1000001"))
        #expect(Self.ask(good, password: "other")["status"] as? Int == 21004)
        #expect(Self.ask(good, password: nil)["status"] as? Int == 21004)
        #expect(Self.ask("not base64")["status"] as? Int == 21002)
        #expect(Self.ask("bm9uZQ==")["status"] as? Int == 21003)
        #expect(Self.ask(good, method: "GET")["status"] as? Int == 21000)
    }

    // MARK: The App Store Server API

    private static func ask(
        _ target: String,
        of store: inout StoreState,
        authorization: String? = nil,
        now: Int64 = Self.now
    ) -> AppleReply {
        let request = StoreState.Request(
            method: "GET",
            target: target,
            authorization: authorization ?? "Bearer \(Self.token)",
            body: []
        )
        return store.answer(request, now: now)
    }

    @Test func takesOnlyAGoodToken() {
        var store = Self.store([Self.purchase("1000001")])
        let target = "/inApps/v1/transactions/1000001"
        #expect(Self.ask(target, of: &store).status == 200)
        #expect(Self.ask(target, of: &store, authorization: "Bearer x").status == 401)
        #expect(Self.ask(target, of: &store, authorization: "Bearer \(Self.token)A").status == 401)
        // Before it was issued, and after it expired.
        #expect(Self.ask(target, of: &store, now: 1_699_999_999_000).status == 401)
        #expect(Self.ask(target, of: &store, now: 1_700_000_300_000).status == 401)
        #expect(store.answers == ["200": 1, "401": 4])
        #expect(store.accepted == 1)
    }

    /// A no of verifyReceipt comes with a 200, and is none of the calls that Apple said yes to.
    @Test func countsAsAcceptedWhatItSaysYesTo() {
        let purchase = Self.purchase("1000001")
        var store = Self.store([purchase])
        func ask(_ target: String, _ password: String) {
            let receipt = SimulatedReceipt.text(of: purchase)
            let body = Array(#"{"receipt-data":"\#(receipt)","password":"\#(password)"}"#.utf8)
            let request = StoreState.Request(method: "POST", target: target, authorization: nil, body: body)
            _ = store.answer(request, now: Self.now)
        }
        ask("/verifyReceipt", "s3cret")
        ask("/verifyReceipt", "wrong")
        ask("/sandbox/verifyReceipt", "s3cret")
        #expect(store.accepted == 1 && store.requests == 3 && store.answers == ["200": 3])
    }

    /// An app holds the same data of a purchase as the Server API states.
    @Test func signsForAnAppWhatItSaysItself() throws {
        let purchase = Self.purchase("1000001")
        var store = Self.store([purchase])
        let answer = Self.object(Self.ask("/inApps/v1/transactions/1000001", of: &store))
        let own = try #require(answer["signedTransactionInfo"] as? String).split(separator: ".")
        let theirs = try #require(SimulatedTransaction.text(of: purchase)).split(separator: ".")
        // Each signature is another one.
        #expect(own.count == 3 && own.prefix(2) == theirs.prefix(2))
    }

    @Test func knowsItsPurchases() throws {
        var fresh = Self.purchase("1000003")
        fresh.lag = 1
        var store = Self.store([
            Self.purchase("1000001", expiresAt: Self.now + 1), Self.purchase("1000002", isSandbox: true),
            fresh,
        ])
        func code(_ target: String) -> Int? {
            Self.object(Self.ask(target, of: &store))["errorCode"] as? Int
        }
        #expect(code("/inApps/v1/transactions/1000002") == 4_040_010)
        #expect(code("/sandbox/inApps/v1/transactions/1000002") == nil)
        #expect(code("/inApps/v1/transactions/abc") == 4_000_006)
        #expect(code("/inApps/v1/transactions/1000003") == 4_040_010)
        #expect(code("/inApps/v1/transactions/1000003") == nil)
        let statuses = Self.object(Self.ask("/inApps/v1/subscriptions/1000001", of: &store))
        let data = try #require(statuses["data"] as? [[String: Any]])
        let last = try #require(data.first?["lastTransactions"] as? [[String: Any]])
        #expect(last.first?["status"] as? Int == 1 && last.first?["signedRenewalInfo"] is String)
        #expect(Self.ask("/inApps/v3/what/1000001", of: &store).status == 404)
    }

    @Test func pagesItsHistory() throws {
        var store = Self.store((0..<45).map { Self.purchase(String(1_000_000 + $0)) })
        var revision = ""
        var counts: [Int] = []
        repeat {
            let query = "?sort=DESCENDING" + (revision.isEmpty ? "" : "&revision=\(revision)")
            let page = Self.object(Self.ask("/inApps/v2/history/1000001\(query)", of: &store))
            counts.append((page["signedTransactions"] as? [String])?.count ?? 0)
            revision = page["hasMore"] as? Bool == true ? try #require(page["revision"] as? String) : ""
        } while !revision.isEmpty && counts.count < 9
        #expect(counts == [20, 20, 5])
    }

    /// The newest first if that is asked for, on every page; a revision is of one order.
    @Test func sortsItsHistory() throws {
        var purchases = (0..<21).map { Self.purchase(String(1_000_000 + $0)) }
        for place in purchases.indices { purchases[place].purchasedAt += Int64(place) }
        var store = Self.store(purchases)
        func ids(_ query: String) throws -> [String] {
            let page = Self.object(Self.ask("/inApps/v2/history/1000001?\(query)", of: &store))
            return try #require(page["signedTransactions"] as? [String]).map { text in
                let part = String(text.split(separator: ".")[1])
                let payload = part.replacing("-", with: "+").replacing("_", with: "/")
                let padding = String(repeating: "=", count: (4 - payload.count % 4) % 4)
                let bytes = try #require(Data(base64Encoded: payload + padding))
                let object = try JSONSerialization.jsonObject(with: bytes)
                return (object as? [String: Any])?["transactionId"] as? String ?? ""
            }
        }
        #expect(try ids("sort=DESCENDING").first == "1000020")
        #expect(try ids("revision=D20&sort=DESCENDING") == ["1000000"])
        #expect(try ids("sort=ASCENDING").first == "1000000")
        #expect(try ids("").first == "1000000")
        let mixed = Self.object(Self.ask("/inApps/v2/history/1000001?revision=D20", of: &store))
        #expect(mixed["errorCode"] as? Int == 4_000_005)
    }

    // MARK: answers of other shapes

    private static func said(
        of purchases: [SimulatedPurchase],
        _ more: [String: Any] = [:],
        isOldStyle: Bool = false
    ) throws -> [String: Any] {
        var store = Self.store(purchases)
        if isOldStyle {
            var app = Self.app
            app.answersInOldStyle = true
            store.set([app])
        }
        let receipt = SimulatedReceipt.text(of: try #require(purchases.first))
        let members: [String: Any] = ["receipt-data": receipt, "password": "s3cret"]
        let body = try JSONSerialization.data(withJSONObject: members.merging(more) { $1 })
        return Self.object(
            store.answer(.init(method: "POST", target: "/verifyReceipt", body: Array(body)), now: Self.now)
        )
    }

    private static func periods() -> [SimulatedPurchase] {
        (0..<3).map { number in
            SimulatedPurchase(
                transactionID: String(1_000_001 + number),
                originalTransactionID: "1000001",
                bundleID: Self.bundleID,
                productID: "pro",
                purchasedAt: Self.now - 1_000 + Int64(number),
                expiresAt: Self.now - 10 + Int64(number)
            )
        }
    }

    @Test func leavesOldRenewalsOutIfAsked() throws {
        let all = try Self.said(of: Self.periods())
        #expect((all["latest_receipt_info"] as? [Any])?.count == 3)
        let brief = try Self.said(of: Self.periods(), ["exclude-old-transactions": true])
        let list = try #require(brief["latest_receipt_info"] as? [[String: String]])
        #expect(list.map { $0["transaction_id"] } == ["1000003"])
        #expect(((brief["receipt"] as? [String: Any])?["in_app"] as? [Any])?.count == 3)
    }

    @Test func tellsOfGrace() throws {
        var periods = Self.periods()
        periods[2].graceEndsAt = Self.now + 5
        let answer = try Self.said(of: periods)
        let renewals = try #require(answer["pending_renewal_info"] as? [[String: String]])
        #expect(renewals.count == 1)
        #expect(renewals.first?["grace_period_expires_date_ms"] == String(Self.now + 5))
        #expect(renewals.first?["auto_renew_status"] == "0")
        var store = Self.store(periods)
        let statuses = Self.object(Self.ask("/inApps/v1/subscriptions/1000001", of: &store))
        let data = try #require(statuses["data"] as? [[String: Any]])
        let last = try #require(data.first?["lastTransactions"] as? [[String: Any]])
        #expect(last.first?["status"] as? Int == 4)
    }

    @Test func speaksAsItDidOfOldReceipts() throws {
        var periods = Self.periods()
        let over = try Self.said(of: periods, isOldStyle: true)
        #expect(over["status"] as? Int == 21006 && over["environment"] == nil)
        let info = try #require(over["latest_expired_receipt_info"] as? [String: String])
        #expect(info["bid"] == Self.bundleID && info["expires_date"] == String(Self.now - 8))
        periods[2].expiresAt = Self.now + 1
        let running = try Self.said(of: periods, isOldStyle: true)
        #expect(running["status"] as? Int == 0 && running["latest_receipt_info"] is [String: String])
        #expect(((running["receipt"] as? [String: String])?["transaction_id"]) == "1000003")
    }
}
