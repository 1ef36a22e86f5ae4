package import WireFormats

/// An encryption of uploads, for a company that runs its own build of the SDK.
///
/// The SDK names the encryption of an upload by a number in the header `X-Crypt-Codec`: 1 is the standard one.
public protocol UploadCipher: Sendable {
    /// The number in `X-Crypt-Codec`. The number 0 means no encryption and cannot be replaced.
    var codec: Int { get }

    /// Returns the decrypted body. The body may be any bytes, because a phone has chosen them.
    ///
    /// The method is called for each upload on the thread that also serves the broker, so it must not block.
    ///
    /// - Parameter target: The path and the query of the request, with its `stm`.
    /// - Throws: any error if the body cannot be decrypted. The upload then ends as `upload.crypt`; the error
    ///   itself goes nowhere.
    func decrypt(_ body: [UInt8], target: String) throws -> [UInt8]
}

extension UploadCiphers {
    /// The standard encryptions, and these beside or instead of them.
    package init(_ ciphers: [any UploadCipher]) {
        self = .standard
        for cipher in ciphers {
            self.register(cipher.codec) { body, request in
                try? cipher.decrypt(body, target: request.target)
            }
        }
    }
}
