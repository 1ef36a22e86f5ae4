import NIOCore

@testable import EmbeddedBroker

extension FuzzTarget {
    /// The bytes that the checksum of a batch covers: its attributes and all after them.
    static let recordBatch = FuzzTarget(
        "record-batch",
        longestInput: 1_024,
        words: ["\0\0\0\u{1}", "\0\u{10}", "\0\u{20}", "\0\u{4}", "\u{16}\0\0\0\u{1}\u{A}hello\0"]
    ) { input in
        let raw = ByteBuffer(bytes: input)
        if (try? RecordBatch(validating: raw)) != nil {
            try claim(
                "what is accepted has its checksum",
                raw == BatchClaims.sealed(Array(input.dropFirst(21)))
            )
        }
        let sealed = BatchClaims.sealed(input)
        let batch: RecordBatch
        do throws(ErrorCode) {
            batch = try RecordBatch(validating: sealed)
        } catch {
            try claim("a checksum is right", error != .corruptMessage || input.count < 40)
            return try claim("only what is wrong is refused", !BatchClaims.isValid(input))
        }
        try claim("what is wrong is refused", BatchClaims.isValid(input))
        try BatchClaims.check(batch, madeOf: sealed)
    }
}

private enum BatchClaims {
    /// With the header that these bytes ask for.
    static func sealed(_ checked: [UInt8]) -> ByteBuffer {
        var batch = ByteBuffer()
        batch.writeMultipleIntegers(
            Int64(0),
            Int32(checked.count + 9),
            Int32(-1),
            Int8(2),
            self.crc32c(checked)
        )
        batch.writeBytes(checked)
        return batch
    }

    /// Bit by bit, without a table.
    private static func crc32c(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { value, _ in (value >> 1) ^ ((value & 1) * 0x82F6_3B78) }
        }
    }

    // MARK: A second reading

    static func isValid(_ checked: [UInt8]) -> Bool {
        guard checked.count >= 40 else { return false }
        func number(_ place: Int, _ bytes: Int) -> Int64 {
            let value = checked[place..<place + bytes].reduce(0 as Int64) { $0 << 8 | Int64($1) }
            let spare = Int64(64 - 8 * bytes)
            return (value << spare) >> spare
        }
        let (attributes, delta, count) = (number(0, 2), number(2, 4), number(36, 4))
        let (producer, epoch, sequence) = (number(22, 8), number(30, 2), number(32, 4))
        let isTransactional = attributes & 0x10 != 0
        guard count > 0, delta == count - 1, attributes & 7 <= 4, attributes & 0x20 == 0 else { return false }
        guard producer >= 0 ? epoch >= 0 && sequence >= 0 : !isTransactional else { return false }
        return attributes & 7 != 0 || self.recordCount(checked.dropFirst(40)) == count
    }

    /// How many whole records there are, numbered from 0; nil if that is not all that there is.
    private static func recordCount(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var rest = bytes
        var count: Int64 = 0
        while !rest.isEmpty {
            guard let length = self.varint(&rest), length > 0, length <= rest.count else { return nil }
            var record = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            guard record.popFirst() != nil, self.varint(&record) != nil, self.varint(&record) == count else {
                return nil
            }
            count += 1
        }
        return count
    }

    /// Ten bytes at most, of which the last has one bit to give.
    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
        let length = bytes.prefix { $0 >= 0x80 }.count + 1
        guard length <= 10, bytes.count >= length else { return nil }
        var value: UInt64 = 0
        for byte in bytes.prefix(length).reversed() { value = (value << 7) | UInt64(byte & 0x7F) }
        bytes = bytes.dropFirst(length)
        return Int64(bitPattern: value >> 1) ^ (value & 1 == 0 ? 0 : -1)
    }

    // MARK: In a log

    static func check(_ batch: RecordBatch, madeOf sealed: ByteBuffer) throws {
        let partition = Partition(retainedByteLimit: 1 << 20)
        partition.append(marker: .commit, of: ProducerIdentity(id: 9, epoch: 0), at: 0)
        let offset: Int64
        do throws(ErrorCode) {
            offset = try partition.append(batch)
        } catch {
            return try claim("the first batch of a producer is taken", batch.producerID == 9)
        }
        let log = partition.log
        try claim(
            "a log ends behind its last record",
            offset == 1 && log.endOffset == 2 + Int64(batch.lastOffsetDelta)
        )
        for wanted in [offset, (offset + log.endOffset) / 2, log.endOffset - 1] {
            let found = log.read(from: wanted, to: log.endOffset, atMost: 1, always: true)
            try claim("a record is where it was put", found.count == 1 && found.first?.baseOffset == offset)
            let bytes = Array((found.first?.bytes ?? ByteBuffer()).readableBytesView)
            let original = Array(sealed.readableBytesView)
            try claim("what is stored is what came", bytes[16...] == original[16...])
            try claim(
                "a batch has its place",
                bytes[..<16] == [0, 0, 0, 0, 0, 0, 0, 1] + original[8..<12] + [0, 0, 0, 0]
            )
        }
        for time in [Int64.min, 0, batch.baseTimestamp, batch.maxTimestamp, .max] {
            guard let found = log.position(notBefore: time, below: log.endOffset) else { continue }
            try claim("what is found is not older", found.timestamp >= time)
            try claim("what is found is there", (0..<log.endOffset).contains(found.offset))
        }
        try claim(
            "a producer's batch is written once",
            batch.producer == nil || (try? partition.append(batch)) == offset
        )
    }
}
