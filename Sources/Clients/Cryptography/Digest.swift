internal import COpenSSL
internal import Synchronization

/// A digest algorithm, computed by OpenSSL.
///
/// MD5 and SHA-1 are here because upstreams ask for them by name, and because UUIDs of version 5 are made
/// with SHA-1. Nothing in this package relies on their strength.
package enum Digest: String, Hashable, Sendable, CaseIterable {
    case md5
    case sha1
    case sha256
    case sha512

    /// The length of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// Whether OpenSSL offers the algorithm. It does not where it is configured so, as in its FIPS mode.
    ///
    /// A program should ask this once before it needs the first digest: computing one that is not available
    /// ends the process.
    package var isAvailable: Bool {
        unsafe self.implementation.pointer != nil
    }

    /// Returns the digest of these bytes.
    package func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
        self(bytes.span)
    }

    /// Returns the digest of bytes that another value owns; they are only read during the call.
    package func callAsFunction(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: self.byteCount) { output, count in
            let spare = unsafe Self.spareContext.exchange(nil, ordering: .acquiring)
            guard let context = unsafe spare ?? EVP_MD_CTX_new() else {
                preconditionFailure("out of memory")
            }
            let succeeded = unsafe bytes.withUnsafeBytes { input in
                unsafe EVP_DigestInit_ex2(context, self.implementation.pointer, nil) == 1
                    && EVP_DigestUpdate(context, input.baseAddress, input.count) == 1
                    && EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1
            }
            precondition(succeeded, "OpenSSL does not compute \(self.rawValue) here")
            unsafe EVP_MD_CTX_free(Self.spareContext.exchange(context, ordering: .acquiringAndReleasing))
            count = self.byteCount
        }
    }

    /// A context that no thread uses at the moment; nil if there is none. To make one for each digest costs as much
    /// as a short digest itself. The thread that takes it out is its only owner.
    private nonisolated(unsafe) static let spareContext = unsafe Atomic<OpaquePointer?>(nil)

    /// Returns the digest as lower-case hexadecimal text in UTF-8.
    package func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        Hexadecimal.encode(self(bytes))
    }

    // Fetched once: to look an algorithm up by name costs several times as much as a short digest.
    private static let fetchedMD5 = Implementation(named: "MD5")
    private static let fetchedSHA1 = Implementation(named: "SHA1")
    private static let fetchedSHA256 = Implementation(named: "SHA256")
    private static let fetchedSHA512 = Implementation(named: "SHA512")

    var implementation: Implementation {
        switch self {
        case .md5: Self.fetchedMD5
        case .sha1: Self.fetchedSHA1
        case .sha256: Self.fetchedSHA256
        case .sha512: Self.fetchedSHA512
        }
    }

    /// An algorithm from `EVP_MD_fetch`, kept until the process ends. Its pointer is nil if OpenSSL does not
    /// offer the algorithm.
    ///
    /// Unchecked, because OpenSSL documents a fetched EVP_MD as immutable and free to use from any thread.
    @safe struct Implementation: @unchecked Sendable {
        let pointer: OpaquePointer?

        init(named name: String) {
            unsafe self.pointer = EVP_MD_fetch(nil, name, nil)
        }
    }
}
