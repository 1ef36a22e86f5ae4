import Foundation
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct DeviceCheckResultTests {
    typealias Message = Flotilla_Devicecheck_V1_DeviceCheckResult

    static let header = DeviceCheckHeader(
        operation: .query,
        environment: .production,
        teamID: "TEAMID1234",
        bundleID: "com.example.app",
        requestID: "r-1"
    )

    static var cases: [(Outcome, DeviceCheckAnswer?)] {
        let rejected = Outcome.ofActivation(.rejected, Reason("device_token.expired", "Old."))
        let state = DeviceCheckAnswer(
            .state,
            Self.header,
            bits: DeviceBits(bit0: true, bit1: false),
            lastUpdateMonth: "2026-06",
            tokenAge: 1_500,
            httpStatus: 200,
            appleRequestID: "0a-\"b"
        )
        let bare = DeviceCheckHeader(operation: .update, environment: .development)
        return [
            (Outcome.ofActivation(), state), (Outcome.ofActivation(), nil),
            (
                Outcome.ofActivation(),
                DeviceCheckAnswer(.notSet, bare, tokenAge: 0, httpStatus: .max)
            ),
        ] + DeviceCheckAnswer.Result.allCases.map { (rejected, DeviceCheckAnswer($0, Self.header)) }
    }

    @Test func writesTheSameAsTheGeneralEncoder() throws {
        for (outcome, answer) in Self.cases {
            let message = DeviceCheckResult.message(outcome, answer)
            let json = DeviceCheckResult.encode(outcome, answer, as: .json)
            #expect(try Message(jsonUTF8Bytes: json) == message, "\(String(decoding: json, as: UTF8.self))")
            let protobuf = DeviceCheckResult.encode(outcome, answer, as: .protobuf)
            #expect(try Message(serializedBytes: protobuf) == message)
        }
    }

    /// False bits are said, unknown ones are left out.
    @Test func writesThisVeryText() {
        let (outcome, answer) = Self.cases[0]
        let text = String(decoding: DeviceCheckResult.encode(outcome, answer, as: .json), as: UTF8.self)
        #expect(
            text.hasSuffix(
                #","result":"state","bit0":true,"bit1":false,"lastUpdateMonth":"2026-06","op":"query","#
                    + #""teamId":"TEAMID1234","environment":"production","bundleId":"com.example.app","#
                    + #""requestId":"r-1","tokenAgeMs":"1500","httpStatus":200,"appleRequestId":"0a-\"b"}"#
            ),
            "\(text)"
        )
        let (unset, notSet) = Self.cases[2]
        #expect(
            !String(decoding: DeviceCheckResult.encode(unset, notSet, as: .json), as: UTF8.self).contains(
                "bit0"
            )
        )
    }

    @Test(arguments: [("abc-1", true), ("", false), ("a b", false), ("é", false), ("a\n", false)])
    func showsOnlyAHarmlessRequestID(text: String, isShown: Bool) {
        #expect(DeviceCheckAnswer.shownRequestID(text) == (isShown ? text : nil))
        #expect(DeviceCheckAnswer.shownRequestID(String(repeating: "a", count: 129)) == nil)
    }

    @Test func everyResultThatIsWrittenIsValid() throws {
        let schema = try SchemaTests.schema("devicecheck.result")
        for (outcome, answer) in Self.cases {
            var answer = answer
            if answer?.httpStatus == .max { answer?.httpStatus = 999 }
            let json = DeviceCheckResult.encode(outcome, answer, as: .json)
            #expect(try schema.objections(to: json) == [], "\(String(decoding: json, as: UTF8.self))")
        }
    }

    private static let base = [
        "op": "\"query\"", "teamId": "\"TEAMID1234\"", "deviceToken": "\"AgAAAHRlc3Q=\"",
        "receivedAt": "\"2026-11-21T08:00:01Z\"",
    ]

    /// Schema and decoder say the same of a record, whichever way. Device tokens are another matter: what they may be is
    /// no rule of the schema, because it is a device that breaks it.
    @Test(
        arguments: [
            ([:], true), (["op": nil], false), (["op": "\"Query\""], false), (["op": "1"], false),
            (["op": "\"validate\""], true), (["op": "\"update\""], false),
            (["op": "\"update\"", "bit0": "true"], true), (["op": "\"update\"", "bit1": "false"], true),
            (["op": "\"update\"", "bit0": "1"], false), (["op": "\"update\"", "bit0": "\"true\""], false),
            (["bit0": "true"], false), (["op": "\"validate\"", "bit1": "false"], false),
            (["teamId": nil], true), (["teamId": "\"\""], true), (["teamId": "\"TEAMID123\""], false),
            (["teamId": "\"TEAM-D1234\""], false), (["environment": "\"development\""], true),
            (["environment": "\"\""], true), (["environment": "\"sandbox\""], false),
            (["receivedAt": "1795248001"], false), (["receivedAt": nil], true),
            (["tokenCreatedAt": "\"yesterday\""], false),
            (["requestedAt": "\"2026-11-21T08:00:00.5Z\""], true),
            (["deviceToken": "7"], false), (["deviceToken": "\"not base64\""], true),
            (["subject": "\"\(String(repeating: "s", count: 256))\""], true),
            (["subject": "\"\(String(repeating: "s", count: 257))\""], false),
            (["requestId": "7"], false), (["bundleId": "\"com.example.app\""], true),
            (["another": "{\"a\":[1]}"], true),
        ] as [(KeyValuePairs<String, String?>, Bool)]
    )
    func agreesWithTheDecoder(changes: KeyValuePairs<String, String?>, isRight: Bool) throws {
        var members = Self.base
        for (name, value) in changes { members[name] = value }
        let text =
            "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
        let objections = try SchemaTests.schema("devicecheck").objections(to: Array(text.utf8))
        #expect(objections.isEmpty == isRight, "schema: \(text) \(objections)")
        #expect(Self.isDecoded(text) == isRight, "decoder: \(text)")
    }

    private static func isDecoded(_ text: String) -> Bool {
        do throws(DeviceCheck.Fault) {
            _ = try DeviceCheck(decoding: DeviceCheckDraft.record(Array(text.utf8)))
            return true
        } catch {
            guard case .refused(let reason, _) = error else { return false }
            return reason.code.hasPrefix("device_token.")
                && !reason.message.hasPrefix("The value of `deviceToken` is")
        }
    }
}
