package import Records
import SwiftProtobuf
import WireMessages

/// What the values of a topic are, where that is one of ours.
package enum DeadLetterSchema: String, Hashable, Sendable, CaseIterable {
    case activation
    case deviceCheck = "devicecheck"
    case pushArrival = "push-arrival"
    case receipt

    /// Of a worker's input, by the worker's name (`activation-worker`), or by the name that its topic or its
    /// dead-letter topic has unless somebody chose another.
    package init?(name: String) {
        let suffixes = ["-worker", ".dead-letter", ""]
        guard
            let schema = suffixes.lazy.compactMap({ Self(rawValue: Self.stem(of: name, without: $0)) }).first
        else { return nil }
        self = schema
    }

    /// Of the record that a letter was: its worker tells more surely than its topic.
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
    /// A field of a message: its name in JSON, what its values are, and whether anybody may see them.
    struct Field: Hashable, Sendable {
        enum Kind: String, Hashable, Sendable {
            case text = "a text"
            case number = "a whole number"
            case time = "a time such as \"2026-11-21T08:00:00Z\""
            case flag = "true or false"
            case document = "an object, or the text of one"
        }

        var name: String
        var kind: Kind
        /// Neither personal nor secret.
        var isShown: Bool

        static func shown(_ name: String, _ kind: Kind = .text) -> Field {
            Field(name: name, kind: kind, isShown: true)
        }

        static func masked(_ name: String, _ kind: Kind = .text) -> Field {
            Field(name: name, kind: kind, isShown: false)
        }
    }

    /// Every field of the message, with a decision about each. What results repeat is shown: they travel further than
    /// this.
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
        // The device, the person behind it, and what they clicked on.
        .masked("deviceId"), .masked("muid"), .masked("clientIp"), .masked("clickId"),
    ]

    private static let deviceCheckFields: [Field] = [
        .shown("op"), .shown("teamId"), .shown("environment"), .shown("tokenCreatedAt", .time),
        .shown("receivedAt", .time), .shown("requestedAt", .time), .shown("bit0", .flag),
        .shown("bit1", .flag), .shown("requestId"), .shown("bundleId"),
        // Good for one request to Apple; and an account or an installation.
        .masked("deviceToken"), .masked("subject"),
    ]

    private static let pushArrivalFields: [Field] = [
        .shown("type"), .shown("provider"), .shown("messageId"), .shown("campaignId"), .shown("appBundle"),
        .shown("eventId"), .shown("environment"), .shown("status"), .shown("reason"),
        .shown("sentMs", .number), .shown("deviceMs", .number), .shown("uploadMs", .number),
        .shown("serverMs", .number), .shown("nseEligible", .flag), .shown("payloadSha256"),
        // An installation; and all that somebody was told.
        .masked("deviceId"), .masked("payload", .document),
    ]

    private static let receiptFields: [Field] = [
        .shown("bundleId"), .shown("productId"), .shown("environment"), .shown("requestId"),
        .shown("receivedAt", .time),
        // Good for asking Apple about all that somebody has bought.
        .masked("receiptData"), .masked("transactionId"),
    ]

    /// By its name in JSON or in the schema, as readers of JSON take both.
    func field(_ name: String) -> Field? {
        self.fields.first { $0.name == name || Self.protoName(of: $0.name) == name }
    }

    static func protoName(of name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }

    private var messageType: any Message.Type {
        switch self {
        case .activation: Flotilla_Activation_V1_Activation.self
        case .deviceCheck: Flotilla_Devicecheck_V1_DeviceCheck.self
        case .pushArrival: Flotilla_Pusharrival_V1_PushEvent.self
        case .receipt: Flotilla_Receipt_V1_Receipt.self
        }
    }

    /// Larger than any worker of the schema reads.
    static let bytesLimit = Receipt.recordBytesLimit

    /// Why a worker cannot use a record; nil if it can, be it only to give a final no.
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
            // A final no is no fault of the record's.
            return nil
        }
    }

    /// A message in protobuf as its canonical JSON, and the fields that the schema does not know as they stand.
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

    /// JSON as protobuf; nil if it is not of this schema to the letter.
    func protobuf(ofJSON text: [UInt8]) -> [UInt8]? {
        let text = self == .pushArrival ? PushEventFields.withPayloadAsText(text) : text
        return Self.protobuf(of: text, as: self.messageType)
    }

    private static func protobuf<Decoded: Message>(of text: [UInt8], as type: Decoded.Type) -> [UInt8]? {
        guard let message = try? Decoded(jsonUTF8Bytes: text) else { return nil }
        return message.encoded()
    }
}
