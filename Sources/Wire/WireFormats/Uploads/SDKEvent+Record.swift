import Cryptography

extension SDKEvent {
    /// The id of the event: 32 hexadecimal digits, the same each time a phone sends the event again.
    ///
    /// The SDK gives an event no id. Two events are the same if device, data source, type, name, time and session
    /// are; the counters and the element are added, because a page can report several elements in one
    /// millisecond. The SDK counts the events of a few types only, so what the others say is added too. An
    /// activation is the exception: its attributes can be filled in late, when the phone sends it again.
    package var id: String {
        var text: [UInt8] = []
        for field in Self.identity {
            text += self.identityText(of: field).utf8
            text.append(Self.separator)
        }
        let type = self.type
        text += type.name.utf8
        if type != .activate {
            for field in Self.content { self.appendEntries(of: field, to: &text) }
        }
        return String(decoding: Digest.sha256.hexadecimal(text).prefix(32), as: UTF8.self)
    }

    /// A byte that no part of the id can hold after UTF-8 was checked.
    private static let separator: UInt8 = 0xFF

    /// The text or the number of a field. A zero is the same as nothing, because protobuf does not write it.
    private func identityText(of field: SDKEventField) -> String {
        if let text = self.text(field) { return text }
        guard let number = self.integer(field), number != 0 else { return "" }
        return String(number)
    }

    /// Appends the entries of a map in an order that does not depend on the upload. An empty one is left out, as
    /// an empty text is.
    private func appendEntries(of field: SDKEventField, to text: inout [UInt8]) {
        let entries = self.entries(field).filter { !$0.value.isEmpty }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for (name, value) in entries {
            for part in [field.name, name, value] {
                text.append(Self.separator)
                text += part.utf8
            }
        }
    }

    /// The fields whose entries tell events apart that are no activations.
    private static let content: [SDKEventField] = [.attributes, .other]

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
        var json = JSONWriter(reserving: 1_024, replacesNull: true)
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
