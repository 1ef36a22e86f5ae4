import Foundation
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct ActivationResultTests {
    static let account = GDTAccount(appID: 112_233, advertiserID: 10_000)

    static func answer(ret: Int64, _ message: String, status: Int = 200) throws -> ActivationAnswer {
        let text =
            #"{"ret":\#(ret),"msg":\#(String(decoding: try JSONEncoder().encode(message), as: UTF8.self))}"#
        let reply = try #require(GDTReply(Array(text.utf8)))
        let activation = try ActivationDraft { ($0.clientIp, $0.clickID) = ("10.11.12.13", "click-1") }
            .activation()
        return ActivationAnswer(
            account: Self.account,
            conversionType: "MOBILEAPP_ACTIVITE",
            gdt: GDTAnswer(reply, httpStatus: status, to: activation)
        )
    }

    static func marketing(_ code: Int64, _ route: ActivationRoute) throws -> ActivationAnswer {
        let reply = try #require(MarketingReply(Array(#"{"code":\#(code),"message":"a\"b"}"#.utf8)))
        return ActivationAnswer(
            account: Self.account,
            conversionType: "MOBILEAPP_ACTIVITE",
            marketing: MarketingAnswer(
                reply,
                httpStatus: 200,
                to: try ActivationDraft().activation(),
                token: []
            ),
            route: route
        )
    }

    static func cases() throws -> [(Outcome, ActivationAnswer?)] {
        var extreme = Outcome.ofActivation(
            .deadLettered,
            Reason("a\"b\\c", "x\n\t\u{0}\u{1f}\u{7f}é😀\u{2028}</"),
            deadLetterID: ""
        )
        (extreme.receivedAt, extreme.settledAt) = (.min, .max)
        (extreme.partition, extreme.offset, extreme.attempts) = (.min, .min, .max)
        var zero = Outcome.ofActivation()
        (zero.partition, zero.offset, zero.attempts, zero.receivedAt, zero.settledAt) = (0, 0, 0, 0, -1)
        (zero.worker, zero.workerVersion) = ("", "")
        return [
            (Outcome.ofActivation(), try Self.answer(ret: 0, "")),
            (Outcome.ofActivation(), nil),
            (
                Outcome.ofActivation(.rejected, Reason("gdt.-15", "m")),
                try Self.answer(ret: -15, "illegal \"muid\"")
            ),
            (
                Outcome.ofActivation(.expired, Reason("", "")),
                ActivationAnswer(account: Self.account, conversionType: "", isTimeAssumed: true)
            ),
            (Outcome.ofActivation(), try Self.marketing(0, .callback)),
            (
                Outcome.ofActivation(.rejected, Reason("marketing.31001", "m")),
                try Self.marketing(.max, .marketing)
            ),
            (extreme, try Self.answer(ret: .max, "\u{1}", status: .max)),
            (zero, try Self.answer(ret: 0, "", status: 0)),
        ]
    }

    @Test func writesTheSameAsTheGeneralEncoder() throws {
        for (outcome, answer) in try Self.cases() {
            let json = ActivationResult.encode(outcome, answer, as: .json)
            let message = ActivationResult.message(outcome, answer)
            #expect(
                try Flotilla_Activation_V1_ActivationResult(jsonUTF8Bytes: json) == message,
                "\(String(decoding: json, as: UTF8.self))"
            )
            let protobuf = ActivationResult.encode(outcome, answer, as: .protobuf)
            #expect(try Flotilla_Activation_V1_ActivationResult(serializedBytes: protobuf) == message)
        }
        let (outcome, answer) = try Self.cases()[2]
        let general: [UInt8] = try ActivationResult.message(outcome, answer).jsonUTF8Bytes()
        #expect(ActivationResult.encode(outcome, answer, as: .json) == general)
    }

    @Test func writesThisVeryText() throws {
        let json = ActivationResult.encode(
            Outcome.ofActivation(.rejected, Reason("gdt.-15", "Illegal.")),
            try Self.answer(ret: -15, "no"),
            as: .json
        )
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"outcome":{"id":"activation/3/42","topic":"activation","partition":3,"offset":"42","#
                + #""fate":"rejected","reason":{"code":"gdt.-15","message":"Illegal."},"attempts":1,"#
                + #""receivedAt":"2026-11-21T08:00:00Z","settledAt":"2026-11-21T08:00:00.057Z","#
                + #""worker":"activation-worker","workerVersion":"1.0.0"},"gdt":{"ret":-15,"message":"no","#
                + #""httpStatus":200},"appId":"112233","advertiserId":"10000","#
                + #""conversionType":"MOBILEAPP_ACTIVITE"}"#
        )
    }

    @Test(arguments: [
        "muid 40c7084b4845eebce9d07b8a18a055fc is wrong", "from 10.11.12.13", "click-1!",
    ])
    func neverRepeatsWhatIdentifiesADevice(message: String) throws {
        #expect(try Self.answer(ret: -15, message).gdt?.message == "redacted")
    }
}
