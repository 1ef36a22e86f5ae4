/// Walks through a compressed block byte by byte, without making its output.
struct BlockReader {
    private let block: [UInt8]
    private var position = 0

    init(_ block: [UInt8]) { self.block = block }

    var isAtEnd: Bool { self.position >= self.block.count }

    mutating func byte() throws(BlockFault) -> UInt8 {
        guard self.position < self.block.count else { throw .truncated }
        self.position += 1
        return self.block[self.position - 1]
    }

    /// Reads a little-endian number of 1 to 4 bytes.
    mutating func number(ofBytes count: Int) throws(BlockFault) -> Int {
        var number = 0
        for place in 0..<count { number |= Int(try self.byte()) << (8 * place) }
        return number
    }

    mutating func skip(_ count: Int) throws(BlockFault) {
        guard count <= self.block.count - self.position else { throw .truncated }
        self.position += count
    }
}
