/// Writes ASN.1, in the ways that only BER has, for what a reader is to read.
enum BER {
    /// A value whose length takes four bytes, whatever it is.
    static func value(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = [tag, 0x84]
        for shift in [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: content.count >> shift))
        }
        return bytes + Array(content)
    }

    /// A value of indefinite length.
    static func open(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let start: [UInt8] = [tag, 0x80]
        let end: [UInt8] = [0, 0]
        return start + content + end
    }

    /// An octet string in two pieces, the second of which is in pieces too.
    static func pieces(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        let half = octets.prefix(octets.count / 2)
        let rest = self.value(0x04, octets.dropFirst(half.count))
        return self.open(0x24, self.value(0x04, half) + self.value(0x24, rest))
    }
}
