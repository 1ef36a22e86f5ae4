import Kafka
import NIOCore
import Records
import Testing

@testable import EmbeddedBroker

/// The bytes that come over the wire are outside input: nothing of it may harm the broker, or any other
/// connection.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FrameTests {
    private func answersOthers(_ broker: EmbeddedBroker) throws -> Bool {
        try RawClient(broker).call(.apiVersions, 0) { _ in }.error == nil
    }

    @Test(
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 0, 0, 1, 0],
            Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 0, 0, 8, 0, 99, 0, 0, 0, 0, 0, 1],
            [0, 0, 0, 10, 0, 3, 0, 100, 0, 0, 0, 1, 0xFF, 0xFF],
            [0, 0, 0, 10, 0, 3, 0, 4, 0, 0, 0, 1, 0x7F, 0xFF],
        ] as [[UInt8]]
    )
    func aFrameThatIsNoRequestEndsItsConnection(bytes: [UInt8]) async throws {
        try await withBroker { broker in
            let client = try RawClient(broker)
            client.send(bytes)
            #expect(client.isClosed)
            #expect(try self.answersOthers(broker))
        }
    }

    /// Each request is cut short at every length, and again with every byte replaced.
    @Test func noRequestCanBeBrokenSoThatItBreaksTheBroker() async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            for request in Self.requests {
                let client = try RawClient(broker)
                let whole = client.frame(
                    request.0.rawValue,
                    request.1,
                    isFlexible: request.0.isFlexible(request.1),
                    request.2
                )
                for length in stride(from: 8, to: whole.count, by: 3) {
                    try Self.send(Array(whole[4..<length]), broker)
                }
                for index in 12..<whole.count {
                    var broken = whole[4...]
                    broken[index] = broken[index] ^ 0xFF
                    try Self.send(Array(broken), broker)
                }
            }
            #expect(try self.answersOthers(broker))
        }
    }

    /// Sends a body in a frame of the right length and does not wait for what comes of it.
    private static func send(_ body: [UInt8], _ broker: EmbeddedBroker) throws {
        let length = UInt32(body.count)
        try RawClient(broker).send((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body)
    }

    /// It was read with replacements, three bytes for one, and the answer's strings were longer than they said.
    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x74, 0x80]] as [[UInt8]])
    func aNameThatIsNoTextEndsItsConnection(name: [UInt8]) async throws {
        try await withBroker { broker in
            let client = try RawClient(broker)
            client.ask(.metadata, 4) { writer in
                writer.array([name]) { writer, name in
                    writer.integer(Int16(clamping: name.count))
                    for byte in name { writer.integer(byte) }
                }
                writer.boolean(true)
            }
            #expect(client.isClosed)
            #expect(try self.answersOthers(broker))
        }
    }

    /// A member's id is made of its client's name. With the longest of names it was no string that can be sent.
    @Test func theLongestNameOfAClientMakesAnIDThatCanBeSent() async throws {
        try await withBroker { broker in
            let client = try RawClient(broker)
            var frame = ByteBuffer()
            frame.writeMultipleIntegers(Int32(0), API.joinGroup.rawValue, Int16(4), Int32(7), Int16.max)
            frame.writeRepeatingByte(UInt8(ascii: "c"), count: Int(Int16.max))
            var writer = Writer(frame, isFlexible: false)
            writer.string("g")
            for timeout in [10_000, 10_000] { writer.integer(Int32(timeout)) }
            for text in ["", "consumer"] { writer.string(text) }
            writer.array(["range"]) { writer, name in
                writer.string(name)
                writer.bytes([1])
            }
            frame = writer.buffer
            frame.setInteger(Int32(frame.readableBytes - 4), at: 0)
            client.send(Array(frame.readableBytesView))
            var answer = try client.answer(.joinGroup, 4)
            _ = try answer.int32()
            #expect(ErrorCode(rawValue: try answer.int16()) == .memberIDRequired)
            _ = (try answer.int32(), try answer.string(), try answer.string())
            #expect(try answer.string().hasPrefix("ccc"))
            // Behind the id stand the members, of which this one is told none.
            let members = try answer.array { (reader) throws(Malformed) in try reader.string() }
            #expect(members.isEmpty)
        }
    }

    private static let requests: [(API, Int16, @Sendable (inout Writer) -> Void)] = [
        (
            .metadata, 4,
            {
                $0.array(["t"]) { $0.string($1) }; $0.boolean(true)
            }
        ),
        (
            .offsetFetch, 7,
            { writer in
                writer.string("g")
                writer.array(["t"]) { writer, topic in
                    writer.string(topic)
                    writer.array([Int32(0)]) { $0.integer($1) }
                    writer.endStructure()
                }
                writer.boolean(true)
                writer.endStructure()
            }
        ),
        (
            .fetch, 11,
            { writer in
                writer.integer(Int32(-1))
                for number in [100, 1, 1_000_000] { writer.integer(Int32(number)) }
                writer.integer(Int8(1))
                writer.integer(Int64(0xFFFF_FFFF))
                writer.topics([TopicEntries(topic: "t", entries: [Int32(0)])]) { writer, partition in
                    writer.integer(partition)
                    writer.integer(Int32(-1))
                    writer.integer(Int64(0))
                    writer.integer(Int64(-1))
                    writer.integer(Int32(1_000_000))
                }
                writer.integer(Int32(0))
                writer.string("")
            }
        ),
        (
            .joinGroup, 5,
            { writer in
                writer.string("g")
                writer.integer(Int32(1_000))
                writer.integer(Int32(1_000))
                writer.string("")
                writer.string(nil)
                writer.string("consumer")
                writer.array(["range"]) { writer, name in
                    writer.string(name)
                    writer.bytes([1])
                }
            }
        ),
    ]

    // MARK: Batches

    /// One record, as librdkafka sends it: "hello" in a batch with a right checksum.
    private static let batch: ByteBuffer = {
        var checked = ByteBuffer()
        checked.writeMultipleIntegers(Int16(0), Int32(0), Int64(1_000), Int64(1_000))
        checked.writeMultipleIntegers(Int64(-1), Int16(-1), Int32(-1), Int32(1))
        checked.writeBytes([22, 0, 0, 0, 1, 10] + Array("hello".utf8) + [0])
        return Self.sealed(checked)
    }()

    private static func sealed(_ checked: ByteBuffer, magic: Int8 = 2) -> ByteBuffer {
        var batch = ByteBuffer()
        batch.writeMultipleIntegers(Int64(0), Int32(checked.readableBytes + 9), Int32(-1), magic)
        batch.writeInteger(Checksum.crc32c(checked))
        batch.writeImmutableBuffer(checked)
        return batch
    }

    /// The batch with other bytes at a place that the checksum covers, and with the right checksum for them.
    private static func batch(with bytes: [UInt8], at index: Int) -> ByteBuffer {
        var checked = Self.batch
        checked.moveReaderIndex(forwardBy: 21)
        checked = checked.slice()
        checked.setBytes(bytes, at: index - 21)
        return Self.sealed(checked)
    }

    private func produced(_ records: ByteBuffer, _ broker: EmbeddedBroker, version: Int16 = 7) throws
        -> ErrorCode?
    {
        var reader = try RawClient(broker).call(.produce, version) { writer in
            writer.string(nil)
            writer.integer(Int16(-1))
            writer.integer(Int32(1_000))
            writer.topics([TopicEntries(topic: "t", entries: [records])]) { writer, records in
                writer.integer(Int32(0))
                writer.records([records])
            }
        }
        let topics = try reader.topics { (reader) throws(Malformed) in
            _ = try reader.int32()
            let error = ErrorCode(rawValue: try reader.int16())
            _ = (try reader.int64(), try reader.int64(), try reader.int64())
            return error
        }
        return topics[0].entries[0]
    }

    @Test func aSoundBatchIsTaken() async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            let error = try self.produced(Self.batch, broker)
            #expect(error == ErrorCode.none)
            #expect(try values(of: "t", broker) == ["hello"])
        }
    }

    @Test func everyByteOfABatchIsGuarded() async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            // The first offset and the leader's epoch are the broker's to set.
            for index in 8..<Self.batch.readableBytes where !(12..<16).contains(index) {
                var broken = Self.batch
                let byte = try #require(broken.getInteger(at: index, as: UInt8.self))
                broken.setInteger(byte ^ 0x01, at: index)
                let error = try self.produced(broken, broker)
                #expect(error == .corruptMessage || error == .invalidRecord, "byte \(index)")
            }
            for length in 0..<Self.batch.readableBytes {
                let part = Self.batch.getSlice(at: 0, length: length) ?? ByteBuffer()
                #expect(try self.produced(part, broker) == .corruptMessage, "\(length) bytes")
            }
            #expect(try values(of: "t", broker).isEmpty)
        }
    }

    @Test func aBatchThatSaysWhatCannotBeIsRefused() async throws {
        try await withBroker(topics: ["t": 1]) { broker in
            let cases: [(String, ByteBuffer)] = [
                ("two records, one there", Self.batch(with: [0, 0, 0, 2], at: 57)),
                ("no record", Self.batch(with: [0, 0, 0, 0], at: 57)),
                ("offsets up to 1, one record", Self.batch(with: [0, 0, 0, 1], at: 23)),
                ("offsets backwards", Self.batch(with: [0xFF, 0xFF, 0xFF, 0xFF], at: 23)),
                ("a control batch", Self.batch(with: [0, 0x20], at: 21)),
                ("a transaction of nobody", Self.batch(with: [0, 0x10], at: 21)),
                ("an unknown codec", Self.batch(with: [0, 5], at: 21)),
                ("a record longer than the batch", Self.batch(with: [24], at: 61)),
                ("a producer without a sequence", Self.batch(with: [0, 0, 0, 0, 0, 0, 0, 1, 0, 0], at: 43)),
                ("an older format", Self.sealed(ByteBuffer(repeating: 0, count: 60), magic: 1)),
                (
                    "two batches",
                    ByteBuffer(bytes: Array(Self.batch.readableBytesView) + Self.batch.readableBytesView)
                ),
            ]
            for (name, batch) in cases {
                let error = try self.produced(batch, broker)
                #expect(error == .invalidRecord, "\(name)")
            }
            let zstd = Self.batch(with: [0, 4], at: 21)
            #expect(try self.produced(zstd, broker, version: 6) == .unsupportedCompressionType)
            #expect(try values(of: "t", broker).isEmpty)
        }
    }

    /// Requests sent in one go are answered one after the other, in order.
    @Test func answersKeepTheOrderOfTheirRequests() async throws {
        try await withBroker { broker in
            let client = try RawClient(broker)
            var faults = BrokerFaults()
            faults.latency = .zero ... .milliseconds(5)
            try await broker.setFaults(faults)
            var frames: [UInt8] = []
            for _ in 0..<50 {
                frames += client.frame(API.apiVersions.rawValue, 0, isFlexible: false) { _ in }
            }
            client.send(frames)
            for number in 1...50 { #expect(try client.correlation(of: .apiVersions) == Int32(number)) }
        }
    }
}

extension Reader {
    /// The error that an answer begins with; nil for none.
    fileprivate var error: ErrorCode? {
        var copy = self
        guard let code = try? copy.int16(), code != 0 else { return nil }
        return ErrorCode(rawValue: code)
    }
}
