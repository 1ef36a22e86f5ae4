import Foundation
import Records
import SwiftProtobuf
import WireFormats
import WireMessages

/// Makes activations, each of a device of its own, in every form that a value may have.
struct Activations {
    let topic: String
    /// Wall-clock milliseconds since 1970.
    let now: Int64
    /// The number of the last device.
    private(set) var devices = 0

    init(topic: String, now: Int64) {
        self.topic = topic
        self.now = now
    }

    /// A conversion that happened a minute ago, as a backend that knows everything would tell it.
    mutating func message(
        _ conversionType: ConversionType = .activation,
        on appType: AppType = .ios,
        clickID: String? = nil
    ) -> Flotilla_Activation_V1_Activation {
        self.devices += 1
        var message = Flotilla_Activation_V1_Activation()
        message.appID = DemoAccount.appID
        message.advertiserID = DemoAccount.advertiserID
        message.appType = appType.rawValue
        message.conversionType = conversionType.rawValue
        message.deviceID = Self.deviceID(self.devices, of: appType)
        message.convertedAt.seconds = self.now / 1_000 - 60
        message.clientIp = "203.0.113.\(self.devices % 250 + 1)"
        if let clickID { message.clickID = "\(clickID)-\(self.devices)" }
        if conversionType == .payment { message.value = 12_800 }
        return message
    }

    private static func deviceID(_ number: Int, of appType: AppType) -> String {
        func padded(_ text: String, to width: Int) -> String {
            String(repeating: "0", count: max(0, width - text.count)) + text
        }
        switch appType {
        case .ios:
            return "6D92078A-8246-4BA4-AE5B-\(padded(String(number, radix: 16, uppercase: true), to: 12))"
        case .android: return "86\(padded(String(number), to: 13))"
        case .unionAndroid: return "a1000\(padded(String(number, radix: 16), to: 9))"
        }
    }

    func json(_ message: Flotilla_Activation_V1_Activation, _ headers: [RecordHeader] = []) -> OutboundRecord
    {
        self.record(of: message, message.written(as: .json), headers)
    }

    func protobuf(_ message: Flotilla_Activation_V1_Activation, _ headers: [RecordHeader] = [])
        -> OutboundRecord
    {
        self.record(of: message, message.written(as: .protobuf), headers)
    }

    /// Behind the prefix that schema-registry serialisers write: a zero and the schema's number, and for protobuf
    /// the path to the schema's first message.
    func framed(_ message: Flotilla_Activation_V1_Activation, as format: ValueFormat) -> OutboundRecord {
        let prefix: [UInt8] = [0, 0, 0, 0, 7] + (format == .protobuf ? [0] : [])
        let header = RecordHeader("content-type", format.contentType)
        return self.record(of: message, prefix + message.written(as: format), [header])
    }

    /// Inside a CloudEvent that is the whole value.
    func event(_ message: Flotilla_Activation_V1_Activation, as format: ValueFormat) -> OutboundRecord {
        let payload = message.written(as: format)
        let data =
            switch format {
            case .json: "\"data\":\(String(decoding: payload, as: UTF8.self))"
            case .protobuf: "\"data_base64\":\"\(Data(payload).base64EncodedString())\""
            }
        let event = """
            {"specversion":"1.0","id":"\(self.devices)","source":"/shop","type":"app.activation",\
            "datacontenttype":"\(format.contentType)",\(data)}
            """
        let header = RecordHeader("content-type", "application/cloudevents+json")
        return self.record(of: message, Array(event.utf8), [header])
    }

    /// The attributes of a CloudEvent as headers, and the payload as the value.
    func binaryEvent(_ message: Flotilla_Activation_V1_Activation) -> OutboundRecord {
        self.protobuf(
            message,
            [
                RecordHeader("ce_specversion", "1.0"), RecordHeader("ce_id", String(self.devices)),
                RecordHeader("ce_source", "/shop"), RecordHeader("ce_type", "app.activation"),
                RecordHeader("content-type", ValueFormat.protobuf.contentType),
            ]
        )
    }

    /// Any bytes at all, under the key of an installation.
    mutating func raw(_ value: [UInt8]?, _ headers: [RecordHeader] = []) -> OutboundRecord {
        self.record(of: self.message(), value, headers)
    }

    /// The text of a good record with a part of it replaced.
    mutating func spoilt(_ part: String, by replacement: String) -> OutboundRecord {
        let message = self.message()
        let text = String(decoding: message.written(as: .json), as: UTF8.self)
        let value = text.replacingOccurrences(of: part, with: replacement)
        return self.record(of: message, Array(value.utf8), [])
    }

    private func record(
        of message: Flotilla_Activation_V1_Activation,
        _ value: [UInt8]?,
        _ headers: [RecordHeader]
    ) -> OutboundRecord {
        // Keys are copied into results, which are read by more people than inputs: no device id belongs there.
        let key = "install-\(message.deviceID.suffix(6))"
        return OutboundRecord(topic: self.topic, key: Array(key.utf8), value: value, headers: headers)
    }
}

extension Message {
    /// What has just been made can always be written.
    func written(as format: ValueFormat) -> [UInt8] {
        switch format {
        case .json: (try? self.jsonUTF8Bytes()) ?? []
        case .protobuf: (try? self.serializedBytes()) ?? []
        }
    }
}

/// The one app of demo, chaos and benchmark.
enum DemoAccount {
    static let appID: UInt64 = 112_233
    static let advertiserID: UInt64 = 10_000
}
