internal import COpenSSL

/// Computes many SHA-256 digests, one after the other, without allocating memory for each. A machine belongs
/// to one thread.
@safe package final class DigestMachine {
    private let context: OpaquePointer
    private let algorithm: OpaquePointer?

    /// Makes a machine. It ends the process if memory has run out.
    package init() {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        unsafe self.context = context
        unsafe self.algorithm = Digest.sha256.implementation.pointer
    }

    deinit { unsafe EVP_MD_CTX_free(self.context) }

    /// Replaces the content of `digest` by the digest of these bytes.
    package func callAsFunction(_ bytes: [UInt8], into digest: inout [UInt8]) {
        self(bytes.span, into: &digest)
    }

    /// Replaces the content of `digest` by the digest of bytes that another value owns; they are only read
    /// during the call.
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
