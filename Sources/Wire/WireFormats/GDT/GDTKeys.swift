/// The two keys that GDT issues for an app of an advertiser. Descriptions and mirrors do not show them.
package struct GDTKeys: Hashable, Sendable {
    /// The reason why a key cannot be used, in a sentence that names the key without quoting it.
    package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The sentence.
        package var description: String
    }

    let signKey: [UInt8]
    let encryptKey: [UInt8]

    /// Checks the two keys: visible ASCII, at least one character. Anything else is a mistake in the
    /// configuration. An empty key cannot encrypt, white space is left over from a file, and other characters
    /// are different bytes in different implementations.
    package init(signKey: String, encryptKey: String) throws(Fault) {
        for (name, key) in [("sign key", signKey), ("encrypt key", encryptKey)] {
            if let objection = Self.objection(to: key) {
                throw Fault(description: "the \(name) \(objection)")
            }
        }
        self.signKey = Array(signKey.utf8)
        self.encryptKey = Array(encryptKey.utf8)
    }

    /// One of the two keys; the raw value is its name in the configuration.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        case signKey = "sign_key"
        case encryptKey = "encrypt_key"
    }

    /// Returns these keys with one of them replaced.
    ///
    /// - Throws: `Fault` if the text cannot be a key.
    package func replacing(_ part: Part, by key: String) throws(Fault) -> GDTKeys {
        if let objection = Self.objection(to: key) { throw Fault(description: "it \(objection)") }
        switch part {
        case .signKey: return GDTKeys(Array(key.utf8), self.encryptKey)
        case .encryptKey: return GDTKeys(self.signKey, Array(key.utf8))
        }
    }

    private init(_ signKey: [UInt8], _ encryptKey: [UInt8]) {
        self.signKey = signKey
        self.encryptKey = encryptKey
    }

    /// Returns the reason why a text cannot be a key, as the end of a sentence that does not quote it; nil if
    /// it can.
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
