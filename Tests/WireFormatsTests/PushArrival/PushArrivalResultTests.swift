import Foundation
import SwiftProtobuf
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

@Suite struct PushArrivalResultTests {
    typealias Message = Flotilla_Pusharrival_V1_PushArrivalResult

    static var event: PushEvent {
        PushEvent(
            .arrived,
            provider: "fcm",
            appBundle: "com.example.app",
            messageID: "m-\"1",
            campaignID: "c-1",
            deviceID: "d-é",
            eventID: "e-1",
            environment: "development",
            sentMS: PushEventDraft.sent,
            deviceMS: 1_000,
            uploadMS: 1_250,
            serverMS: PushEventDraft.sent + 2_250,
            isEligible: true,
            payloadSHA256: PushEventTests.digest
        )
    }

    static func subject(
        _ standing: PushStanding = .accepted,
        _ change: (inout PushEvent) -> Void = { _ in }
    ) -> PushArrivalResult.Subject {
        var event = Self.event
        change(&event)
        return .event(event, standing, PushTime(of: event))
    }

    static var header: PushEventHeader {
        var header = PushEventHeader()
        (header.kind, header.provider, header.messageID) = (.shown, "jpush", "7")
        (header.campaignID, header.appBundle, header.deviceID) = ("c", "a", "d")
        (header.eventID, header.environment) = ("e", "production")
        return header
    }

    /// Every member there can be, and every one left out.
    static func cases() throws -> [(Outcome, PushArrivalResult.Subject?)] {
        let outcomes = try ActivationResultTests.cases().map(\.0)
        let subjects: [PushArrivalResult.Subject?] =
            PushStanding.allCases.map { Self.subject($0) } + [
                nil, .refused(PushEventHeader()), .refused(Self.header),
                Self.subject { $0.deviceMS = nil },
                Self.subject { ($0.sentMS, $0.deviceMS) = (nil, .min) },
                Self.subject { ($0.sentMS, $0.serverMS) = (.min, .max) },
                Self.subject { ($0.sentMS, $0.serverMS, $0.uploadMS) = (0, 0, 1_000) },
                Self.subject { $0.kind = .sent },
                Self.subject { ($0.kind, $0.acceptance) = (.sent, .rejected(reason: "Unregistered")) },
                .event(
                    PushEvent(.opened, deviceID: "d", serverMS: -1),
                    .late,
                    PushTime(of: PushEvent(.opened, deviceID: "d", serverMS: -1))
                ),
            ]
        return outcomes.flatMap { outcome in subjects.map { (outcome, $0) } }
    }

    /// By the generated message, field by field.
    static func message(_ outcome: Outcome, _ subject: PushArrivalResult.Subject?) -> Message {
        var message = Message()
        message.outcome = Flotilla_Outcome_V1_Outcome(outcome)
        switch subject {
        case .event(let event, let standing, let time):
            message.result = standing.rawValue
            message.type = event.kind.rawValue
            (message.provider, message.messageID) = (event.provider, event.messageID)
            (message.campaignID, message.appBundle) = (event.campaignID, event.appBundle)
            (message.deviceID, message.eventID) = (event.deviceID, event.eventID)
            message.environment = event.environment
            if event.kind == .sent { message.status = "accepted" }
            if case .rejected(let reason) = event.acceptance {
                (message.status, message.reason) = ("rejected", reason)
            }
            message.correctedMs = time.correctedMS
            if let sent = time.sentMS { message.sentMs = sent }
            if let lag = time.lagMS { message.lagMs = lag }
            message.skewAdjusted = time.isAdjusted
            message.payloadSha256 = event.payloadSHA256
        case .refused(let header):
            message.type = header.kind?.rawValue ?? ""
            (message.provider, message.messageID) = (header.provider, header.messageID)
            (message.campaignID, message.appBundle) = (header.campaignID, header.appBundle)
            (message.deviceID, message.eventID) = (header.deviceID, header.eventID)
            message.environment = header.environment
        case nil: break
        }
        return message
    }

    @Test func writesTheSameAsTheGeneralEncoder() throws {
        for (outcome, subject) in try Self.cases() {
            let message = Self.message(outcome, subject)
            let json = PushArrivalResult.encode(outcome, subject, as: .json)
            #expect(try Message(jsonUTF8Bytes: json) == message, "\(String(decoding: json, as: UTF8.self))")
            #expect(PushArrivalResult.encode(outcome, subject, as: .protobuf) == message.encoded())
        }
        let general: [UInt8] = try Self.message(Outcome.ofActivation(), Self.subject())
            .jsonUTF8Bytes()
        let json = PushArrivalResult.encode(Outcome.ofActivation(), Self.subject(), as: .json)
        #expect(json == general)
    }

    @Test func writesThisVeryText() {
        let subject = Self.subject(.duplicate) { ($0.deviceMS, $0.payloadSHA256) = (1_250 - 2_251, "") }
        let json = PushArrivalResult.encode(Outcome.ofActivation(), subject, as: .json)
        let text = String(decoding: json, as: UTF8.self)
        #expect(
            text.hasSuffix(
                #","result":"duplicate","type":"arrived","provider":"fcm","messageId":"m-\"1","campaignId":"c-1","#
                    + #""appBundle":"com.example.app","deviceId":"d-é","eventId":"e-1","#
                    + #""environment":"development","correctedMs":"1795248000000","#
                    + #""sentMs":"1795248000000","lagMs":"0","skewAdjusted":true}"#
            ),
            "\(text)"
        )
    }

    /// Trap 12 and 14: of the notification only ids and times go on.
    @Test func carriesNothingOfTheText() throws {
        let secret = "Zq7-secret"
        let payload = #"""
            {"aps":{"alert":{"title":"\#(secret)","body":"\#(secret)"},"mutable-content":1,"category":"\#(secret)"},
            "mid":"m-9","url":"https://example.com/\#(secret)","\#(secret)":1,"google.c.a.c_l":"\#(secret)"}
            """#
        for text in [
            #"{"type":"arrived","deviceId":"d","payload":\#(payload)}"#,
            #"{"type":"arrived","deviceId":"d","other":"\#(secret)","payload":\#(payload)}"#,
            #"{"type":"arrived","payload":\#(payload)}"#, #"{"type":"arrived","payload":[\#(payload)]}"#,
        ] {
            let subject: PushArrivalResult.Subject
            do throws(PushEvent.Fault) {
                let event = try PushEvent(
                    decoding: PushEventDraft.record(Array(text.utf8)),
                    now: PushEventDraft.now
                )
                #expect(event.messageID == "m-9")
                #expect(!String(decoding: event.encoded(), as: UTF8.self).contains(secret))
                subject = .event(event, .accepted, PushTime(of: event))
            } catch {
                #expect(!"\(error)".contains(secret))
                guard case .refused(_, let header) = error else { throw error }
                subject = .refused(header)
            }
            for format in ValueFormat.allCases {
                let bytes = PushArrivalResult.encode(Outcome.ofActivation(), subject, as: format)
                #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
            }
        }
    }

    @Test func everyResultThatIsWrittenIsValid() throws {
        let schema = try SchemaTests.schema("push-arrival.result")
        for fate in Outcome.Fate.allCases {
            let reason = fate == .succeeded ? nil : Reason("type.unknown", "Not a type.")
            let letter = fate == .deadLettered ? "dl-1" : nil
            let outcome = Outcome.ofActivation(fate, reason, deadLetterID: letter)
            for (_, subject) in try Self.cases() {
                let json = PushArrivalResult.encode(outcome, subject, as: .json)
                #expect(try schema.objections(to: json) == [], "\(String(decoding: json, as: UTF8.self))")
            }
        }
    }
}
