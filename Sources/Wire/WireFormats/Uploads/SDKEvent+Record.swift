import Cryptography

extension SDKEvent {
    /// The id of the event: 32 hexadecimal digits, the same each time a phone sends the event again.
    ///
    /// The SDK gives an event no id. Two events are the same if device, data source, type, name, time and session
    /// are; the counters and the element are added, because a page can report several elements in one
    /// millisecond.
    package var id: String {
        var text: [UInt8] = []
        for field in Self.identity {
            text += (self.text(field) ?? self.integer(field).map { String($0) } ?? "").utf8
            // No part of the id can hold this byte after UTF-8 was checked.
            text.append(0xFF)
        }
        text += self.type.name.utf8
        return String(decoding: Digest.sha256.hexadecimal(text).prefix(32), as: UTF8.self)
    }

    private static let identity: [SDKEventField] = [
        .dataSourceId, .deviceId, .eventName, .timestamp, .sessionId, .globalSequenceId, .eventSequenceId,
        .path,
        .xpath, .index,
    ]

    /// Returns the event as a record of the topic of events: its id, the upload that it came with, and all
    /// its fields in the SDK's own names.
    ///
    /// - Parameters:
    ///   - id: the event's `id`.
    ///   - account: the account of the upload's target.
    ///   - upload: the place of the upload: topic, partition and offset.
    ///   - receivedAt: the timestamp of the upload's record, in milliseconds since 1970.
    ///   - clientIP: the address of the phone, if the edge has told it.
    package func record(
        id: String,
        account: String,
        upload: String,
        receivedAt: Int64?,
        clientIP: String?
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 1_024)
        json.object { json in
            json.string("id", id)
            json.string("account", account)
            json.string("upload", upload)
            if let receivedAt { json.timestamp("receivedAt", receivedAt) }
            if let clientIP { json.string("clientIp", clientIP) }
            json.object("event") { self.write(to: &$0) }
        }
        return json.text
    }
}
