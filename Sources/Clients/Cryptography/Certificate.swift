internal import COpenSSL

/// An X.509 certificate (RFC 5280) that was parsed. A certificate that can be parsed is not yet a trusted
/// one: `TrustAnchors` decides about trust.
///
/// Unchecked, because an X509 that no thread changes may be read from any thread. OpenSSL works out some
/// parts of it later (its cached extensions), and does so under a lock of its own.
@safe package final class Certificate: @unchecked Sendable {
    let x509: OpaquePointer

    /// The certificate in DER.
    package let der: [UInt8]
    /// The seconds since 1970 at which the certificate is valid. The end is not included.
    package let validity: Range<Int64>

    /// The longest certificate that is parsed, in bytes of DER. Apple's certificates have about 1 KB. Parsing
    /// one costs a tenth of a millisecond, and more the larger it is.
    package static let bytesLimit = 16 * 1024

    /// Parses one certificate in DER. Nil if the bytes are anything else or hold more than that, are longer
    /// than `bytesLimit`, or name no readable validity. OpenSSL reads other encodings of the same content too;
    /// they are refused, so that equal certificates have equal bytes.
    package convenience init?(der: [UInt8]) {
        guard der.count <= Self.bytesLimit else { return nil }
        defer { ERR_clear_error() }
        let x509 = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            guard let x509 = unsafe d2i_X509(nil, &position, bytes.count) else { return nil }
            guard unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }),
                unsafe Self.der(of: x509) == der
            else {
                unsafe X509_free(x509)
                return nil
            }
            return unsafe x509
        }
        guard let x509 = unsafe x509 else { return nil }
        unsafe self.init(takingOwnershipOf: x509, der: der)
    }

    /// Keeps a certificate that OpenSSL parsed as part of something else, with a reference of its own. Nil if
    /// the certificate cannot be written out again as DER of at most `bytesLimit` bytes.
    convenience init?(retaining x509: OpaquePointer) {
        defer { ERR_clear_error() }
        guard let der = unsafe Self.der(of: x509), unsafe X509_up_ref(x509) == 1 else { return nil }
        unsafe self.init(takingOwnershipOf: x509, der: der)
    }

    /// Returns the one encoding that DER allows for a certificate; nil if it has more than `bytesLimit` bytes.
    private static func der(of x509: OpaquePointer) -> [UInt8]? {
        let length = unsafe i2d_X509(x509, nil)
        guard length > 0, length <= Self.bytesLimit else { return nil }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { output, count in
            var position = output.baseAddress
            count = Int(max(unsafe i2d_X509(x509, &position), 0))
        }
    }

    /// Takes over the caller's reference, also if the result is nil: the certificate is then freed. Nil if
    /// the validity cannot be read.
    private init?(takingOwnershipOf x509: OpaquePointer, der: [UInt8]) {
        unsafe self.x509 = x509
        self.der = der
        var notBefore: Int64 = 0
        var notAfter: Int64 = 0
        guard unsafe fl_asn1_time_seconds(X509_get0_notBefore(x509), &notBefore) == 1,
            unsafe fl_asn1_time_seconds(X509_get0_notAfter(x509), &notAfter) == 1,
            notBefore <= notAfter
        else {
            self.validity = 0..<0
            return nil
        }
        self.validity = notBefore..<notAfter
    }

    deinit { unsafe X509_free(self.x509) }

    /// The key of the certificate's subject; nil if OpenSSL cannot read it. Each call makes a new key.
    package var publicKey: PublicKey? {
        defer { ERR_clear_error() }
        guard let key = unsafe X509_get_pubkey(self.x509) else { return nil }
        return unsafe PublicKey(takingOwnershipOf: key)
    }

    /// The name of the subject as text (RFC 2253), such as `CN=worker,O=Example`; nil if OpenSSL cannot write it.
    package var subject: String? {
        defer { ERR_clear_error() }
        guard let name = unsafe X509_get_subject_name(self.x509), let bio = unsafe BIO_new(BIO_s_mem())
        else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe fl_x509_name_print(bio, name) >= 0 else { return nil }
        var text = [UInt8](repeating: 0, count: Self.bytesLimit)
        let count = unsafe text.withUnsafeMutableBytes {
            unsafe BIO_read(bio, $0.baseAddress, Int32($0.count))
        }
        return count > 0 ? String(validating: text.prefix(Int(count)), as: UTF8.self) : nil
    }

    /// Returns whether the certificate has an extension with this object identifier, whatever the extension
    /// says.
    ///
    /// - Parameter identifier: the object identifier in dotted form. Text that is none ends the process.
    package func hasExtension(_ identifier: String) -> Bool {
        guard let object = unsafe OBJ_txt2obj(identifier, 1) else {
            preconditionFailure("not an object identifier: \(identifier)")
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        return unsafe X509_get_ext_by_OBJ(self.x509, object, -1) >= 0
    }

    /// Returns all certificates of a file: one in DER, or any number in PEM. Nil if the file holds none, or
    /// one that cannot be parsed.
    package static func all(in file: [UInt8]) -> [Certificate]? {
        if let certificate = Certificate(der: file) { return [certificate] }
        defer { ERR_clear_error() }
        return unsafe file.withUnsafeBytes { bytes -> [Certificate]? in
            guard let length = Int32(exactly: bytes.count),
                let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, length)
            else { return nil }
            defer { unsafe BIO_free(bio) }
            var certificates: [Certificate] = []
            while let x509 = unsafe PEM_read_bio_X509(bio, nil, nil, nil) {
                defer { unsafe X509_free(x509) }
                guard let certificate = unsafe Certificate(retaining: x509) else { return nil }
                certificates.append(certificate)
            }
            let end = ERR_peek_last_error()
            let isAtEnd = end >> 23 & 0xFF == ERR_LIB_PEM && end & 0x7F_FFFF == PEM_R_NO_START_LINE
            return isAtEnd && !certificates.isEmpty ? certificates : nil
        }
    }
}
