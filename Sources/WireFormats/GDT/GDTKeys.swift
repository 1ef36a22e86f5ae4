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
            if let objection = Self.objection(to: key) {
                throw Fault(description: "the \(name) \(objection)")
            }
        }
        self.signKey = Array(signKey.utf8)
        self.encryptKey = Array(encryptKey.utf8)
    }

    /// Why a text cannot be a key, as the end of a sentence that does not quote it; nil if it can be one.
    package static func objection(to key: String) -> String? {
        guard !key.isEmpty else { return "is empty" }
        return key.utf8.allSatisfy(\.isVisible)
            ? nil : "holds white space or characters that are not ASCII"
    }
}

extension GDTKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "GDTKeys(redacted)" }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
