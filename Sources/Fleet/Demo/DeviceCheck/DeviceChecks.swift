import Records
import SwiftProtobuf
import UpstreamSimulator
import WireFormats
import WireMessages

/// Makes operations on the bits of devices, and remembers what the bits have to be in the end.
struct DeviceChecks {
    enum Operation: String {
        case query, update, validate
    }

    let topic: String
    let teamID: String
    /// Wall-clock milliseconds since 1970.
    var now: Int64
    /// By environment and device.
    private(set) var bits: [String: [Bool]] = [:]

    init(topic: String, teamID: String, now: Int64) {
        self.topic = topic
        self.teamID = teamID
        self.now = now
    }

    /// An operation with a token that the device has just made.
    ///
    /// - Parameter age: how long ago the token was made and came in, in milliseconds.
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

    /// An update that is done, after which the bits are these.
    ///
    /// - Parameters:
    ///   - bits: those that the update names; nil for one that it leaves as it is.
    ///   - leaving: both, in the end.
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

    /// An update that nobody is to carry out.
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

    /// Under the key of an account: operations of one key keep their order.
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
