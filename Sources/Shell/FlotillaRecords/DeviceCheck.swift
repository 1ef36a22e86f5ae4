import SwiftProtobuf
import WireFormats
package import WireMessages

/// A question or a change about a device's two bits at Apple, for the topic `devicecheck`.
public struct DeviceCheck: RecordContent {
    /// The topic's name where no setting says otherwise.
    public static let topic = "devicecheck"

    package var message: Flotilla_Devicecheck_V1_DeviceCheck

    package init(_ message: Flotilla_Devicecheck_V1_DeviceCheck) { self.message = message }

    /// Makes a value in which nothing is set.
    public init() { self.message = Flotilla_Devicecheck_V1_DeviceCheck() }

    public init(decoding record: Record) throws(RecordError) {
        self.message = try record.decoded()
    }

    public func encoded(as format: RecordFormat) throws(RecordError) -> [UInt8] {
        try format.encode(self.message)
    }

    /// `query`, `update` or `validate`.
    public var operation: String {
        get { self.message.op }
        set { self.message.op = newValue }
    }

    /// The developer team, 10 characters. It may be empty if the worker knows one team only.
    public var teamID: String {
        get { self.message.teamID }
        set { self.message.teamID = newValue }
    }

    /// `production`, also if it is empty, or `development`.
    public var environment: String {
        get { self.message.environment }
        set { self.message.environment = newValue }
    }

    /// The token of `DCDevice.generateToken` in standard base64. Do not log it.
    public var deviceToken: String {
        get { self.message.deviceToken }
        set { self.message.deviceToken = newValue }
    }

    /// The time at which the device made the token, in milliseconds since 1970 by the device's clock.
    public var tokenCreatedAtMS: Int64? {
        get { self.message.hasTokenCreatedAt ? self.message.tokenCreatedAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.tokenCreatedAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearTokenCreatedAt()
            }
        }
    }

    /// The time at which your edge received the token, in milliseconds since 1970.
    public var receivedAtMS: Int64? {
        get { self.message.hasReceivedAt ? self.message.receivedAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.receivedAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearReceivedAt()
            }
        }
    }

    /// The time at which the operation was decided upon, in milliseconds since 1970. An older update of a
    /// subject is dropped.
    public var requestedAtMS: Int64? {
        get { self.message.hasRequestedAt ? self.message.requestedAt.milliseconds : nil }
        set {
            if let newValue {
                self.message.requestedAt = Google_Protobuf_Timestamp(milliseconds: newValue)
            } else {
                self.message.clearRequestedAt()
            }
        }
    }

    /// The first bit, if an update sets it.
    public var bit0: Bool? {
        get { self.message.hasBit0 ? self.message.bit0 : nil }
        set {
            if let newValue { self.message.bit0 = newValue } else { self.message.clearBit0() }
        }
    }

    /// The second bit, if an update sets it.
    public var bit1: Bool? {
        get { self.message.hasBit1 ? self.message.bit1 : nil }
        set {
            if let newValue { self.message.bit1 = newValue } else { self.message.clearBit1() }
        }
    }

    /// The account or installation that the bits are about, at most 256 bytes; the record's key if it is
    /// empty.
    public var subject: String {
        get { self.message.subject }
        set { self.message.subject = newValue }
    }

    /// Your own name for the request, at most 256 bytes. The result repeats it.
    public var requestID: String {
        get { self.message.requestID }
        set { self.message.requestID = newValue }
    }

    /// The app, at most 256 bytes. The result repeats it.
    public var bundleID: String {
        get { self.message.bundleID }
        set { self.message.bundleID = newValue }
    }
}
