/// Steps over ASN.1 values written in BER (X.690), of which DER is a part.
///
/// Our own, and not a library's, for what it costs: a receipt is some hundred values of a few bytes each, a parser
/// that builds nodes takes longer over them than OpenSSL over the signature, and its nodes are many times as large as
/// the bytes they stand for. This one keeps nothing. It reads what receipts are made of: tags of one byte, lengths of
/// up to four, and the indefinite length.
struct ASN1Reader {
    /// The bytes are not BER, or not of the kind above, or nest deeper than the limit.
    struct Fault: Error, Hashable, Sendable {}

    /// One value: its tag, and where its content stands.
    struct Element {
        var tag: Tag
        var content: ArraySlice<UInt8>
    }

    /// The first byte of a value: class, form, and number.
    struct Tag: RawRepresentable, Hashable, Sendable {
        var rawValue: UInt8

        static let integer = Tag(rawValue: 0x02)
        static let octetString = Tag(rawValue: 0x04)
        static let objectIdentifier = Tag(rawValue: 0x06)
        static let utf8String = Tag(rawValue: 0x0C)
        static let ia5String = Tag(rawValue: 0x16)
        static let sequence = Tag(rawValue: 0x30)
        static let set = Tag(rawValue: 0x31)
        /// An octet string in pieces, which only BER has.
        static let octetStringInPieces = Tag(rawValue: 0x24)
        static let context0 = Tag(rawValue: 0xA0)
        static let context1 = Tag(rawValue: 0xA1)

        var isConstructed: Bool { self.rawValue & 0x20 != 0 }
    }

    /// How deep values of indefinite length, and strings in pieces, may nest.
    static let depthLimit = 16

    private let source: ArraySlice<UInt8>
    private var position: Int

    init(_ source: ArraySlice<UInt8>) {
        self.source = source
        self.position = source.startIndex
    }

    var isAtEnd: Bool { self.position == self.source.endIndex }

    /// The tag of what comes next; nil at the end.
    var nextTag: Tag? { self.isAtEnd ? nil : Tag(rawValue: self.source[self.position]) }

    /// Steps over a value of any kind.
    mutating func next() throws(Fault) -> Element {
        try self.next(depth: 1)
    }

    /// Steps over a value that has to be of this kind.
    mutating func next(_ tag: Tag) throws(Fault) -> Element {
        guard self.nextTag == tag else { throw Fault() }
        return try self.next(depth: 1)
    }

    /// Fails unless all has been read.
    func finish() throws(Fault) {
        guard self.isAtEnd else { throw Fault() }
    }

    /// Whether the bytes begin a value that is longer than they are; taken for granted of an indefinite length.
    static func promisesMore(than bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2, bytes[1] != 0x80 else { return true }
        var header = ASN1Reader(bytes.dropFirst(2))
        guard let length = try? header.length(bytes[1]) else { return bytes.count < 6 }
        return length > bytes.endIndex - header.position
    }

    private mutating func next(depth: Int) throws(Fault) -> Element {
        guard depth <= Self.depthLimit else { throw Fault() }
        let tag = Tag(rawValue: try self.byte())
        // Numbers of more than one byte, and the mark at the end of an indefinite length.
        guard tag.rawValue & 0x1F != 0x1F, tag.rawValue != 0 else { throw Fault() }
        let first = try self.byte()
        let content: ArraySlice<UInt8>
        if first == 0x80 {
            guard tag.isConstructed else { throw Fault() }
            content = try self.skipToEndMark(depth: depth)
        } else {
            let length = try self.length(first)
            guard length <= self.source.endIndex - self.position else { throw Fault() }
            content = self.source[self.position..<self.position + length]
            self.position += length
        }
        return Element(tag: tag, content: content)
    }

    private mutating func byte() throws(Fault) -> UInt8 {
        guard !self.isAtEnd else { throw Fault() }
        defer { self.position += 1 }
        return self.source[self.position]
    }

    private mutating func length(_ first: UInt8) throws(Fault) -> Int {
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard count <= 4 else { throw Fault() }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(try self.byte())
        }
        return length
    }

    /// Steps over the values up to the end mark, and over that.
    private mutating func skipToEndMark(depth: Int) throws(Fault) -> ArraySlice<UInt8> {
        let start = self.position
        while let tag = self.nextTag, tag.rawValue != 0 {
            _ = try self.next(depth: depth + 1)
        }
        let end = self.position
        guard try self.byte() == 0, try self.byte() == 0 else { throw Fault() }
        return self.source[start..<end]
    }
}
