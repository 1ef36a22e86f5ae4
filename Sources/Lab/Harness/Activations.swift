import Foundation
package import Records
package import SwiftProtobuf
package import WireFormats
package import WireMessages

/// Makes activations in every form that a value may have. Each has a different device.
package struct Activations {
    package let topic: String
    /// The time of the run in wall-clock milliseconds since 1970.
    package let now: Int64
    /// The number of the last device.
    package private(set) var devices = 0

    package init(topic: String, now: Int64) {
        self.topic = topic
        self.now = now
    }

    /// Makes a conversion that happened a minute ago, with all fields that a backend can know. A `clickID` is
    /// extended by the number of the device.
    package mutating func message(
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

    package func json(_ message: Flotilla_Activation_V1_Activation, _ headers: [RecordHeader] = [])
        -> OutboundRecord
    {
        self.record(of: message, message.written(as: .json), headers)
    }

    package func protobuf(_ message: Flotilla_Activation_V1_Activation, _ headers: [RecordHeader] = [])
        -> OutboundRecord
    {
        self.record(of: message, message.written(as: .protobuf), headers)
    }

    /// Makes a record with the prefix of schema-registry serializers: a zero byte, the schema's id in four
    /// bytes, and for protobuf the index of the schema's first message.
    package func framed(_ message: Flotilla_Activation_V1_Activation, as format: ValueFormat)
        -> OutboundRecord
    {
        let prefix: [UInt8] = [0, 0, 0, 0, 7] + (format == .protobuf ? [0] : [])
        let header = RecordHeader("content-type", format.contentType)
        return self.record(of: message, prefix + message.written(as: format), [header])
    }

    /// Makes a record whose value is a structured CloudEvent around the payload.
    package func event(_ message: Flotilla_Activation_V1_Activation, as format: ValueFormat) -> OutboundRecord
    {
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

    /// Makes a record in the binary form of CloudEvents: the attributes are headers, and the payload is the
    /// value.
    package func binaryEvent(_ message: Flotilla_Activation_V1_Activation) -> OutboundRecord {
        self.protobuf(
            message,
            [
                RecordHeader("ce_specversion", "1.0"), RecordHeader("ce_id", String(self.devices)),
                RecordHeader("ce_source", "/shop"), RecordHeader("ce_type", "app.activation"),
                RecordHeader("content-type", ValueFormat.protobuf.contentType),
            ]
        )
    }

    /// Makes a record of any bytes, under the key of an installation.
    package mutating func raw(_ value: [UInt8]?, _ headers: [RecordHeader] = []) -> OutboundRecord {
        self.record(of: self.message(), value, headers)
    }

    /// Makes a good record in JSON, with a part of the text replaced.
    package mutating func spoilt(_ part: String, by replacement: String) -> OutboundRecord {
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
        // Results contain the record's key, and are read by more people than the inputs. The key therefore
        // holds only the end of the device id.
        let key = "install-\(message.deviceID.suffix(6))"
        return OutboundRecord(topic: self.topic, key: Array(key.utf8), value: value, headers: headers)
    }
}

extension Message {
    /// The message in this format. The messages made here can always be encoded.
    package func written(as format: ValueFormat) -> [UInt8] {
        switch format {
        case .json: (try? self.jsonUTF8Bytes()) ?? []
        case .protobuf: (try? self.serializedBytes()) ?? []
        }
    }
}

/// The only app of the demo, the chaos run and the benchmark.
package enum DemoAccount {
    package static let appID: UInt64 = 112_233
    package static let advertiserID: UInt64 = 10_000
}
