internal import COpenSSL

/// A digest algorithm, computed by OpenSSL.
///
/// MD5 and SHA-1 are here because upstreams ask for them by name, and SHA-1 because UUIDs of version 5 are made with
/// it; nothing of ours relies on their strength.
package enum Digest: String, Hashable, Sendable, CaseIterable {
    case md5
    case sha1
    case sha256

    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        }
    }

    /// False where OpenSSL is set up not to offer it, as in its FIPS mode. Worth asking once, before the first
    /// digest is needed: computing one that is not available is a failed precondition.
    package var isAvailable: Bool {
        unsafe self.implementation.pointer != nil
    }

    package func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
        self(bytes.span)
    }

    package func callAsFunction(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: self.byteCount) { output, count in
            var written: UInt32 = 0
            let succeeded = unsafe bytes.withUnsafeBytes { input in
                unsafe EVP_Digest(
                    input.baseAddress,
                    input.count,
                    output.baseAddress,
                    &written,
                    self.implementation.pointer,
                    nil
                )
            }
            precondition(succeeded == 1, "OpenSSL does not compute \(self.rawValue) here")
            count = Int(written)
        }
    }

    /// The digest as lower-case hexadecimal text.
    package func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        Hexadecimal.encode(self(bytes))
    }

    // Fetched once: looking an algorithm up by name costs several times what a short digest does.
    private static let fetchedMD5 = Implementation(named: "MD5")
    private static let fetchedSHA1 = Implementation(named: "SHA1")
    private static let fetchedSHA256 = Implementation(named: "SHA256")

    var implementation: Implementation {
        switch self {
        case .md5: Self.fetchedMD5
        case .sha1: Self.fetchedSHA1
        case .sha256: Self.fetchedSHA256
        }
    }

    /// What `EVP_MD_fetch` gave, kept for the life of the process.
    ///
    /// Unchecked, because OpenSSL documents a fetched EVP_MD as immutable and free to use from any thread.
    @safe struct Implementation: @unchecked Sendable {
        let pointer: OpaquePointer?

        init(named name: String) {
            unsafe self.pointer = EVP_MD_fetch(nil, name, nil)
        }
    }
}
