import Records
import SwiftProtobuf
import WireMessages

@testable import WireFormats

extension FuzzTarget {
    static let activationJSON = FuzzTarget("activation-json", words: ActivationClaims.words) { input in
        try ActivationClaims.check(ActivationClaims.record(input, as: .json))
    }

    static let activationProtobuf = FuzzTarget("activation-protobuf", words: ActivationClaims.words) {
        input in
        try ActivationClaims.check(ActivationClaims.record(input, as: .protobuf))
    }

    /// Any headers, and a value in any of its forms: bare, framed, inside an event.
    static let record = FuzzTarget(
        "record",
        longestInput: 1_024,
        words: ActivationClaims.words + RecordClaims.words
    ) { input in
        var reader = InputReader(input)
        let record = reader.record()
        try ActivationClaims.check(record)
        try RecordClaims.check(record)
    }
}

/// The claims that hold of every activation, and of every reason why there is none.
enum ActivationClaims {
    static let words = [
        "appId", "advertiserId", "appType", "conversionType", "deviceId", "muid", "convertedAt", "clientIp",
        "clickId", "value", "trackingAuthorized", "IOS", "ANDROID", "UNIONANDROID", "MOBILEAPP_ACTIVITE",
        "MOBILEAPP_REGISTER",
        "MOBILEAPP_COST", "1E2DFA89-496A-47FD-9941-DF1FC4E6484A", "353490069873368",
        "0f074dc8e1f0547310e729032ac0730b", "00000000-0000-0000-0000-000000000000", "2026-11-21T08:00:00Z",
    ]

    /// The codes that a dead letter or a rejection may give as its reason.
    private static let codes: Set<String> = RecordClaims.codes.union([
        "value.not_a_payment", "value.negative", "value.malformed", "app_id.missing",
        "advertiser_id.missing", "app_type.unknown", "conversion_type.unknown", "device_id.empty",
        "device_id.zero", "device_id.malformed", "device_id.ambiguous", "muid.malformed",
        "tracking.denied", "tracking.malformed", "converted_at.missing", "converted_at.malformed",
        "client_ip.malformed", "click_id.malformed", "hash_oaid.malformed", "hash_android_id.malformed",
        "caid.malformed", "user_agent.malformed", "callback.malformed",
    ])

    static func record(_ value: [UInt8], as format: ValueFormat) -> InboundRecord {
        InboundRecord(
            topic: "activation",
            partition: 0,
            offset: 7,
            value: value,
            headers: [RecordHeader("content-type", format.contentType)]
        )
    }

    static func check(_ record: InboundRecord) throws {
        switch self.reading(record) {
        case .success(var activation):
            // Written anew, the record names its time.
            activation.isTimeAssumed = false
            for format in ValueFormat.allCases {
                let again = self.reading(self.record(try activation.written(as: format), as: format))
                try claim("written as \(format), it is read as the same", again == .success(activation))
            }
        case .failure(.record(let fault)): try self.check(fault.reason)
        case .failure(.refused(let reason, let answer)):
            try self.check(reason)
            try claim(
                "a refusal says which conversion, unless the record is too large to be read",
                answer.map { ConversionType(rawValue: $0.conversionType) != nil }
                    ?? (reason.code == "value.too_large")
            )
        }
    }

    static func reading(_ record: InboundRecord) -> Result<Activation, Activation.Fault> {
        do throws(Activation.Fault) {
            return .success(try Activation(decoding: record))
        } catch {
            return .failure(error)
        }
    }

    private static func check(_ reason: Reason) throws {
        try claim("\(reason.code) is a code that is documented", self.codes.contains(reason.code))
        let limit = 128 + " ".utf8.count + NearMiss.questionBytesLimit
        try claim(
            "a reason is a short sentence of ours, with at most a question after it",
            reason.message.utf8.count <= limit
                && reason.message.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        )
    }
}

/// The claims that hold of a record's value however it is wrapped.
enum RecordClaims {
    static let words = [
        "content-type: ", "application/json", "application/x-protobuf", "application/cloudevents+json",
        "__value_schema_id: ", "\"specversion\":\"1.0\"", "\"datacontenttype\":", "\"data\":",
        "\"data_base64\":",
        "charset=utf-8", "\n\n",
    ]

    /// The codes for values that are wrong before their message is looked at, whatever the message.
    static let codes: Set<String> = [
        "value.tombstone", "value.empty", "value.too_large", "value.framing", "value.cloudevents",
        "value.unknown_content_type", "value.not_json", "value.not_protobuf", "value.too_deep",
        "field.wrong_type",
    ]

    static func check(_ record: InboundRecord) throws {
        let reading = ActivationClaims.reading(record)
        try self.check(record, saysTheSameAs: { ActivationClaims.reading($0) == reading })
    }

    /// `isSame` reads another record, and compares.
    static func check(_ record: InboundRecord, saysTheSameAs isSame: (InboundRecord) -> Bool) throws {
        var inCapitals = record
        for index in record.headers.indices where record.headers[index].name == "content-type" {
            guard let type = record.headers[index].value, !type.isEmpty else { continue }
            inCapitals.headers[index].value =
                type.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 } + "; v=1".utf8
        }
        try claim("capitals and parameters of a content type mean nothing", isSame(inCapitals))
        var beside = record
        beside.headers.append(RecordHeader("x-other", "1"))
        try claim("a header of somebody else means nothing", isSame(beside))

        guard let payload = try? RecordPayload(of: record) else { return }
        try claim("a message starts within its value", payload.start <= payload.bytes.count)
        let message = Array(payload.bytes[payload.start...])
        // A bare value that begins with a zero is taken for framed, and a bare value without bytes is taken for
        // missing.
        guard let first = message.first, first != 0 else { return }
        for wrapped in self.wrappings(of: message, as: payload.format) {
            var same = record
            (same.value, same.headers) = (wrapped.value, wrapped.headers)
            try claim("another wrapping holds the same", isSame(same))
        }
    }

    private static func wrappings(of message: [UInt8], as format: ValueFormat) -> [InboundRecord] {
        let path: [UInt8] = format == .protobuf ? [0] : []
        let frame: [UInt8] = [0, 0, 0, 0, 7] + path
        let event =
            "{\"specversion\":\"1.0\",\"datacontenttype\":\"\(format.contentType)\",\"data_base64\":\""
            + String(decoding: Base64.encode(message), as: UTF8.self) + "\"}"
        var structured = ActivationClaims.record(Array(event.utf8), as: format)
        structured.headers = [RecordHeader("content-type", "application/cloudevents+json")]
        return [
            ActivationClaims.record(message, as: format),
            ActivationClaims.record(frame + message, as: format),
            structured,
        ]
    }
}

extension Activation {
    /// As a backend would write it, with the digest in place of the device's id.
    func written(as format: ValueFormat) throws -> [UInt8] {
        var message = Flotilla_Activation_V1_Activation()
        message.appID = self.account.appID
        message.advertiserID = self.account.advertiserID
        message.appType = self.appType.rawValue
        message.conversionType = self.conversionType.rawValue
        if self.hasMUID { message.muid = String(decoding: self.muid.text, as: UTF8.self) }
        if let id = self.ids.hashOAID { message.hashOaid = String(decoding: id.text, as: UTF8.self) }
        if let id = self.ids.hashAndroidID {
            message.hashAndroidID = String(decoding: id.text, as: UTF8.self)
        }
        if let caid = self.ids.caid { (message.caid, message.caidVersion) = (caid.id, caid.version) }
        message.userAgent = self.userAgent ?? ""
        message.callback = self.callback ?? ""
        message.convertedAt = Google_Protobuf_Timestamp(seconds: self.convertedAt)
        message.clientIp = self.clientIP ?? ""
        message.clickID = self.clickID ?? ""
        if let value = self.value { message.value = value }
        return switch format {
        case .json: try message.jsonUTF8Bytes()
        case .protobuf: try message.serializedBytes()
        }
    }
}
