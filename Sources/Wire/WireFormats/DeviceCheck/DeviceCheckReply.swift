/// The meaning of Apple's answer to an operation, decided by its status and then by its body. The content
/// type is ignored, because texts have been seen under the type of JSON, and JSON under that of text.
package enum DeviceCheckReply: Hashable, Sendable {
    /// The bits, and the month of the last update as `YYYY-MM` if Apple names it.
    case state(DeviceBits, lastUpdateMonth: String?)
    /// No bits have ever been set for this device.
    case notSet
    /// Apple did what was asked, or the token is valid.
    case done
    /// The device token is malformed, has expired, or belongs to the other environment.
    case badDeviceToken
    /// Status 400: our authorization token is malformed, or its key is of the wrong kind.
    case badAuthorization
    /// Status 401: Apple does not accept our authorization token. It has expired, or the key is revoked or
    /// another one.
    case unauthorized
    /// Apple refuses the timestamp: our clock or its unit is wrong.
    case badTimestamp
    /// An answer that only a fault of this worker or of its configuration explains.
    case misconfigured
    /// Apple refuses the payload: a fault of this worker, or a device token that Apple cannot read.
    case badPayload
    /// The request is too large; only its device token can make it so.
    case tooLarge
    /// Status 400 without a reason that is known.
    case unexplained
    /// A success whose body cannot be read; perhaps a proxy answered instead of Apple.
    case unreadable
    /// Apple cannot answer now.
    case unavailable
    /// A proxy between us and Apple refused the request; this says nothing about our team or key.
    case proxyRefused

    /// The most bytes of an answer. Apple's answers have about a hundred bytes, so a much longer body is not
    /// Apple's.
    package static let bytesLimit = 64 * 1024

    /// Reads the response to an operation.
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
        // An HTML or XML page comes from a proxy, whatever the status says.
        guard body.count <= Self.bytesLimit, !Self.isPage(body) else { return .unreadable }
        guard operation == .query else { return .done }
        if let object = JSONObject(body) { return Self.state(object) }
        let text = Self.words(of: body)
        return Self.neverSet.contains { text.contains($0) } ? .notSet : .unreadable
    }

    /// Reads the bits. A missing bit is unknown and not false, so both have to be there and be Booleans.
    private static func state(_ object: JSONObject) -> Self {
        guard let bit0 = object.bool("bit0"), let bit1 = object.bool("bit1") else { return .unreadable }
        let month = object.string("last_update_time").flatMap { Self.isMonth($0) ? $0 : nil }
        return .state(DeviceBits(bit0: bit0, bit1: bit1), lastUpdateMonth: month)
    }

    private static func isMonth(_ text: String) -> Bool {
        guard text.utf8.count == 7 else { return false }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            parts[0].utf8.decimal(as: Int.self) != nil, let month = parts[1].utf8.decimal(as: Int.self)
        else { return false }
        return (1...12).contains(month)
    }

    /// Finds the reason of a refusal. The order of the words matters: an authorization token is no device
    /// token, and a text about a device token may speak of its payload too.
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

    /// The text that Apple sends today, and the one in its documentation.
    private static let neverSet = ["failed to find bit state", "bit state not found"]

    /// Returns the words of a text in lower case with single spaces between, so that neither case nor
    /// punctuation matters. Known words are searched for in this text and never this text in known words,
    /// because an empty body would be found in all of them.
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

    /// Returns whether the body is a page: whether its first visible ASCII character is `<`. White space and
    /// a byte order mark of any encoding before it are skipped.
    private static func isPage(_ body: [UInt8]) -> Bool {
        body.first { 0x21...0x7F ~= $0 } == UInt8(ascii: "<")
    }
}
