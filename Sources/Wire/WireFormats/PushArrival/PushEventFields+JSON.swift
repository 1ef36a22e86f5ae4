// JSON by proto3's mapping, except that the payload may also be an object. Usual spellings are taken directly
// from the text, which is several times faster than the general decoder. The general decoder decides about
// everything else.
extension PushEventFields {
    /// Reads a record in its usual spelling. Nil for any other record, correct or not.
    init?(json record: JSONOutline) {
        self.init()
        guard record.kind(record.root) == .object else { return nil }
        let end = record.index(after: record.root)
        var name = record.root + 1
        while name < end {
            guard !record.hasEscapes(name), self.read(record, name, value: name + 1) else { return nil }
            name = record.index(after: name + 1)
        }
    }

    /// Returns a record's bytes with null in place of every payload that is neither a string nor null, and
    /// the last payload if it was one of those. Nil if there are none.
    static func withoutPayloads(_ record: JSONOutline) -> (bytes: [UInt8], last: ArraySlice<UInt8>?)? {
        var bytes: [UInt8] = []
        var last: ArraySlice<UInt8>?
        var position = 0
        record.members(of: record.root) { name, value in
            guard record.isNamed(name, "payload") else { return }
            let isText = record.kind(value) == .string || record.kind(value) == .null
            last = isText ? nil : record.bytes(value)
            guard !isText else { return }
            bytes += record.text[position..<record.range(value).lowerBound] + "null".utf8
            position = record.range(value).upperBound
        }
        guard position > 0 else { return nil }
        return (bytes + record.text[position...], last)
    }

    /// The field number of each name; readers of proto3's mapping accept both spellings of a name.
    private static let numbers: [String: Int] = [
        "type": 1, "provider": 2, "messageId": 3, "message_id": 3, "campaignId": 4, "campaign_id": 4,
        "appBundle": 5, "app_bundle": 5, "deviceId": 6, "device_id": 6, "eventId": 7, "event_id": 7,
        "environment": 8, "status": 9, "reason": 10, "sentMs": 11, "sent_ms": 11, "deviceMs": 12,
        "device_ms": 12, "uploadMs": 13, "upload_ms": 13, "serverMs": 14, "server_ms": 14,
        "nseEligible": 15, "nse_eligible": 15, "payload": 16, "payloadSha256": 17, "payload_sha256": 17,
        "appVersion": 18, "app_version": 18, "osVersion": 19, "os_version": 19, "deviceModel": 20,
        "device_model": 20, "country": 21, "valueMicros": 22, "value_micros": 22, "currency": 23,
    ]

    /// Returns the number of a name; nil for one that no field has. A device chooses the names, and hashing a long one
    /// can take hours.
    private static func number(of name: some Collection<UInt8>) -> Int? {
        name.count <= 32 ? self.numbers[String(decoding: name, as: UTF8.self)] : nil
    }

    private mutating func read(_ record: JSONOutline, _ name: Int, value: Int) -> Bool {
        switch Self.number(of: record.bytes(name)) {
        case 1: record.take(value, into: &self.type)
        case 2: record.take(value, into: &self.provider)
        case 3: record.take(value, into: &self.messageID)
        case 4: record.take(value, into: &self.campaignID)
        case 5: record.take(value, into: &self.appBundle)
        case 6: record.take(value, into: &self.deviceID)
        case 7: record.take(value, into: &self.eventID)
        case 8: record.take(value, into: &self.environment)
        case 9: record.take(value, into: &self.status)
        case 10: record.take(value, into: &self.reason)
        case 11: record.take(value, into: &self.sentMS)
        case 12: record.take(value, into: &self.deviceMS)
        case 13: record.take(value, into: &self.uploadMS)
        case 14: record.take(value, into: &self.serverMS)
        case 15: record.take(value, into: &self.isEligible)
        case 16: record.takeText(value, into: &self.payload)
        case 17: record.take(value, into: &self.payloadSHA256)
        case 18: record.take(value, into: &self.appVersion)
        case 19: record.take(value, into: &self.osVersion)
        case 20: record.take(value, into: &self.deviceModel)
        case 21: record.take(value, into: &self.country)
        case 22: record.take(value, into: &self.valueMicros)
        case 23: record.take(value, into: &self.currency)
        // A field that we do not know. The general decoder decides whether its lists and objects nest too
        // deep.
        default: record.kind(value) != .array && record.kind(value) != .object
        }
    }
}

/// Functions that put a value into a field. They return false for any but the usual spelling.
extension JSONOutline {
    fileprivate func take(_ value: Int, into field: inout String) -> Bool {
        switch self.kind(value) {
        case .null: field = ""
        case .string:
            guard !self.hasEscapes(value) else { return false }
            field = String(decoding: self.bytes(value), as: UTF8.self)
        default: return false
        }
        return true
    }

    fileprivate func take(_ value: Int, into field: inout Int64?) -> Bool {
        switch self.kind(value) {
        case .null: field = nil
        case .number, .string:
            let digits = self.bytes(value)
            guard digits.count == 1 || digits.first != UInt8(ascii: "0"),
                let number = digits.decimal(as: Int64.self)
            else { return false }
            field = number
        default: return false
        }
        return true
    }

    fileprivate func take(_ value: Int, into field: inout Bool?) -> Bool {
        switch self.kind(value) {
        case .null: field = nil
        case .true: field = true
        case .false: field = false
        default: return false
        }
        return true
    }

    /// Takes the payload: of a string its content, of any other value its text.
    fileprivate func takeText(_ value: Int, into field: inout [UInt8]) -> Bool {
        switch self.kind(value) {
        case .null: field = []
        case .string:
            guard let text = self.strictlyUnescaped(value) else { return false }
            field = text
        default: field = Array(self.bytes(value))
        }
        return true
    }
}
