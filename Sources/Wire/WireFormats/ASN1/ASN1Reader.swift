/// A reader that steps over ASN.1 values in BER (X.690), of which DER is a part.
///
/// The reader is our own and not a library's because of the cost. A receipt is some hundred values of a few
/// bytes each. A parser that builds nodes takes longer over them than OpenSSL takes over the signature, and
/// its nodes are many times as large as the bytes that they stand for. This reader keeps two positions and
/// nothing else. The caller passes the bytes to every step, and has to pass the same bytes to all steps of a
/// reader: slices would have to be reference-counted, which took longer than the reading.
///
/// The reader supports what receipts consist of: tags of one byte, lengths of up to four bytes, and the
/// indefinite length.
struct ASN1Reader {
    /// The bytes are not BER, or use BER beyond the supported part, or nest deeper than the limit.
    struct Fault: Error, Hashable, Sendable {}

    /// One value: its tag, and the range of its content in the bytes.
    struct Element {
        var tag: Tag
        var content: Range<Int>
    }

    /// The first byte of a value: class, form and number.
    struct Tag: RawRepresentable, Hashable, Sendable {
        var rawValue: UInt8

        static let integer = Tag(rawValue: 0x02)
        static let octetString = Tag(rawValue: 0x04)
        static let objectIdentifier = Tag(rawValue: 0x06)
        static let utf8String = Tag(rawValue: 0x0C)
        static let ia5String = Tag(rawValue: 0x16)
        static let sequence = Tag(rawValue: 0x30)
        static let set = Tag(rawValue: 0x31)
        /// An octet string in several pieces, which only BER allows.
        static let octetStringInPieces = Tag(rawValue: 0x24)
        static let context0 = Tag(rawValue: 0xA0)
        static let context1 = Tag(rawValue: 0xA1)

        var isConstructed: Bool { self.rawValue & 0x20 != 0 }
    }

    /// The deepest nesting of values of indefinite length, and of strings in pieces.
    static let depthLimit = 16

    private(set) var position: Int
    private let end: Int

    /// Reads a range of the bytes: all of them, or the content of an element.
    init(_ range: Range<Int>) {
        self.position = range.lowerBound
        self.end = range.upperBound
    }

    var isAtEnd: Bool { self.position == self.end }

    /// Returns the tag of the next value; nil at the end.
    func nextTag(in bytes: Span<UInt8>) -> Tag? {
        self.isAtEnd ? nil : Tag(rawValue: bytes[self.position])
    }

    /// Steps over a value of any kind, and returns it.
    mutating func next(in bytes: Span<UInt8>) throws(Fault) -> Element {
        try self.next(in: bytes, depth: 1)
    }

    /// Steps over a value that must have this tag, and returns the range of its content.
    mutating func next(_ tag: Tag, in bytes: Span<UInt8>) throws(Fault) -> Range<Int> {
        guard self.nextTag(in: bytes) == tag else { throw Fault() }
        return try self.next(in: bytes, depth: 1).content
    }

    /// Throws unless everything has been read.
    func finish() throws(Fault) {
        guard self.isAtEnd else { throw Fault() }
    }

    /// Returns whether the bytes may begin a value that is longer than they are, so that they may have been
    /// cut. True also for an indefinite length and for bytes that end within the header.
    static func promisesMore(than bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2, bytes[1] != 0x80 else { return true }
        var header = ASN1Reader(2..<bytes.count)
        guard let length = try? header.length(bytes[1], in: bytes) else { return bytes.count < 6 }
        return length > header.end - header.position
    }

    private mutating func next(in bytes: Span<UInt8>, depth: Int) throws(Fault) -> Element {
        guard depth <= Self.depthLimit else { throw Fault() }
        let tag = Tag(rawValue: try self.byte(in: bytes))
        // Tags of more than one byte are refused, and so is the mark that ends an indefinite length.
        guard tag.rawValue & 0x1F != 0x1F, tag.rawValue != 0 else { throw Fault() }
        let first = try self.byte(in: bytes)
        guard first != 0x80 else {
            guard tag.isConstructed else { throw Fault() }
            return Element(tag: tag, content: try self.skipToEndMark(in: bytes, depth: depth))
        }
        let length = try self.length(first, in: bytes)
        guard length <= self.end - self.position else { throw Fault() }
        let start = self.position
        self.position += length
        return Element(tag: tag, content: start..<self.position)
    }

    private mutating func byte(in bytes: Span<UInt8>) throws(Fault) -> UInt8 {
        guard !self.isAtEnd else { throw Fault() }
        defer { self.position += 1 }
        return bytes[self.position]
    }

    private mutating func length(_ first: UInt8, in bytes: Span<UInt8>) throws(Fault) -> Int {
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard count <= 4 else { throw Fault() }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(try self.byte(in: bytes))
        }
        return length
    }

    /// Steps over the values up to the end mark, and over the mark; returns the range of the values.
    private mutating func skipToEndMark(in bytes: Span<UInt8>, depth: Int) throws(Fault) -> Range<Int> {
        let start = self.position
        while let tag = self.nextTag(in: bytes), tag.rawValue != 0 {
            _ = try self.next(in: bytes, depth: depth + 1)
        }
        let end = self.position
        guard try self.byte(in: bytes) == 0, try self.byte(in: bytes) == 0 else { throw Fault() }
        return start..<end
    }
}
