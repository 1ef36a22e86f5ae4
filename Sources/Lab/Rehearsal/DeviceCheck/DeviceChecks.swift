import Harness
import Records
import SwiftProtobuf
import UpstreamSimulator
import WireFormats
import WireMessages

/// Makes operations on the bits of devices, and remembers the bits that each device must have in the end.
struct DeviceChecks {
    enum Operation: String {
        case query, update, validate
    }

    let topic: String
    let teamID: String
    /// The time of the next operations, in wall-clock milliseconds since 1970.
    var now: Int64
    /// The expected bits, by environment and device.
    private(set) var bits: [String: [Bool]] = [:]

    init(topic: String, teamID: String, now: Int64) {
        self.topic = topic
        self.teamID = teamID
        self.now = now
    }

    /// Makes an operation with a new device token.
    ///
    /// - Parameter age: the milliseconds since the token was made and the request was received.
    func message(
        _ operation: Operation,
        _ device: String,
        in environment: String = "production",
        age: Int64 = 0
    ) -> Flotilla_Devicecheck_V1_DeviceCheck {
        let token = SimulatedDeviceToken(device: device, environment: environment, madeAt: self.now - age)
        var message = Flotilla_Devicecheck_V1_DeviceCheck()
        message.op = operation.rawValue
        message.teamID = self.teamID
        message.environment = environment
        message.deviceToken = token.base64
        message.tokenCreatedAt = Self.time(self.now - age)
        message.receivedAt = Self.time(self.now - age)
        return message
    }

    /// Makes an update that must be carried out.
    ///
    /// - Parameters:
    ///   - bits: the new bits; nil for a bit that the update does not name.
    ///   - leaving: both bits after the update.
    mutating func update(
        _ device: String,
        _ bits: [Bool?],
        leaving: [Bool],
        in environment: String = "production",
        requestedAt: Int64? = nil
    ) -> Flotilla_Devicecheck_V1_DeviceCheck {
        self.bits["\(environment)/\(device)"] = leaving
        return self.change(device, bits, in: environment, requestedAt: requestedAt)
    }

    /// Makes an update that must not be carried out.
    func change(
        _ device: String,
        _ bits: [Bool?],
        in environment: String = "production",
        requestedAt: Int64? = nil
    ) -> Flotilla_Devicecheck_V1_DeviceCheck {
        var message = self.message(.update, device, in: environment)
        if let bit = bits.first, let bit { message.bit0 = bit }
        if let bit = bits.last, let bit { message.bit1 = bit }
        if let requestedAt { message.requestedAt = Self.time(requestedAt) }
        return message
    }

    static func time(_ milliseconds: Int64) -> Google_Protobuf_Timestamp {
        Google_Protobuf_Timestamp(
            seconds: milliseconds / 1_000,
            nanos: Int32(milliseconds % 1_000) * 1_000_000
        )
    }

    /// Makes a record under the key of an account: operations with the same key keep their order.
    func record(
        _ message: Flotilla_Devicecheck_V1_DeviceCheck,
        of account: String,
        as format: ValueFormat = .json
    ) -> OutboundRecord {
        OutboundRecord(
            topic: self.topic,
            key: Array("account-\(account)".utf8),
            value: message.written(as: format),
            headers: [RecordHeader("content-type", format.contentType)]
        )
    }
}
