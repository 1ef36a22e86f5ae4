import Cryptography
import Foundation
import Records
import TestMaterial
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// The route through the App Store Server API, from the record to the verdict.
@Suite struct ServerAPITests {
    private static let id = "2000000123456789"
    private static let lane = "com.example.app/app_store_server_api"
    private static let notFound = #"{"errorCode":4040010}"#

    private static func transaction(_ name: String) throws -> String {
        #"{"signedTransactionInfo":"\#(try JWSVector.named(name).jws)"}"#
    }

    private static func page(_ names: [String], next: String? = nil) throws -> String {
        let texts = try names.map { "\"\(try JWSVector.named($0).jws)\"" }.joined(separator: ",")
        let more = next.map { #","revision":"\#($0)","hasMore":true"# } ?? #","hasMore":false"#
        return #"{"signedTransactions":[\#(texts)]\#(more)}"#
    }

    private static func statuses(_ name: String) throws -> String {
        #"{"data":[{"lastTransactions":[{"status":1,"signedTransactionInfo":"\#(try JWSVector.named(name).jws)"}]}]}"#
    }

    private static func record(_ more: [String: String] = [:]) -> InboundRecord {
        Case.record(["transactionId": Self.id].merging(more) { $1 })
    }

    // MARK: plan

    @Test func asksAboutTheTransaction() throws {
        let call = try Case(.serverAPI).call(Self.record())
        #expect(call.request.method == .get && call.request.body == nil)
        #expect(call.request.url == "https://api.storekit.apple.com/inApps/v1/transactions/\(Self.id)")
        #expect(call.lane == "\(Self.lane)/production")
        // The token is good for minutes.
        #expect(call.isPerishable)
        let token = call.request.headers.first { $0.name == "Authorization" }?.value
        #expect(token?.hasPrefix("Bearer eyJ") == true)
    }

    @Test func startsWhereThePurchaseIsLikelyToBe() throws {
        let sandbox = "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/\(Self.id)"
        #expect(try Case(.serverAPI).call(Self.record(["environment": "sandbox"])).request.url == sandbox)
        // The receipt says so itself, and holds the id.
        #expect(try Case(.serverAPI).call(try Case.appReceipt()).request.url == sandbox)
        let hosts = try Case(.serverAPI) { $0.appStoreHosts[.sandbox] = try? BaseURL("https://old.example/") }
        #expect(
            try hosts.call(try Case.appReceipt()).request.url.hasPrefix("https://old.example/inApps/v1/")
        )
    }

    @Test func verifiesByTheSignatureWhatHasBoughtNothing() throws {
        let record = try Case.appReceipt("no_in_app")
        #expect(Case.text(try Case(.serverAPI).plan(record)) == "answer valid flagged")
        #expect(
            Case.text(try Case(.serverAPI, anchored: false).plan(record))
                == "refuse configuration.no_anchor unavailable"
        )
        #expect(
            Case.text(try Case(.serverAPI).plan(try Case.appReceipt("content_tampered"))).hasPrefix("refuse ")
        )
    }

    // MARK: interpret

    private static func action(_ verdict: Case.Verdict, after host: StoreHost) -> String {
        switch verdict {
        case .answer: "ACCEPT"
        case .call: host == .production ? "TRY_SANDBOX" : "TRY_PRODUCTION"
        case .retry(let retry): retry.blame == .record ? "RETRY_LIMITED" : "RETRY"
        case .refuse: "REJECT"
        case .hold: "CONFIG"
        case .giveUp, .refuseInDoubt, .reject: "-"
        }
    }

    /// All but the one whose transaction is three dots.
    @Test(arguments: StoreDecisionVector.serverAPI.filter { $0.name != "ok" })
    func decidesAsTheVectorsDo(row: StoreDecisionVector) throws {
        let testCase = try Case(.serverAPI)
        var job = try testCase.call(Self.record()).job
        if row.env == "sandbox" { job = job.elsewhere(isRefused: (row.http_status == 401)) }
        // A new token is tried once before that.
        if (row.http_status == 401), row.env == "sandbox" { job = job.renewed() }
        let status = try #require(row.http_status)
        let verdict = testCase.verdict(status, row.body ?? "", row.headers ?? [:], to: job)
        #expect(Self.action(verdict, after: job.host) == row.action, "\(Case.text(verdict))")
    }

    @Test func asksForTheSubscriptionToo() throws {
        let testCase = try Case(.serverAPI)
        let first = try testCase.call(Self.record(["environment": "sandbox"]))
        let second = try testCase.next(try Self.transaction("valid"), to: first.job)
        #expect(
            second.request.url
                == "https://api.storekit-sandbox.apple.com/inApps/v1/subscriptions/\(Self.id)"
        )
        let verdict = testCase.verdict(200, try Self.statuses("valid"), to: second.job, number: 2)
        #expect(Case.text(verdict) == "answer valid flagged")
        guard case .answer(let answer) = verdict else { return }
        #expect(answer.source == .serverAPI && answer.form == nil && answer.environment == .sandbox)
        #expect(answer.purchases.map(\.transaction.transactionID) == [Self.id])
        #expect(answer.leftOut == 0)
        let late = testCase.verdict(200, try Self.statuses("valid"), to: second.job, now: 1_720_000_000_000)
        #expect(Case.text(late) == "answer expired transaction.expired flagged")
        // Without it, one call has to do.
        let brief = try Case(.serverAPI) { $0.apps[0].asksForSubscriptions = false }
        #expect(
            Case.text(brief.verdict(200, try Self.transaction("valid"), to: first.job))
                == "answer valid flagged"
        )
    }

    @Test func aPurchaseOfAnotherKindHasNoSubscription() throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Self.record(["environment": "sandbox"])).job
        let verdict = testCase.verdict(200, try Self.transaction("consumable"), to: job)
        #expect(Case.text(verdict) == "answer valid flagged")
        let production = try testCase.call(Self.record()).job
        let own = testCase.verdict(200, try Self.transaction("wrong_environment"), to: production)
        #expect(Case.text(own) == "call \(Self.lane)/production")
    }

    @Test func readsTheHistoryUpToABound() throws {
        let testCase = try Case(.serverAPI) {
            $0.apps[0].asksForSubscriptions = false
            $0.apps[0].historyPages = 2
        }
        let first = try testCase.call(Self.record(["environment": "sandbox"]))
        let second = try testCase.next(try Self.transaction("valid"), to: first.job)
        #expect(second.request.url.hasSuffix("/inApps/v2/history/\(Self.id)?sort=DESCENDING"))
        let third = try testCase.next(try Self.page(["consumable"], next: "r 1"), to: second.job)
        #expect(third.request.url.hasSuffix("/inApps/v2/history/\(Self.id)?sort=DESCENDING&revision=r%201"))
        let bounded = testCase.verdict(200, try Self.page(["valid"], next: "r 2"), to: third.job)
        guard case .answer(let answer) = bounded else {
            Issue.record("\(Case.text(bounded))")
            return
        }
        #expect(answer.leftOut == 1)
        guard case .answer(let whole) = testCase.verdict(200, try Self.page([]), to: third.job) else {
            Issue.record("no answer")
            return
        }
        #expect(whole.leftOut == 0)
    }

    /// A purchase that was found stays found.
    @Test(arguments: [#"{"errorCode":4040005}"#, #"{"errorCode":4040001}"#])
    func answersWithWhatIsKnownWhenMoreIsNot(body: String) throws {
        let testCase = try Case(.serverAPI)
        let first = try testCase.call(Self.record(["environment": "sandbox"]))
        let second = try testCase.next(try Self.transaction("valid"), to: first.job)
        let verdict = testCase.verdict(404, body, to: second.job)
        #expect(Case.text(verdict) == "answer valid flagged")
        if case .answer(let answer) = verdict { #expect(answer.leftOut == 1) }
        guard case .call(let renewed) = testCase.verdict(401, "", [:], to: second.job) else {
            Issue.record("no call")
            return
        }
        #expect(renewed.isSecondTry && renewed.request.url == second.request.url)
        #expect(
            Case.text(testCase.verdict(401, "", [:], to: renewed.job)) == "hold appstore.unauthorized lane"
        )
    }

    /// Nothing that Apple's certificates do not vouch for is believed, wherever it comes from.
    @Test(arguments: [
        "attacker_full_chain", "leaf_without_oid", "payload_tampered", "alg_none_empty_signature",
        "chain_length_2", "wrong_environment",
    ])
    func believesOnlyWhatAppleSigned(name: String) throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Self.record(["environment": "sandbox"])).job
        let verdict = testCase.verdict(200, try Self.transaction(name), to: job)
        #expect(Case.text(verdict).hasPrefix("retry jws.") && Case.text(verdict).hasSuffix(" record"))
        let last = testCase.verdict(200, try Self.transaction(name), to: job, number: 4)
        #expect(Case.text(last).hasSuffix(" exhausted configuration"))
    }

    @Test func aTransactionOfAnotherAppIsNotOurs() throws {
        let testCase = try Case(.serverAPI, bundleID: "com.example.other")
        let record = Self.record(["bundleId": "com.example.other", "environment": "sandbox"])
        let job = try testCase.call(record).job
        let verdict = testCase.verdict(200, try Self.transaction("valid"), to: job)
        #expect(Case.text(verdict) == "refuse jws.bundle_id not_ours")
    }

    /// Fresh purchases take minutes to be known; then it is a no, and never a yes.
    @Test func waitsForAFreshPurchase() throws {
        let testCase = try Case(.serverAPI)
        let first = try testCase.call(Self.record())
        let second = try testCase.next(Self.notFound, to: first.job, status: 404)
        #expect(second.lane == "\(Self.lane)/sandbox")
        var waits: [String] = []
        for round in 1...7 {
            waits.append(Case.text(testCase.verdict(404, Self.notFound, to: second.job, failures: round - 1)))
        }
        let code = "appstore.transaction_not_found"
        #expect(
            waits == [15, 30, 60, 120, 240, 480].map { "retry \(code) record after \($0)" } + [
                "refuse \(code) invalid"
            ]
        )
    }

    @Test func staysWithinApplesLimits() throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Self.record()).job
        let headers = ["content-type": "application/json", "retry-after": "\(Case.now + 90_000)"]
        let limit = #"{"errorCode":4290000}"#
        #expect(
            Case.text(testCase.verdict(429, limit, headers, to: job))
                == "retry appstore.rate_limit upstream after 90 gate"
        )
        #expect(
            Case.text(testCase.verdict(429, limit, headers, to: job.elsewhere()))
                == "retry appstore.rate_limit upstream after 90 gate"
        )
        #expect(
            Case.text(testCase.verdict(429, limit, to: job)) == "retry appstore.rate_limit upstream after 600"
        )
    }

    /// The time that Apple names is kept, however far it is; what anybody may have written is looked at again sooner.
    @Test func keepsTheTimeThatAppleNames() throws {
        let testCase = try Case(.serverAPI)
        let job = try testCase.call(Self.record()).job
        func text(_ header: String) -> String {
            let headers = ["content-type": "application/json", "retry-after": header]
            return Case.text(testCase.verdict(429, #"{"errorCode":4290000}"#, headers, to: job))
        }
        #expect(text("\(Case.now + 3_600_000)") == "retry appstore.rate_limit upstream after 3600 gate")
        #expect(text("3600") == "retry appstore.rate_limit upstream after 300 gate")
    }

    /// Limits are of an app, and outages of a host.
    @Test func callsTheEndpointOfTheAppAndItsEnvironment() throws {
        let testCase = try Case(.serverAPI) {
            var other = $0.apps[0]
            (other.bundleID, other.callsPerSecond) = ("com.example.other", 20)
            $0.apps += [other, ReceiptSettings.App(bundleID: "com.example.local", route: .local)]
        }
        let endpoints = testCase.handler.endpoints
        #expect(
            endpoints.map(\.name) == [
                "verifyreceipt/production", "verifyreceipt/sandbox", "\(Self.lane)/production",
                "\(Self.lane)/sandbox", "com.example.other/app_store_server_api/production",
                "com.example.other/app_store_server_api/sandbox",
            ]
        )
        #expect(endpoints.map(\.rate?.rate) == [nil, nil, 50, 5, 20, 2])
        func endpoint(_ record: InboundRecord, of testCase: Case) throws -> String {
            endpoints[try testCase.call(record).endpoint].name
        }
        #expect(try endpoint(Self.record(), of: testCase) == "\(Self.lane)/production")
        let other = ["bundleId": "com.example.other", "environment": "sandbox"]
        #expect(
            try endpoint(Self.record(other), of: testCase) == "com.example.other/app_store_server_api/sandbox"
        )
        let classic = try Case()
        let first = try classic.call(try Case.appReceipt())
        #expect(classic.handler.endpoints[first.endpoint].name == "verifyreceipt/production")
        let second = try classic.next(#"{"status":21007}"#, to: first.job)
        #expect(classic.handler.endpoints[second.endpoint].name == "verifyreceipt/sandbox")
    }

    @Test func theClaimIsHeldAgainstTheTransaction() throws {
        let testCase = try Case(.serverAPI) { $0.apps[0].asksForSubscriptions = false }
        let job = try testCase.call(Self.record(["environment": "sandbox", "productId": "gold"])).job
        let verdict = testCase.verdict(200, try Self.transaction("valid"), to: job)
        #expect(Case.text(verdict) == "refuse product.not_in_receipt invalid product.not_in_receipt flagged")
    }

    /// A held lane may keep a call for longer than its token lives.
    @Test func renewsATokenThatHasWaited() throws {
        let testCase = try Case(.serverAPI)
        let first = try testCase.call(Self.record())
        let second = try testCase.next("", to: first.job, status: 401)
        #expect(first.isPerishable && !second.isPerishable && !second.isSecondTry)
        let late = Case.now + 240_001
        guard case .call(let third) = testCase.verdict(401, "", [:], to: second.job, number: 2, now: late)
        else {
            Issue.record("no call")
            return
        }
        #expect(third.lane == second.lane && third.isSecondTry)
        #expect(third.request.url == second.request.url && third.request.headers != second.request.headers)
        let again = testCase.verdict(401, "", [:], to: third.job, number: 3, now: late)
        #expect(Case.text(again) == "hold appstore.unauthorized lane")
    }

    // MARK: no call at all

    @Test func verifiesLocally() throws {
        let testCase = try Case(.local)
        let receipt = try Case.appReceipt()
        #expect(Case.text(testCase.plan(receipt, now: Case.then)) == "answer valid flagged")
        #expect(Case.text(testCase.plan(receipt)) == "answer expired transaction.expired flagged")
        let signed = Case.record(["receiptData": try JWSVector.named("valid").jws])
        #expect(Case.text(testCase.plan(signed)) == "answer valid flagged")
        let forged = Case.record(["receiptData": try JWSVector.named("attacker_full_chain").jws])
        #expect(Case.text(testCase.plan(forged)) == "refuse jws.untrusted invalid")
        guard case .answer(let answer) = testCase.plan(receipt, now: Case.then) else { return }
        #expect(answer.source == .local && answer.form == .app && answer.purchases.count == 1)
        // A receipt of iOS 6 needs certificates of its own.
        let old = try TransactionReceiptVector.named("valid_production")
        let record = Case.record(["receiptData": old.receipt_b64])
        #expect(Case.text(testCase.plan(record)) == "refuse configuration.no_anchor unavailable")
        let signer = try #require(old.signing_cert_der_b64)
        let anchors = try TrustAnchors(base64: signer)
        let able = try Case(.local) { $0.anchors.transactionReceipts = anchors }
        // Its signature is too weak to grant anything by; a bad one is a no all the same.
        #expect(Case.text(able.plan(record)) == "refuse receipt.weak_signature unavailable")
        let tampered = Case.record(["receiptData": try TransactionReceiptVector.named("tampered").receipt_b64]
        )
        #expect(Case.text(able.plan(tampered)) == "refuse receipt.signature invalid")
    }

    @Test func keepsTheAppsPolicy() throws {
        let testCase = try Case(.local) { $0.apps[0].policy.outsideProduction = .reject }
        let expected = "refuse environment.not_production invalid environment.not_production"
        #expect(Case.text(testCase.plan(try Case.appReceipt(), now: Case.then)) == expected)
    }
}
