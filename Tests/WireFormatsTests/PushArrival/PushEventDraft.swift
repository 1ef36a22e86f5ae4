import Records
import SwiftProtobuf
import WireMessages

@testable import WireFormats

/// A message of the topic `push-arrival` in the making: a good one, and what a test changes about it.
struct PushEventDraft {
    typealias Message = Flotilla_Pusharrival_V1_PushEvent

    /// 2026-11-21T08:00:00Z.
    static let sent: Int64 = 1_795_248_000_000
    static let now = Self.sent + 10_000

    var message = Message()

    init(_ change: (inout Message) -> Void = { _ in }) {
        self.message.type = "arrived"
        self.message.provider = "apns"
        self.message.messageID = "m-1"
        self.message.campaignID = "c-1"
        self.message.appBundle = "com.example.app"
        self.message.deviceID = "1E2DFA89-496A-47FD-9941-DF1FC4E6484A"
        self.message.eventID = "e-1"
        self.message.sentMs = Self.sent
        self.message.deviceMs = Self.sent + 1_000
        self.message.uploadMs = Self.sent + 1_250
        self.message.serverMs = Self.sent + 2_250
        change(&self.message)
    }

    var json: [UInt8] {
        get throws { try self.message.jsonUTF8Bytes() }
    }

    var protobuf: [UInt8] {
        get throws { try self.message.serializedBytes() }
    }

    func event(timestamp: Int64? = PushEventDraft.now) throws -> PushEvent {
        try PushEvent(decoding: Self.record(try self.protobuf, timestamp: timestamp), now: Self.now)
    }

    /// The reason for which the event was refused; nil if it was not.
    func refusal() throws -> (reason: Reason, header: PushEventHeader)? {
        do {
            _ = try self.event()
            return nil
        } catch PushEvent.Fault.refused(let reason, let header) {
            return (reason, header)
        }
    }

    static func record(
        _ value: [UInt8]?,
        _ headers: [RecordHeader] = [],
        timestamp: Int64? = PushEventDraft.now
    ) -> InboundRecord {
        InboundRecord(
            topic: "push-arrival",
            partition: 3,
            offset: 42,
            timestamp: timestamp,
            key: Array("k".utf8),
            value: value,
            headers: headers
        )
    }
}
