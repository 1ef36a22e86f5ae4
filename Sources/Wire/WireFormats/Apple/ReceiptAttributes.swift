/// The attributes of an app receipt, and of each purchase in it: a set of
/// `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }` in any order.
///
/// Apple documents some types; other types are known only from receipts, and some are unknown. The caller
/// skips the types that it does not use.
struct ReceiptAttributes {
    private var reader: ASN1Reader

    struct Attribute {
        let type: Int64
        /// The bytes of the value, not read yet.
        let value: ASN1Reader.Octets
    }

    /// Passes the attributes of a set to `read`. `bytes` are the bytes that the set was found in. Xcode wraps
    /// the set into one more octet string.
    static func read<Value>(
        _ range: Range<Int>,
        in bytes: Span<UInt8>,
        _ read: (inout ReceiptAttributes, _ bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Value
    ) throws(ASN1Reader.Fault) -> Value {
        var outside = ASN1Reader(range)
        let tag = outside.nextTag(in: bytes)
        guard tag == .octetString || tag == .octetStringInPieces else {
            var attributes = try ReceiptAttributes(range, in: bytes)
            return try read(&attributes, bytes)
        }
        let inside = try outside.next(in: bytes).octets(in: bytes)
        try outside.finish()
        return try inside.read(in: bytes) { bytes, range throws(ASN1Reader.Fault) in
            var attributes = try ReceiptAttributes(range, in: bytes)
            return try read(&attributes, bytes)
        }
    }

    private init(_ range: Range<Int>, in bytes: Span<UInt8>) throws(ASN1Reader.Fault) {
        var outside = ASN1Reader(range)
        self.reader = ASN1Reader(try outside.next(.set, in: bytes))
        try outside.finish()
    }

    /// Returns the next attribute; nil after the last one.
    mutating func next(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Attribute? {
        guard !self.reader.isAtEnd else { return nil }
        var fields = ASN1Reader(try self.reader.next(.sequence, in: bytes))
        let type = try fields.integer(in: bytes)
        _ = try fields.next(.integer, in: bytes)
        return Attribute(type: type, value: try fields.next(in: bytes).octets(in: bytes))
    }
}

// In these functions, `bytes` are the bytes that the attribute was found in.
extension ReceiptAttributes.Attribute {
    /// Returns a text; nil if it is empty, which is how a receipt writes that there is none.
    func text(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> String? {
        try self.element(in: bytes) { element, bytes throws(ASN1Reader.Fault) in
            let text = try element.text(in: bytes)
            return text.isEmpty ? nil : text
        }
    }

    func integer(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Int64 {
        try self.element(in: bytes) { element, bytes throws(ASN1Reader.Fault) in
            try element.integer(in: bytes)
        }
    }

    /// Returns a time in milliseconds since 1970; nil if its string is empty.
    func time(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Int64? {
        try self.element(in: bytes) { element, bytes throws(ASN1Reader.Fault) in
            guard element.tag == .ia5String else { throw ASN1Reader.Fault() }
            guard !element.content.isEmpty else { return nil }
            guard let time = ReceiptDate.milliseconds([UInt8](bytes, element.content)) else {
                throw ASN1Reader.Fault()
            }
            return time
        }
    }

    /// Returns the value as it is encoded.
    func encoded(in bytes: Span<UInt8>) -> [UInt8] {
        switch self.value {
        case .whole(let range): [UInt8](bytes, range)
        case .joined(let joined): joined
        }
    }

    /// Passes the attributes inside the value to `read`, for a purchase.
    func attributes<Value>(
        in bytes: Span<UInt8>,
        _ read: (inout ReceiptAttributes, _ bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Value
    ) throws(ASN1Reader.Fault) -> Value {
        try self.value.read(in: bytes) { bytes, range throws(ASN1Reader.Fault) in
            try ReceiptAttributes.read(range, in: bytes, read)
        }
    }

    /// Passes the single ASN.1 value inside the octet string to `read`.
    private func element<Value>(
        in bytes: Span<UInt8>,
        _ read: (ASN1Reader.Element, _ bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Value
    ) throws(ASN1Reader.Fault) -> Value {
        try self.value.read(in: bytes) { bytes, range throws(ASN1Reader.Fault) in
            var reader = ASN1Reader(range)
            let element = try reader.next(in: bytes)
            try reader.finish()
            return try read(element, bytes)
        }
    }
}
