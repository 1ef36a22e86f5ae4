/// The two keys that GDT issues for an app of an advertiser. Never printed, however they are looked at.
package struct GDTKeys: Hashable, Sendable {
    /// Says which key cannot be used and why, without quoting it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    let signKey: [UInt8]
    let encryptKey: [UInt8]

    /// Keys are visible ASCII, at least one character. Anything else is a mistake in the configuration: an empty
    /// key cannot encrypt, white space is left over from a file, and other characters mean different bytes to
    /// different implementations.
    package init(signKey: String, encryptKey: String) throws(Fault) {
        for (name, key) in [("sign key", signKey), ("encrypt key", encryptKey)] {
            guard !key.isEmpty else {
                throw Fault(description: "the \(name) is empty")
            }
            guard key.utf8.allSatisfy(\.isVisible) else {
                throw Fault(description: "the \(name) holds white space or characters that are not ASCII")
            }
        }
        self.signKey = Array(signKey.utf8)
        self.encryptKey = Array(encryptKey.utf8)
    }
}

extension GDTKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "GDTKeys(redacted)" }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
