internal import COpenSSL

/// Computes one SHA-256 after the other in the same memory, for whoever needs millions. Belongs to one thread.
@safe package final class DigestMachine {
    private let context: OpaquePointer
    private let algorithm: OpaquePointer?

    package init() {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        unsafe self.context = context
        unsafe self.algorithm = Digest.sha256.implementation.pointer
    }

    deinit { unsafe EVP_MD_CTX_free(self.context) }

    /// Puts the digest of some bytes in the place of what `digest` holds.
    package func callAsFunction(_ bytes: [UInt8], into digest: inout [UInt8]) {
        self(bytes.span, into: &digest)
    }

    /// The same of bytes that are somebody else's.
    package func callAsFunction(_ bytes: Span<UInt8>, into digest: inout [UInt8]) {
        let count = Digest.sha256.byteCount
        if digest.count != count { digest = [UInt8](repeating: 0, count: count) }
        let succeeded = unsafe bytes.withUnsafeBytes { input in
            unsafe EVP_DigestInit_ex2(self.context, self.algorithm, nil) == 1
                && EVP_DigestUpdate(self.context, input.baseAddress, input.count) == 1
        }
        let isDone = unsafe digest.withUnsafeMutableBytes { output in
            unsafe EVP_DigestFinal_ex(self.context, output.baseAddress, nil) == 1
        }
        precondition(succeeded && isDone, "OpenSSL does not compute SHA-256 here")
    }
}
