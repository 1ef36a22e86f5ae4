// ASCII as bytes. Every format needs it, and bytes are faster than Swift's characters. The members that another
// room asks of each byte are inlinable, because a call would cost more than the answer.

extension UInt8 {
    @inlinable package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    @inlinable package var isUppercase: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }

    @inlinable package var isLowercase: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }

    @inlinable package var isAlphanumeric: Bool { self.isDigit || self.isUppercase || self.isLowercase }

    /// Whether the byte is a printable ASCII character and not a space.
    @inlinable package var isVisible: Bool { 0x21...0x7E ~= self }

    var isHexadecimal: Bool { self.hexadecimalValue != nil }

    @inlinable package var isLowercaseHexadecimal: Bool {
        self.isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self
    }

    /// Whether the byte is a space, tab, line feed, vertical tab, form feed or carriage return.
    @inlinable package var isWhiteSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }

    /// Whether the byte is one of the four characters that JSON takes for white space.
    @inlinable package var isJSONWhiteSpace: Bool {
        self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
    }

    @inlinable package var lowercased: UInt8 { self.isUppercase ? self | 0x20 : self }

    var uppercased: UInt8 { self.isLowercase ? self & 0xDF : self }

    var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Collection<UInt8> {
    /// Returns the bytes between leading and trailing white space.
    package func trimmingWhiteSpace() -> SubSequence {
        let withoutLeading = self.drop { $0.isWhiteSpace }
        var end = withoutLeading.startIndex
        var index = withoutLeading.startIndex
        while index != withoutLeading.endIndex {
            let isWhiteSpace = withoutLeading[index].isWhiteSpace
            withoutLeading.formIndex(after: &index)
            if !isWhiteSpace {
                end = index
            }
        }
        return withoutLeading[..<end]
    }

    /// Returns the number that these decimal digits write; nil if there are no digits, other bytes, or a
    /// number that does not fit.
    @inlinable package func decimal<Number: FixedWidthInteger>(as type: Number.Type) -> Number? {
        guard !self.isEmpty else { return nil }
        var number: Number = 0
        for byte in self {
            guard byte.isDigit else { return nil }
            let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowedToo) = product.addingReportingOverflow(Number(byte - UInt8(ascii: "0")))
            guard !overflowed, !overflowedToo else { return nil }
            number = sum
        }
        return number
    }
}

extension [UInt8] {
    /// Appends a number without making a string first, for numbers that are written a million times.
    mutating func appendDecimal(_ number: some FixedWidthInteger) {
        if number < 0 { self.append(UInt8(ascii: "-")) }
        self.appendDigits(UInt64(number.magnitude))
    }

    private mutating func appendDigits(_ number: UInt64) {
        let start = self.count
        var rest = number
        repeat {
            self.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // The digits are reversed in place: a slice would be a copy.
        var (low, high) = (start, self.count - 1)
        while low < high {
            self.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
    }
}

extension Span<UInt8> {
    /// Returns whether no byte of a range is above 0x7F.
    ///
    /// Most texts have a few dozen bytes: too many to look at one by one, and too few for a call. So eight are
    /// looked at in one step, the last eight first. They may begin before the range, and then those before it do
    /// not count.
    @inline(__always)
    func isASCII(in range: Range<Int>) -> Bool {
        guard range.upperBound >= 8 else { return range.allSatisfy { self[$0] < 0x80 } }
        let last = range.upperBound &- 8
        var bits = self.word(at: last)
        if range.lowerBound >= last {
            bits = range.isEmpty ? 0 : bits &>> UInt64(8 &* (range.lowerBound &- last))
        } else {
            var position = range.lowerBound
            while position < last {
                bits |= self.word(at: position)
                position &+= 8
            }
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Returns whether all bytes are UTF-8.
    ///
    /// ASCII is stepped over eight bytes at a time: it is most of a document, and the standard library looks at it byte
    /// by byte once there was another character.
    func isUTF8() -> Bool {
        var position = 0
        while position <= self.count - 8 {
            let others = self.word(at: position) & 0x8080_8080_8080_8080
            guard others != 0 else {
                position += 8
                continue
            }
            // No character has a byte above 0x7F together with one below it.
            let start = position + others.trailingZeroBitCount / 8
            position = start + 1
            while position < self.count, self[position] >= 0x80 { position += 1 }
            guard (try? UTF8Span(validating: self.extracting(start..<position))) != nil else { return false }
        }
        return (try? UTF8Span(validating: self.extracting(position...))) != nil
    }

    /// Returns whether the bytes of two texts are the same.
    @inline(__always)
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        guard self.count >= 8 else { return self.indices.allSatisfy { self[$0] == other[$0] } }
        // The last eight bytes first; they may overlap with the eight before them.
        let last = self.count &- 8
        var difference = self.word(at: last) ^ other.word(at: last)
        var position = 0
        while position < last {
            difference |= self.word(at: position) ^ other.word(at: position)
            position &+= 8
        }
        return difference == 0
    }

    /// The eight bytes at a position as one number, the first byte lowest. The compiler makes one load of it.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        let bytes = self.extracting(position..<position &+ 8)
        return UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(bytes[2]) << 16 | UInt64(bytes[3]) << 24
            | UInt64(bytes[4]) << 32 | UInt64(bytes[5]) << 40 | UInt64(bytes[6]) << 48
            | UInt64(bytes[7]) << 56
    }
}

extension OutputSpan<UInt8> {
    /// Appends the UTF-8 bytes of a text, for which there must be room.
    mutating func append(_ text: String) {
        let utf8 = text.utf8
        let bytes = utf8.span
        for index in bytes.indices { self.append(bytes[index]) }
    }
}
