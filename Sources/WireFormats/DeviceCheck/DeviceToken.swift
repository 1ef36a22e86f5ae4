/// A device token as Apple takes it: standard base64 in one line. Opaque, about 3 KB, and good for one request.
package struct DeviceToken: Hashable, Sendable {
    package enum Fault: Error, Hashable, Sendable {
        case missing
        case tooLong
        case notBase64
    }

    package let text: [UInt8]

    /// Several times the longest that was ever seen.
    package static let textLimit = 16 * 1024

    /// White space is taken out: encoders that break lines are common, and no token has any. Everything else that is
    /// not padded, canonical base64 is refused rather than mended: what a mangled token meant is nobody's to guess.
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
