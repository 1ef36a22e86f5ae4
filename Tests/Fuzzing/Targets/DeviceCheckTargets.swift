import Records
import SwiftProtobuf
import WireMessages

@testable import WireFormats

extension FuzzTarget {
    /// An operation, a status, and the body: an answer of DeviceCheck.
    static let deviceCheckAnswer = FuzzTarget(
        "devicecheck-answer",
        words: [
            "query\n200\n", "update\n400\n", "validate\n401\n", "{\"bit0\":true,\"bit1\":false",
            "\"last_update_time\":\"2026-11\"", "Failed to find bit state", "Bad Device Token",
            "authorization", "time stamp", "payload", "<html>",
        ],
        seeds: {
            VectorRows.of("devicecheck_decisions").map { row in
                let status = row.integer("http_status").map { String($0) } ?? ""
                return Array("\(row.text("op") ?? "")\n\(status)\n\(row.text("body") ?? "")".utf8)
            }
        }
    ) { input in
        var reader = InputReader(input)
        let operation = DeviceCheckOperation(rawValue: reader.text()) ?? .query
        let status: Int = reader.number(or: 200)
        let body = reader.remainder()
        let reply = DeviceCheckReply(to: operation, status: status, body: body)
        try DeviceCheckClaims.check(reply, to: operation, status, body)
    }

    /// A record of the topic `devicecheck`: headers, an empty line, the value.
    static let deviceCheckRecord = FuzzTarget(
        "devicecheck-record",
        longestInput: 1_024,
        words: RecordClaims.words + [
            "\"op\":\"query\"", "\"op\":\"update\"", "\"bit0\":true", "teamId", "environment", "development",
            "deviceToken", "AgAAAHRlc3Q=", "tokenCreatedAt", "receivedAt", "requestedAt", "subject",
            "2026-11-21T08:00:00.250Z", "TEAMID1234",
        ],
        seeds: {
            VectorRows.of("devicecheck_requests").enumerated().map { number, row in
                let token = row["request"]?.members?.text("device_token") ?? ""
                let operation = DeviceCheckOperation.allCases[number % 3]
                let bits = operation == .update ? ",\"bit0\":true" : ""
                return Array("\n{\"op\":\"\(operation.rawValue)\",\"deviceToken\":\"\(token)\"\(bits)}".utf8)
            }
        }
    ) { input in
        var reader = InputReader(input)
        try DeviceCheckClaims.check(reader.record(topic: "devicecheck", key: Array("install-42".utf8)))
    }
}

private enum DeviceCheckClaims {
    static func check(
        _ reply: DeviceCheckReply,
        to operation: DeviceCheckOperation,
        _ status: Int,
        _ body: [UInt8]
    ) throws {
        let isSuccess = [.done, .notSet].contains(reply) || reply.isState
        try claim("nothing but a 200 is believed", !isSuccess || status == 200)
        try claim("only a query has bits", operation == .query || !reply.isState && reply != .notSet)
        try claim("a token is refused by Apple only", reply != .badDeviceToken || status == 400)
        if case .state(let bits, let month) = reply {
            try claim("a month is one", month.map { $0.utf8.count == 7 } ?? true)
            if let theirs = FoundationJSON(body)?.members {
                let read = [theirs["bit0"], theirs["bit1"]].map { $0?.flag }
                try claim("Foundation reads the same bits", read == [bits.bit0, bits.bit1])
            }
        }
        // A text means the same in any case and with any punctuation. JSON, which it may be, does not.
        guard status != 200 || JSONObject(body) == nil else { return }
        for same in [body.map(\.lowercased), body.map(\.uppercased), body + Array(".\r\n".utf8)] {
            guard status != 200 || JSONObject(same) == nil else { continue }
            let again = DeviceCheckReply(to: operation, status: status, body: same)
            try claim("neither case nor punctuation matters", again == reply)
        }
    }

    private static let codes: Set<String> = RecordClaims.codes.union([
        "op.unknown", "environment.unknown", "team_id.malformed", "bits.missing", "bits.not_an_update",
        "token_created_at.malformed", "received_at.malformed", "requested_at.malformed",
        "bundle_id.too_long", "request_id.too_long", "subject.too_long", "device_token.missing",
        "device_token.too_long", "device_token.malformed", "environment.malformed", "request_id.malformed",
        "bundle_id.malformed", "subject.malformed",
    ])

    static func check(_ record: InboundRecord) throws {
        let reading = self.reading(record)
        try RecordClaims.check(record, saysTheSameAs: { self.reading($0) == reading })
        switch reading {
        case .success(let check):
            for format in ValueFormat.allCases {
                var again = record
                again.value = try check.written(as: format, publishedAt: record.timestamp)
                again.headers = [RecordHeader("content-type", format.contentType)]
                try claim("written as \(format), it is read as the same", self.reading(again) == reading)
            }
            try claim("a token has no white space", check.token.text.allSatisfy(\.isVisible))
            try claim("a token stays out of what is printed", !"\(check.token)".contains("="))
        case .failure(.record(let fault)): try StoreClaims.check(fault.reason, of: self.codes)
        case .failure(.refused(let reason, let answer)):
            try StoreClaims.check(reason, of: self.codes)
            let isOfToken = reason.code.hasPrefix("device_token.")
            try claim(
                "only a token is invalid",
                answer.map { ($0.result == .invalidToken) == isOfToken } ?? true
            )
        }
    }

    private static func reading(_ record: InboundRecord) -> Result<DeviceCheck, DeviceCheck.Fault> {
        do throws(DeviceCheck.Fault) {
            return .success(try DeviceCheck(decoding: record))
        } catch {
            return .failure(error)
        }
    }
}

extension DeviceCheckReply {
    fileprivate var isState: Bool {
        if case .state = self { true } else { false }
    }
}

extension FoundationJSON {
    /// True and false are numbers to Foundation.
    fileprivate var flag: Bool? {
        if case .number(let number) = self { number.double == 1 } else { nil }
    }
}

extension DeviceCheck {
    /// As a backend would write it.
    fileprivate func written(as format: ValueFormat, publishedAt: Int64?) throws -> [UInt8] {
        var message = Flotilla_Devicecheck_V1_DeviceCheck()
        message.op = self.operation.rawValue
        message.teamID = self.header.teamID
        message.environment = self.environment.rawValue
        message.bundleID = self.header.bundleID
        message.requestID = self.header.requestID
        message.deviceToken = String(decoding: self.token.text, as: UTF8.self)
        message.subject = self.subject.map { String(decoding: $0, as: UTF8.self) } ?? ""
        if case .update(let change) = self.demand {
            if let bit0 = change.bit0 { message.bit0 = bit0 }
            if let bit1 = change.bit1 { message.bit1 = bit1 }
        }
        if let time = self.tokenCreatedAt {
            message.tokenCreatedAt = Google_Protobuf_Timestamp(milliseconds: time)
        }
        if let time = self.receivedAt { message.receivedAt = Google_Protobuf_Timestamp(milliseconds: time) }
        // One that is not known was one that cannot be: after the record was published.
        if let time = self.requestedAt ?? publishedAt.map({ max($0, 1_000_000_000_000) + 1 }) {
            message.requestedAt = Google_Protobuf_Timestamp(milliseconds: time)
        }
        return switch format {
        case .json: try message.jsonUTF8Bytes()
        case .protobuf: try message.serializedBytes()
        }
    }
}
