import Cryptography

/// The body of a request to DeviceCheck.
package struct DeviceCheckRequest: Hashable, Sendable {
    /// The device's token.
    package var token: DeviceToken
    /// The id of one operation of one record; it stays the same when the call is repeated.
    package var transactionID: String
    /// The time of this attempt, in UTC milliseconds since 1970.
    package var timestamp: Int64
    /// The bits of an update, always both: Apple does not document clearly what happens to one that is left
    /// out.
    package var bits: DeviceBits?

    package init(token: DeviceToken, transactionID: String, timestamp: Int64, bits: DeviceBits? = nil) {
        self.token = token
        self.transactionID = transactionID
        self.timestamp = timestamp
        self.bits = bits
    }

    /// Returns the id of an operation of a record: a UUID of version 5 over both, in a name space of our own.
    package static func transactionID(of recordID: String, _ operation: DeviceCheckOperation) -> String {
        UUIDv5.text(of: "\(recordID)/\(operation.rawValue)", in: Self.nameSpace)
    }

    private static let nameSpace: [UInt8] = [
        0x6f, 0x1d, 0x5c, 0x1e, 0x0a, 0x4b, 0x4c, 0x0e, 0x9d, 0x1b, 0x7e, 0x35, 0x50, 0x52, 0xa9, 0x3f,
    ]

    /// The body as JSON, with the field names as Apple spells them: Apple ignores a `bit_0` without an error.
    package var body: [UInt8] {
        var json = JSONWriter(reserving: self.token.text.count + 160)
        json.object { json in
            json.string("device_token", String(decoding: self.token.text, as: UTF8.self))
            json.string("transaction_id", self.transactionID)
            json.number("timestamp", self.timestamp)
            if let bits {
                json.bool("bit0", bits.bit0)
                json.bool("bit1", bits.bit1)
            }
        }
        return json.text
    }
}
