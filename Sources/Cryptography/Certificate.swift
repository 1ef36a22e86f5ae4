internal import COpenSSL

/// An X.509 certificate (RFC 5280), as it was parsed. That it parses says nothing about whom to trust.
///
/// Unchecked, because an X509 that nobody changes may be read from any thread; what OpenSSL works out about it
/// later (its cached extensions) is under a lock of its own.
@safe package final class Certificate: @unchecked Sendable {
    let x509: OpaquePointer

    /// The bytes it was read from.
    package let der: [UInt8]
    /// From when until when (not included) it is valid, in seconds since 1970.
    package let validity: Range<Int64>

    /// A certificate of ours has about 1 KB. Parsing one costs a tenth of a millisecond, more with its size.
    package static let bytesLimit = 16 * 1024

    /// Nil unless the bytes are one certificate in DER and nothing else.
    package convenience init?(der: [UInt8]) {
        guard der.count <= Self.bytesLimit else { return nil }
        defer { ERR_clear_error() }
        let x509 = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            guard let x509 = unsafe d2i_X509(nil, &position, bytes.count) else { return nil }
            guard unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }) else {
                unsafe X509_free(x509)
                return nil
            }
            return unsafe x509
        }
        guard let x509 = unsafe x509 else { return nil }
        unsafe self.init(takingOwnershipOf: x509, der: der)
    }

    /// A certificate that OpenSSL parsed as part of something. Nil if it cannot be written out again.
    convenience init?(retaining x509: OpaquePointer) {
        defer { ERR_clear_error() }
        let length = unsafe i2d_X509(x509, nil)
        guard length > 0, length <= Self.bytesLimit else { return nil }
        let der = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { output, count in
            var position = output.baseAddress
            count = Int(max(unsafe i2d_X509(x509, &position), 0))
        }
        guard unsafe X509_up_ref(x509) == 1 else { return nil }
        unsafe self.init(takingOwnershipOf: x509, der: der)
    }

    /// Nil, and the certificate freed, if it has no validity that can be read.
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

    /// Its subject's key; nil if OpenSSL cannot read it.
    package var publicKey: PublicKey? {
        defer { ERR_clear_error() }
        guard let key = unsafe X509_get_pubkey(self.x509) else { return nil }
        return unsafe PublicKey(takingOwnershipOf: key)
    }

    /// Whether it has an extension of this object identifier, written in dots, whatever the extension says.
    package func hasExtension(_ identifier: String) -> Bool {
        guard let object = unsafe OBJ_txt2obj(identifier, 1) else {
            preconditionFailure("not an object identifier: \(identifier)")
        }
        defer { unsafe ASN1_OBJECT_free(object) }
        return unsafe X509_get_ext_by_OBJ(self.x509, object, -1) >= 0
    }

    /// All certificates of a file: one in DER, or any number in PEM. Nil if it holds none, or a broken one.
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
