import Records
import SwiftProtobuf
import WireMessages

@testable import WireFormats

/// A message of the topic `activation` in the making: a good one, and what a test changes about it.
struct ActivationDraft {
    var message: Flotilla_Activation_V1_Activation

    init(_ change: (inout Flotilla_Activation_V1_Activation) -> Void = { _ in }) {
        self.message = Flotilla_Activation_V1_Activation()
        self.message.appID = 112_233
        self.message.advertiserID = 10_000
        self.message.appType = "IOS"
        self.message.conversionType = "MOBILEAPP_ACTIVITE"
        self.message.deviceID = "1E2DFA89-496A-47FD-9941-DF1FC4E6484A"
        self.message.convertedAt = Google_Protobuf_Timestamp(seconds: 1_795_248_000)
        change(&self.message)
    }

    func activation() throws -> Activation { try Activation(ActivationFields(self.message)) }

    var json: [UInt8] {
        get throws { try self.message.jsonUTF8Bytes() }
    }

    var protobuf: [UInt8] {
        get throws { try self.message.serializedBytes() }
    }

    static func record(
        _ value: [UInt8]?,
        _ headers: [RecordHeader] = [],
        at timestamp: Int64? = nil
    ) -> InboundRecord {
        InboundRecord(
            topic: "activation",
            partition: 3,
            offset: 42,
            timestamp: timestamp,
            value: value,
            headers: headers
        )
    }
}
