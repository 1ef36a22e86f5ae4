/// The attributes that an app receipt, and each purchase in it, consists of: a set of
/// `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`, in any order.
///
/// Apple documents some types; others are known from receipts, and there are some that nobody knows. The ones not
/// asked for are passed over.
struct ReceiptAttributes {
    private var reader: ASN1Reader

    struct Attribute {
        let type: Int64
        /// What the value is made of, not yet read.
        let value: ASN1Reader.Octets
    }

    /// Has the attributes read that a set holds; `bytes` are those that it stands in. Xcode puts the set into one more
    /// octet string.
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

    /// Nil after the last one.
    mutating func next(in bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Attribute? {
        guard !self.reader.isAtEnd else { return nil }
        var fields = ASN1Reader(try self.reader.next(.sequence, in: bytes))
        let type = try fields.integer(in: bytes)
        _ = try fields.next(.integer, in: bytes)
        return Attribute(type: type, value: try fields.next(in: bytes).octets(in: bytes))
    }
}

// `bytes` are those that the attribute was found in.
extension ReceiptAttributes.Attribute {
    /// Nil if the string is empty, which is how a receipt writes that there is none.
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

    /// In milliseconds since 1970. Nil if the string is empty.
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

    /// The value as it is encoded.
    func encoded(in bytes: Span<UInt8>) -> [UInt8] {
        switch self.value {
        case .whole(let range): [UInt8](bytes, range)
        case .joined(let joined): joined
        }
    }

    /// Has the attributes read that the value holds, as a purchase does.
    func attributes<Value>(
        in bytes: Span<UInt8>,
        _ read: (inout ReceiptAttributes, _ bytes: Span<UInt8>) throws(ASN1Reader.Fault) -> Value
    ) throws(ASN1Reader.Fault) -> Value {
        try self.value.read(in: bytes) { bytes, range throws(ASN1Reader.Fault) in
            try ReceiptAttributes.read(range, in: bytes, read)
        }
    }

    /// Has the one value read that there is.
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
