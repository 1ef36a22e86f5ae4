package import Records
import SwiftProtobuf
package import WireFormats
import WireMessages

/// The schema of a worker's input topic.
package enum DeadLetterSchema: String, Hashable, Sendable, CaseIterable {
    case activation
    case deviceCheck = "devicecheck"
    case pushArrival = "push-arrival"
    case receipt

    /// Finds the schema by a name: the worker's name (`activation-worker`), or the default name of its input
    /// topic or dead-letter topic.
    package init?(name: String) {
        let suffixes = ["-worker", ".dead-letter", ""]
        guard
            let schema = suffixes.lazy.compactMap({ Self(rawValue: Self.stem(of: name, without: $0)) }).first
        else { return nil }
        self = schema
    }

    /// Finds the schema of the record that became a letter. The name of the worker decides if the letter is
    /// ours, else the topic, because an operator can choose another name for a topic.
    package init?(_ facts: DeadLetterFacts) {
        guard facts.dialect == .flotilla, let worker = facts.worker, let schema = Self(name: worker) else {
            guard let schema = facts.sourceTopic.flatMap(Self.init(name:)) else { return nil }
            self = schema
            return
        }
        self = schema
    }

    private static func stem(of name: String, without suffix: String) -> String {
        name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }
}

extension DeadLetterSchema {
    /// One field of a message: its name in JSON, the type of its values, and whether they may be shown
    /// without masking.
    struct Field: Hashable, Sendable {
        /// The type of a field's values; the raw value completes the sentence that the field has to be that.
        enum Kind: String, Hashable, Sendable {
            case text = "a text"
            case number = "a whole number"
            case time = "a time such as \"2026-11-21T08:00:00Z\""
            case flag = "true or false"
            case document = "an object, or the text of one"
        }

        /// The field's name in JSON.
        var name: String
        var kind: Kind
        /// Whether the field's values are neither personal nor secret.
        var isShown: Bool

        /// Makes a field that is shown.
        static func shown(_ name: String, _ kind: Kind = .text) -> Field {
            Field(name: name, kind: kind, isShown: true)
        }

        /// Makes a field that is masked.
        static func masked(_ name: String, _ kind: Kind = .text) -> Field {
            Field(name: name, kind: kind, isShown: false)
        }
    }

    /// All fields of the message, each with a decision whether it is shown. A field that the worker's results
    /// repeat is shown, because results are read by more people than dead letters.
    var fields: [Field] {
        switch self {
        case .activation: Self.activationFields
        case .deviceCheck: Self.deviceCheckFields
        case .pushArrival: Self.pushArrivalFields
        case .receipt: Self.receiptFields
        }
    }

    private static let activationFields: [Field] = [
        .shown("appId", .number), .shown("advertiserId", .number), .shown("appType"),
        .shown("conversionType"), .shown("convertedAt", .time), .shown("value", .number),
        .shown("trackingAuthorized", .flag),
        // Masked: the device, the person behind it, and what the person clicked on.
        .masked("deviceId"), .masked("muid"), .masked("clientIp"), .masked("clickId"), .masked("callback"),
        .masked("hashOaid"), .masked("hashAndroidId"), .masked("caid"), .shown("caidVersion"),
        .masked("userAgent"),
    ]

    private static let deviceCheckFields: [Field] = [
        .shown("op"), .shown("teamId"), .shown("environment"), .shown("tokenCreatedAt", .time),
        .shown("receivedAt", .time), .shown("requestedAt", .time), .shown("bit0", .flag),
        .shown("bit1", .flag), .shown("requestId"), .shown("bundleId"),
        // Masked: the token, which is good for one request to Apple, and the account or installation.
        .masked("deviceToken"), .masked("subject"),
    ]

    private static let pushArrivalFields: [Field] = [
        .shown("type"), .shown("provider"), .shown("messageId"), .shown("campaignId"), .shown("appBundle"),
        .shown("eventId"), .shown("environment"), .shown("status"), .shown("reason"),
        .shown("sentMs", .number), .shown("deviceMs", .number), .shown("uploadMs", .number),
        .shown("serverMs", .number), .shown("nseEligible", .flag), .shown("payloadSha256"),
        .shown("appVersion"), .shown("osVersion"), .shown("deviceModel"), .shown("country"),
        .shown("valueMicros", .number), .shown("currency"),
        // Masked: the installation, and the text of the notification.
        .masked("deviceId"), .masked("payload", .document),
    ]

    private static let receiptFields: [Field] = [
        .shown("bundleId"), .shown("productId"), .shown("environment"), .shown("requestId"),
        .shown("receivedAt", .time),
        // Masked: the data with which Apple can be asked about everything that a person has bought.
        .masked("receiptData"), .masked("transactionId"),
    ]

    /// Returns the field of this name, either in JSON or in the schema; readers of proto3's JSON accept both.
    func field(_ name: String) -> Field? {
        self.fields.first { $0.name.isExactly(name) || ProtobufName.snakeCase($0.name).isExactly(name) }
    }

    private var messageType: any Message.Type {
        switch self {
        case .activation: Flotilla_Activation_V1_Activation.self
        case .deviceCheck: Flotilla_Devicecheck_V1_DeviceCheck.self
        case .pushArrival: Flotilla_Pusharrival_V1_PushEvent.self
        case .receipt: Flotilla_Receipt_V1_Receipt.self
        }
    }

    /// The most bytes of a value that is decoded: the largest limit of any worker.
    static let bytesLimit = Receipt.recordBytesLimit

    /// Returns the reason why the schema's worker cannot use a record; nil if it can, or if it would end the
    /// record with a final refusal.
    package func fault(of record: borrowing InboundRecord) -> Reason? {
        do {
            switch self {
            case .activation: _ = try Activation(decoding: record)
            case .deviceCheck: _ = try DeviceCheck(decoding: record)
            case .pushArrival: _ = try PushEvent(decoding: record, now: record.timestamp ?? 0)
            case .receipt: _ = try Receipt(decoding: record)
            }
            return nil
        } catch Activation.Fault.record(let fault) {
            return fault.reason
        } catch DeviceCheck.Fault.record(let fault) {
            return fault.reason
        } catch PushEvent.Fault.record(let fault) {
            return fault.reason
        } catch Receipt.Fault.record(let fault) {
            return fault.reason
        } catch {
            // The worker settles such a record with a final refusal, so the record has no fault.
            return nil
        }
    }

    /// Returns a protobuf message as its canonical JSON, and the bytes of the fields that the schema does not
    /// know; nil if the bytes are not such a message.
    func tree(ofProtobuf bytes: [UInt8]) -> (tree: JSONTree, unknown: [UInt8])? {
        Self.tree(of: bytes, as: self.messageType)
    }

    private static func tree<Decoded: Message>(
        of bytes: [UInt8],
        as type: Decoded.Type
    ) -> (tree: JSONTree, unknown: [UInt8])? {
        guard let message = try? Decoded(serializedBytes: bytes),
            let text: [UInt8] = try? message.jsonUTF8Bytes(), let tree = try? JSONTree(parsing: text)
        else { return nil }
        return (tree, Array(message.unknownFields.data))
    }

    /// Returns JSON as protobuf; nil if the JSON has a member or a type that the schema does not have.
    func protobuf(ofJSON text: [UInt8]) -> [UInt8]? {
        let text = self == .pushArrival ? Self.withPayloadAsText(text) : text
        return Self.protobuf(of: text, as: self.messageType)
    }

    /// Returns a push event as the schema describes it: a payload that is an object becomes a string with the
    /// object's text.
    private static func withPayloadAsText(_ event: [UInt8]) -> [UInt8] {
        guard let outline = JSONOutline(event), let value = outline.member(outline.root, "payload"),
            outline.kind(value) == .object
        else { return event }
        let range = outline.range(value)
        let text = JSONTree.string(String(decoding: event[range], as: UTF8.self)).compact
        return event[..<range.lowerBound] + text + event[range.upperBound...]
    }

    private static func protobuf<Decoded: Message>(of text: [UInt8], as type: Decoded.Type) -> [UInt8]? {
        guard let message = try? Decoded(jsonUTF8Bytes: text) else { return nil }
        return message.encoded()
    }
}
