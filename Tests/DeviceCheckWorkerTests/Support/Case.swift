import Cryptography
import Foundation
import Records
import ServiceKit
import TestMaterial
import UpstreamHTTP
import WireFormats
import WorkerKit

@testable import DeviceCheckWorker

/// A handler with one team, its memory, and what a test says to it.
///
/// A case of a worker keeps the memory, as an engine does. A trial is what a command tries by hand: each plan begins
/// with an empty memory, and a verdict leaves no trace in it.
final class Case {
    typealias Plan = WorkerKit.Plan<DeviceCheckJob, DeviceCheckAnswer>
    typealias Verdict = WorkerKit.Verdict<DeviceCheckJob, DeviceCheckAnswer>

    /// 2026-11-21T08:00:00Z.
    static let receivedAt: Int64 = 1_795_248_000_000
    static let team = "TEAMID1234"
    static let deviceToken = "AgAAAHRlc3Q="
    static let key = TestKey.usual.privatePEM
    static let otherKey = TestKey.other.privatePEM

    let handler: DeviceCheckHandler
    var memory: DeviceCheckMemory
    private let isTrial: Bool

    init(isTrial: Bool = false, _ change: (inout DeviceCheckSettings) -> Void = { _ in }) throws {
        let signer = try ES256Signer(pem: Array(Self.key.utf8))
        let team = DeviceCheckSettings.Team(id: Self.team, keyID: "DCTESTKEY1", signer: signer)
        var settings = DeviceCheckSettings(teams: [team])
        change(&settings)
        self.handler = DeviceCheckHandler(settings)
        self.memory = self.handler.emptyMemory
        self.isTrial = isTrial
    }

    static func record(
        _ op: String,
        _ more: [String: Any] = [:],
        offset: Int64 = 42,
        key: String = "k"
    ) -> InboundRecord {
        var members: [String: Any] = [
            "op": op, "deviceToken": Self.deviceToken, "receivedAt": "2026-11-21T08:00:00Z",
            "requestId": "r-1",
        ]
        members.merge(more) { $1 }
        let value = (try? JSONSerialization.data(withJSONObject: members)).map(Array.init) ?? []
        return InboundRecord(
            topic: "devicecheck",
            partition: 3,
            offset: offset,
            timestamp: Self.receivedAt,
            key: Array(key.utf8),
            value: value
        )
    }

    func plan(_ record: InboundRecord, number: Int = 1, after wait: Duration = .seconds(1)) -> Plan {
        let now = Self.receivedAt + wait.wholeMilliseconds
        if self.isTrial { self.memory = self.handler.emptyMemory }
        let attempt = Attempt(number: number, now: now, isTrial: self.isTrial)
        return self.handler.plan(record, attempt, with: &self.memory)
    }

    /// The call that is planned for a record.
    func call(_ record: InboundRecord, number: Int = 1, after wait: Duration = .seconds(1)) throws
        -> Call<DeviceCheckJob>
    {
        struct NotACall: Error { var plan: Plan }
        let plan = self.plan(record, number: number, after: wait)
        guard case .call(let call) = plan else { throw NotACall(plan: plan) }
        return call
    }

    func verdict(
        _ status: Int,
        _ body: String = "",
        _ headers: [HTTPHeader] = [],
        to job: DeviceCheckJob,
        number: Int = 1,
        after wait: Duration = .seconds(1),
        ambiguous: Int = 0
    ) -> Verdict {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        let attempt = Attempt(
            number: number,
            now: Self.receivedAt + wait.wholeMilliseconds,
            ambiguous: ambiguous,
            isTrial: self.isTrial
        )
        return self.verdict(on: .response(response), to: job, attempt)
    }

    func verdict(on exchange: Exchange, to job: DeviceCheckJob, _ attempt: Attempt) -> Verdict {
        var memory = self.memory
        defer { if !self.isTrial { self.memory = memory } }
        return self.handler.interpret(exchange, of: job, attempt, with: &memory)
    }

    /// A verdict in words that a table can hold.
    static func text(_ verdict: Verdict) -> String {
        func bits(_ answer: DeviceCheckAnswer?) -> String {
            answer?.bits.map { " \($0.bit0) \($0.bit1)" } ?? ""
        }
        switch verdict {
        case .answer(let answer): return "answer \(answer.result.rawValue)\(bits(answer))"
        case .refuse(let reason, let answer): return "refuse \(reason.code) \(answer?.result.rawValue ?? "-")"
        case .call(let call): return "call \(call.job.step.operation)\(call.isSecondTry ? " again" : "")"
        case .retry(let retry):
            let after = retry.after.map { " after \($0.components.seconds)" } ?? ""
            return "retry \(retry.reason.code) \(retry.blame)\(after)\(retry.gatesUpstream ? " gate" : "")"
        case .refuseInDoubt(let reason, _): return "refuse in doubt \(reason.code)"
        case .giveUp(let retry, let answer):
            return "give up \(retry.reason.code) \(answer?.result.rawValue ?? "-")"
        case .reject(let rejection):
            let suspicion = rejection.suggestsConfigurationFault ? " configuration" : ""
            return "reject \(rejection.reason.code) \(rejection.kind.rawValue)\(suspicion)"
        case .hold(let reason, let scope): return "hold \(reason.code) \(scope)"
        }
    }

    static func text(_ plan: Plan) -> String {
        switch plan {
        case .call(let call): "call \(call.job.step.operation)"
        case .answer(let answer): "answer \(answer.result.rawValue)"
        case .refuse(let reason, let answer): "refuse \(reason.code) \(answer?.result.rawValue ?? "-")"
        case .reject(let rejection): "reject \(rejection.reason.code) \(rejection.kind.rawValue)"
        }
    }

    static func body(of request: HTTPRequest) -> NSDictionary {
        ((try? JSONSerialization.jsonObject(with: Data(request.body ?? []))) as? NSDictionary) ?? [:]
    }

    static func token(of request: HTTPRequest) -> String? {
        request.headers.first { $0.name == "Authorization" }?.value
    }
}
