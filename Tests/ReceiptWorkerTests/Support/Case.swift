import Cryptography
import Foundation
import Operations
import Records
import TestMaterial
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import ReceiptWorker

/// A handler with one app, its memory, and what a test says to it.
///
/// By default it is a trial, as a command makes one by hand: each plan begins with an empty memory, and a verdict
/// leaves no trace in it. A case of a worker keeps the memory, as an engine does.
final class Case {
    typealias Plan = WorkerKit.Plan<ReceiptJob, ReceiptAnswer>
    typealias Verdict = WorkerKit.Verdict<ReceiptJob, ReceiptAnswer>

    static let app = "com.example.app"
    /// While the signed transaction of the vectors runs.
    static let now: Int64 = 1_718_000_000_000
    /// While the subscription in the receipt of the vectors runs.
    static let then: Int64 = 1_686_000_000_000
    static let key = TestKey.usual.privatePEM

    static let otherKey = TestKey.other.privatePEM

    let handler: ReceiptHandler
    private var memory: ReceiptMemory
    private let isTrial: Bool

    init(
        _ route: ReceiptSettings.Route = .verifyReceipt,
        isTrial: Bool = true,
        anchored: Bool = true,
        bundleID: String = Case.app,
        _ change: (inout ReceiptSettings) -> Void = { _ in }
    ) throws {
        let key = ReceiptSettings.Key(
            issuerID: "57246542-96fe-1a63-e053-0824d011072a",
            keyID: "DCTESTKEY1",
            signer: try ES256Signer(pem: Array(Self.key.utf8))
        )
        let app = ReceiptSettings.App(
            bundleID: bundleID,
            route: route,
            sharedSecret: Secret("s3cret"),
            key: key
        )
        var settings = ReceiptSettings(apps: [app])
        if anchored {
            settings.anchors.appReceipts = try TrustAnchors(base64: try ReceiptVector.root)
            settings.anchors.signedData = try TrustAnchors(base64: try JWSVector.root)
        }
        change(&settings)
        self.handler = ReceiptHandler(settings)
        self.memory = self.handler.emptyMemory
        self.isTrial = isTrial
    }

    static func record(_ members: [String: String]) -> InboundRecord {
        let members = ["bundleId": Self.app, "requestId": "r-1"].merging(members) { $1 }
        return InboundRecord(
            topic: "receipt",
            partition: 3,
            offset: 42,
            timestamp: Self.now,
            key: Array("k".utf8),
            value: (try? JSONSerialization.data(withJSONObject: members)).map(Array.init) ?? []
        )
    }

    /// A record with an app receipt that names the app, signed well.
    static func appReceipt(_ name: String = "subscription", _ more: [String: String] = [:]) throws
        -> InboundRecord
    {
        let receipt = try ReceiptVector.named(name).receipt_b64
        return Self.record(["receiptData": receipt].merging(more) { $1 })
    }

    func plan(
        _ record: InboundRecord,
        number: Int = 1,
        now: Int64 = Case.now,
        proven: Int64? = nil
    ) -> Plan {
        if self.isTrial { self.memory = self.handler.emptyMemory }
        let attempt = Attempt(number: number, now: now, proven: proven, isTrial: self.isTrial)
        return self.handler.plan(record, attempt, with: &self.memory)
    }

    /// The call that is planned for a record.
    func call(_ record: InboundRecord, number: Int = 1) throws -> Call<ReceiptJob> {
        struct NotACall: Error { var plan: Plan }
        let plan = self.plan(record, number: number)
        guard case .call(let call) = plan else { throw NotACall(plan: plan) }
        return call
    }

    func verdict(
        _ status: Int,
        _ body: String = "",
        _ headers: [String: String] = ["content-type": "application/json"],
        to job: ReceiptJob,
        number: Int = 1,
        failures: Int? = nil,
        now: Int64 = Case.now
    ) -> Verdict {
        let fields = headers.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
        let response = HTTPResponse(status: status, headers: fields, body: Array(body.utf8))
        let attempt = Attempt(number: number, failures: failures, now: now, isTrial: self.isTrial)
        return self.verdict(on: .response(response), to: job, attempt)
    }

    func verdict(on exchange: Exchange, to job: ReceiptJob, _ attempt: Attempt) -> Verdict {
        var memory = self.memory
        defer { if !self.isTrial { self.memory = memory } }
        return self.handler.interpret(exchange, of: job, attempt, with: &memory)
    }

    /// The call that an answer leads to.
    func next(_ body: String, to job: ReceiptJob, status: Int = 200, number: Int = 1) throws
        -> Call<ReceiptJob>
    {
        struct NotACall: Error { var verdict: String }
        let verdict = self.verdict(status, body, to: job, number: number)
        guard case .call(let call) = verdict else { throw NotACall(verdict: Self.text(verdict)) }
        return call
    }

    /// A verdict in words that a table can hold.
    static func text(_ verdict: Verdict) -> String {
        switch verdict {
        case .answer(let answer): return "answer \(Self.text(answer))"
        case .refuse(let reason, let answer):
            return "refuse \(reason.code) \(answer.map { Self.text($0) } ?? "-")"
        case .call(let call): return "call \(call.lane)"
        case .retry(let retry):
            let after = retry.after.map { " after \($0.components.seconds)" } ?? ""
            return "retry \(retry.reason.code) \(retry.blame)\(after)\(retry.gatesUpstream ? " gate" : "")"
        case .giveUp(let retry, _): return "give up \(retry.reason.code)"
        case .refuseInDoubt(let reason, _): return "refuse in doubt \(reason.code)"
        case .reject(let rejection):
            let suspicion = rejection.suggestsConfigurationFault ? " configuration" : ""
            return "reject \(rejection.reason.code) \(rejection.kind.rawValue)\(suspicion)"
        case .hold(let reason, let scope): return "hold \(reason.code) \(scope)"
        }
    }

    static func text(_ plan: Plan) -> String {
        switch plan {
        case .call(let call): "call \(call.lane)"
        case .answer(let answer): "answer \(Self.text(answer))"
        case .refuse(let reason, let answer): "refuse \(reason.code) \(answer.map { Self.text($0) } ?? "-")"
        case .reject(let rejection): "reject \(rejection.reason.code) \(rejection.kind.rawValue)"
        }
    }

    static func text(_ answer: ReceiptAnswer) -> String {
        let check = answer.check.map { " \($0)" } ?? ""
        return "\(answer.verdict.rawValue)\(check)\(answer.isFlagged ? " flagged" : "")"
    }

    static func body(of request: HTTPRequest) -> NSDictionary {
        ((try? JSONSerialization.jsonObject(with: Data(request.body ?? []))) as? NSDictionary) ?? [:]
    }
}
