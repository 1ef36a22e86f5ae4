/// The names of a message's fields in JSON. proto3's mapping reads the names of the .proto file too, such as
/// `app_id` beside `appId`.
///
/// The lists are written by hand, because the generated code does not show its names; a test compares them with
/// `Schemas/json`.
package struct SchemaFields: Sendable {
    /// One accepted spelling of a name.
    private struct Spelling: Sendable {
        var bytes: [UInt8]
        /// The field's index in `names`.
        var field: Int
    }

    /// The names in lowerCamelCase; at most 64.
    package let names: [String]
    /// The accepted spellings, by their number of bytes.
    private let spellings: [[Spelling]]

    /// Takes the names of a message with at most 64 fields.
    package init(_ names: [String]) {
        precondition(names.count <= 64, "a set of fields has 64 bits")
        self.names = names
        let spellings = names.enumerated().flatMap { field, name in
            Set([name, ProtobufName.snakeCase(name)]).map { Spelling(bytes: Array($0.utf8), field: field) }
        }
        let longest = spellings.map(\.bytes.count).max() ?? 0
        self.spellings = (0...longest).map { count in spellings.filter { $0.bytes.count == count } }
    }

    /// Returns the index in `names` of the field with the name that stands in this range of a text, without
    /// escapes; nil if there is none.
    func index(of range: Range<Int>, in text: [UInt8]) -> Int? {
        guard range.count < self.spellings.count else { return nil }
        return self.spellings[range.count].first { spelling in
            spelling.bytes.indices.allSatisfy { spelling.bytes[$0] == text[range.lowerBound + $0] }
        }?.field
    }
}

extension SchemaFields {
    /// The fields of `flotilla.activation.v1.Activation`.
    package static let activation = SchemaFields([
        "appId", "advertiserId", "appType", "conversionType", "deviceId", "muid", "convertedAt", "clientIp",
        "clickId", "value", "trackingAuthorized", "hashOaid", "hashAndroidId", "caid", "caidVersion",
        "userAgent", "callback",
    ])

    /// The fields of `flotilla.devicecheck.v1.DeviceCheck`.
    package static let deviceCheck = SchemaFields([
        "op", "teamId", "environment", "deviceToken", "tokenCreatedAt", "receivedAt", "requestedAt", "bit0",
        "bit1", "subject", "requestId", "bundleId",
    ])

    /// The fields of `flotilla.receipt.v1.Receipt`.
    package static let receipt = SchemaFields([
        "bundleId", "receiptData", "transactionId", "productId", "environment", "requestId", "receivedAt",
    ])

    /// The fields of `flotilla.pusharrival.v1.PushEvent`.
    package static let pushEvent = SchemaFields([
        "type", "provider", "messageId", "campaignId", "appBundle", "deviceId", "eventId", "environment",
        "status", "reason", "sentMs", "deviceMs", "uploadMs", "serverMs", "nseEligible", "payload",
        "payloadSha256", "appVersion", "osVersion", "deviceModel", "country", "valueMicros", "currency",
    ])
}
