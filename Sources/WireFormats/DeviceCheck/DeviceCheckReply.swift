/// What Apple's answer to an operation means, by its status and then by its body. The content type says nothing: texts
/// and JSON have been seen under each other's.
package enum DeviceCheckReply: Hashable, Sendable {
    /// The bits, and the month of the last update as `YYYY-MM` if it is named.
    case state(DeviceBits, lastUpdateMonth: String?)
    /// Nobody has ever set bits for this device.
    case notSet
    /// Done as asked, or the token is valid.
    case done
    /// The token is malformed, or has expired, or belongs to the other environment.
    case badDeviceToken
    /// 400: our token is malformed, or its key is of the wrong kind.
    case badAuthorization
    /// 401: our token is not taken: expired, or the key is revoked, or is another one.
    case unauthorized
    /// The clock, or its unit.
    case badTimestamp
    /// What only a fault of this worker or of its configuration explains.
    case misconfigured
    /// A fault of this worker, or a device token that Apple cannot read.
    case badPayload
    /// The request is too large, and nothing in it but the device token can be.
    case tooLarge
    /// 400 without a reason that anybody knows.
    case unexplained
    /// A success that says nothing that can be read, perhaps of somebody on the way to Apple.
    case unreadable
    /// Apple cannot answer now.
    case unavailable
    /// A proxy on the way refused, and knows nothing of teams.
    case proxyRefused

    /// An answer is a hundred bytes; what is much longer comes from somebody else.
    package static let bytesLimit = 64 * 1024

    package init(to operation: DeviceCheckOperation, status: Int, body: [UInt8]) {
        switch status {
        case 200: self = Self.success(operation, body)
        case 400: self = Self.refusal(body)
        case 401: self = .unauthorized
        case 407, 421, 426: self = .proxyRefused
        case 408, 425, 429, 500...: self = .unavailable
        case 413, 414, 431: self = .tooLarge
        case ..<300: self = .unreadable
        default: self = .misconfigured
        }
    }

    private static func success(_ operation: DeviceCheckOperation, _ body: [UInt8]) -> Self {
        // A page is of somebody on the way, whatever it says.
        guard body.count <= Self.bytesLimit, !Self.isPage(body) else { return .unreadable }
        guard operation == .query else { return .done }
        if let object = JSONObject(body) { return Self.state(object) }
        let text = Self.words(of: body)
        return Self.neverSet.contains { text.contains($0) } ? .notSet : .unreadable
    }

    /// Unknown bits are never false bits: both have to be there, and Booleans.
    private static func state(_ object: JSONObject) -> Self {
        guard let bit0 = object.bool("bit0"), let bit1 = object.bool("bit1") else { return .unreadable }
        let month = object.string("last_update_time").flatMap { Self.isMonth($0) ? $0 : nil }
        return .state(DeviceBits(bit0: bit0, bit1: bit1), lastUpdateMonth: month)
    }

    private static func isMonth(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            parts[0].utf8.decimal(as: Int.self) != nil, let month = parts[1].utf8.decimal(as: Int.self)
        else { return false }
        return (1...12).contains(month)
    }

    /// The order matters: an authorization token is not a device token, and a device token has a payload.
    private static func refusal(_ body: [UInt8]) -> Self {
        guard body.count <= Self.bytesLimit, !Self.isPage(body) else { return .unexplained }
        let text = Self.words(of: body)
        for (words, meaning) in self.refusals where words.contains(where: { text.contains($0) }) {
            return meaning
        }
        return .unexplained
    }

    private static let refusals: [([String], Self)] = [
        (["authorization"], .badAuthorization),
        (["device token", "devicetoken"], .badDeviceToken),
        (["timestamp", "time stamp"], .badTimestamp),
        (["transaction", "bits", "bit0", "bit1"], .misconfigured), (["payload"], .badPayload),
    ]

    /// What is written today, and what the documentation says.
    private static let neverSet = ["failed to find bit state", "bit state not found"]

    /// The words of a text in lower case with one space between, so that neither case nor punctuation matters. A known
    /// text is then searched for in this one, never this one in a known text: an empty body is in all of them.
    private static func words(of body: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in body.lazy.map(\.lowercased) {
            if byte.isDigit || byte.isLowercase {
                text.append(byte)
            } else if text.last != UInt8(ascii: " ") {
                text.append(UInt8(ascii: " "))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Behind white space and a byte order mark, of whatever encoding that has one.
    private static func isPage(_ body: [UInt8]) -> Bool {
        body.first { 0x21...0x7F ~= $0 } == UInt8(ascii: "<")
    }
}
