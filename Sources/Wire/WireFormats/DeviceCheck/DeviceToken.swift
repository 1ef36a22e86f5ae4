/// A device token as Apple accepts it: standard base64 on one line. Its content is opaque, it has about 3 KB,
/// and it is good for one request. Descriptions and mirrors do not show it.
package struct DeviceToken: Hashable, Sendable {
    /// The reason why a text is no device token.
    package enum Fault: Error, Hashable, Sendable {
        case missing
        case tooLong
        case notBase64
    }

    /// The token's base64, without white space.
    package let text: [UInt8]

    /// The longest token in bytes of base64: several times the longest that has been seen.
    package static let textLimit = 16 * 1024

    /// Checks a token. White space is removed, because many encoders break lines and no token has any.
    /// Everything else that is not padded, canonical base64 is refused and not repaired, because the meaning
    /// of a damaged token is unknown.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.textLimit * 2 else { throw .tooLong }
        let bytes = text.utf8.filter { !$0.isWhiteSpace }
        guard !bytes.isEmpty else { throw .missing }
        guard bytes.count <= Self.textLimit else { throw .tooLong }
        guard Base64.decode(bytes) != nil else { throw .notBase64 }
        self.text = bytes
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "DeviceToken(\(self.text.count) bytes)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
