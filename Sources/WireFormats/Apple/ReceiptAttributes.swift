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
        let value: ArraySlice<UInt8>
    }

    /// Xcode puts the set into one more octet string.
    init(_ bytes: ArraySlice<UInt8>) throws(ASN1Reader.Fault) {
        var outside = ASN1Reader(bytes)
        if let tag = outside.nextTag, tag == .octetString || tag == .octetStringInPieces {
            let inside = try outside.next().octets()
            try outside.finish()
            outside = ASN1Reader(inside)
        }
        self.reader = ASN1Reader(try outside.next(.set).content)
        try outside.finish()
    }

    /// Nil after the last one.
    mutating func next() throws(ASN1Reader.Fault) -> Attribute? {
        guard !self.reader.isAtEnd else { return nil }
        var fields = ASN1Reader(try self.reader.next(.sequence).content)
        let type = try fields.next(.integer).integer()
        _ = try fields.next(.integer)
        return Attribute(type: type, value: try fields.next().octets())
    }
}

extension ReceiptAttributes.Attribute {
    /// Nil if the string is empty, which is how a receipt writes that there is none.
    func text() throws(ASN1Reader.Fault) -> String? {
        let text = try self.element().text()
        return text.isEmpty ? nil : text
    }

    func integer() throws(ASN1Reader.Fault) -> Int64 {
        try self.element().integer()
    }

    /// In milliseconds since 1970. Nil if the string is empty.
    func time() throws(ASN1Reader.Fault) -> Int64? {
        let element = try self.element()
        guard element.tag == .ia5String else { throw ASN1Reader.Fault() }
        guard !element.content.isEmpty else { return nil }
        guard let time = ReceiptDate.milliseconds(element.content) else { throw ASN1Reader.Fault() }
        return time
    }

    private func element() throws(ASN1Reader.Fault) -> ASN1Reader.Element {
        var reader = ASN1Reader(self.value)
        let element = try reader.next()
        try reader.finish()
        return element
    }
}
