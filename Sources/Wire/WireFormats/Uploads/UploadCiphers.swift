/// The encryptions that an upload can name in `X-Crypt-Codec`, by their numbers.
package struct UploadCiphers: Sendable {
    /// Returns a decrypted body; nil if the body cannot be decrypted.
    package typealias Cipher = @Sendable (_ body: [UInt8], _ request: SDKUploadRequest) -> [UInt8]?

    /// The encryption of GrowingIO's own SDKs alone.
    package static let standard = UploadCiphers()

    private var ciphers: [String: Cipher] = [:]
    /// No number has more bytes.
    private static let codecBytesLimit = 20

    /// Adds an encryption, or replaces the one with this number. The number 0 stays "not encrypted".
    package mutating func register(_ number: Int, _ cipher: @escaping Cipher) {
        self.ciphers[String(number)] = cipher
    }

    /// Returns the body without its encryption.
    func decrypted(_ request: SDKUploadRequest) throws(SDKUploadFault) -> [UInt8] {
        guard let codec = request.cryptCodec else { return request.body }
        guard codec.utf8.count <= Self.codecBytesLimit else { throw .unknownCryptCodec }
        guard codec != "0" else { return request.body }
        if let cipher = self.ciphers[codec] {
            guard let body = cipher(request.body, request) else { throw .crypt }
            return body
        }
        guard codec == "1" else { throw .unknownCryptCodec }
        guard let factor = request.factor else { throw .stm }
        let body = request.body.span
        return unsafe [UInt8](unsafeUninitializedCapacity: body.count) { output, count in
            for index in body.indices { unsafe output[index] = body[index] ^ factor }
            count = body.count
        }
    }
}
