internal import COpenSSLForUpstreams
internal import Foundation

/// Signs JSON as Apple signs transactions: as a compact JWS with ES256 and the certificates in its header.
///
/// The class is `@unchecked Sendable` because OpenSSL allows any thread to use a key that is not modified.
@safe final class SignedDataWriter: @unchecked Sendable {
    private let key: OpaquePointer
    private let header: String

    /// Reads a private key in PEM; nil if OpenSSL cannot read it. `certificates` are DER in standard base64,
    /// leaf first.
    init?(keyPEM: String, certificates: [String]) {
        let text = Array(keyPEM.utf8)
        guard let source = unsafe BIO_new_mem_buf(text, Int32(clamping: text.count)) else { return nil }
        defer {
            unsafe BIO_free(source)
            ERR_clear_error()
        }
        guard let key = unsafe PEM_read_bio_PrivateKey(source, nil, nil, nil) else { return nil }
        unsafe self.key = key
        let list = certificates.map { "\"\($0)\"" }.joined(separator: ",")
        self.header = Self.base64URL(Array("{\"alg\":\"ES256\",\"x5c\":[\(list)]}".utf8))
    }

    deinit { unsafe EVP_PKEY_free(self.key) }

    /// Encodes and signs a payload; nil if it cannot be encoded or OpenSSL cannot sign.
    func signed(_ payload: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(payload) else { return nil }
        let input = "\(self.header).\(Self.base64URL(Array(json)))"
        return self.signature(of: Array(input.utf8)).map { "\(input).\(Self.base64URL($0))" }
    }

    /// The signature in 64 bytes: r and then s.
    private func signature(of message: [UInt8]) -> [UInt8]? {
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer {
            unsafe EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var der = [UInt8](repeating: 0, count: 128)
        var count = der.count
        guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, self.key, nil) == 1,
            unsafe EVP_DigestSign(context, &der, &count, message, message.count) == 1
        else { return nil }
        return Self.raw(Array(der.prefix(count)))
    }

    /// Converts a signature from DER to 64 bytes, r and then s.
    private static func raw(_ der: [UInt8]) -> [UInt8]? {
        let pair = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &position, buffer.count)
        }
        guard let pair = unsafe pair else { return nil }
        defer { unsafe ECDSA_SIG_free(pair) }
        var raw = [UInt8](repeating: 0, count: 64)
        let isWritten = unsafe raw.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            let r = unsafe BN_bn2binpad(ECDSA_SIG_get0_r(pair), start, 32)
            let s = unsafe BN_bn2binpad(ECDSA_SIG_get0_s(pair), start + 32, 32)
            return r == 32 && s == 32
        }
        return isWritten ? raw : nil
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
        return String(text.filter { $0 != "=" })
    }
}
