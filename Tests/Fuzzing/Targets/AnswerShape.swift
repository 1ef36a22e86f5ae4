@testable import EmbeddedBroker

/// The members of an answer in the newest version that the broker knows, in the words of Kafka's message definitions: a
/// second description beside that in the code that writes them.
///
/// `1 2 4 8` are numbers of so many bytes, `e` an error code, `s` a string, `n` one that may be null, `b` bytes, `[4]`
/// a list of numbers, and `{…}` a list of structures.
enum AnswerShape {
    static let shapes: [API: String] = [
        .produce: "{s{4e888}}4", .fetch: "4e4{s{4e888{88}4b}}", .listOffsets: "4{s{4e884}}",
        .metadata: "4{4s4n}n4{es1{e44[4][4]}}", .offsetCommit: "4{s{4e}}", .offsetFetch: "4{s{484ne}}e",
        .findCoordinator: "4en4s4", .joinGroup: "4e4sss{snb}", .heartbeat: "4e", .leaveGroup: "4e",
        .syncGroup: "4eb",
        .describeGroups: "4{essss{snssbb}4}", .listGroups: "4e{ss}", .apiVersions: "e{222}4",
        .saslHandshake: "e{s}", .saslAuthenticate: "enb8",
        .createTopics: "4{sen}",
        .deleteTopics: "4{se}", .deleteRecords: "4{s{48e}}", .initProducerID: "4e82",
        .addPartitionsToTransaction: "4{s{4e}}", .addOffsetsToTransaction: "4e", .endTransaction: "4e",
        .transactionalOffsetCommit: "4{s{4e}}", .describeConfigs: "4{en1s{sn111{sn1}}}",
        .alterConfigs: "4{en1s}", .createPartitions: "4{sen}",
        .deleteGroups: "4{se}",
    ]

    /// Claims that an answer holds all that it has to, and nothing else. It claims nothing of older versions.
    static func check(_ answer: [UInt8], of request: BrokerClaims.Request) throws {
        guard let api = API(rawValue: request.api), request.version == api.versions.upperBound else { return }
        let shape = try Objection.unless(self.shapes[api], "\(api) has a shape")
        var walk = Walk(rest: answer.dropFirst(8), isFlexible: api.isFlexible(request.version))
        if api != .apiVersions { try walk.endOfStructure() }
        try walk.structure(Array(shape.utf8)[...])
        try claim("an answer to \(api) ends where it ends", walk.rest.isEmpty)
    }

    private struct Walk {
        var rest: ArraySlice<UInt8>
        let isFlexible: Bool

        mutating func structure(_ shape: ArraySlice<UInt8>) throws {
            var shape = shape
            while let kind = shape.popFirst() {
                switch kind {
                case UInt8(ascii: "1")...UInt8(ascii: "8"): _ = try self.number(Int(kind - UInt8(ascii: "0")))
                case UInt8(ascii: "e"):
                    let code = Int16(truncatingIfNeeded: try self.number(2))
                    try claim("an error is one of Kafka's", ErrorCode(rawValue: code) != nil)
                case UInt8(ascii: "s"): try claim("a string is there", try self.text() != nil)
                case UInt8(ascii: "n"): _ = try self.text()
                case UInt8(ascii: "b"): _ = try self.take(try self.length(4))
                default: try self.list(of: Self.inner(&shape, from: kind), isPlain: kind == UInt8(ascii: "["))
                }
            }
            try self.endOfStructure()
        }

        private mutating func list(of shape: ArraySlice<UInt8>, isPlain: Bool) throws {
            for _ in 0..<max(0, try self.length(4)) {
                if isPlain {
                    _ = try self.number(4)
                } else {
                    try self.structure(shape)
                }
            }
        }

        /// The text between a bracket that has been taken and the one that belongs to it.
        private static func inner(_ shape: inout ArraySlice<UInt8>, from bracket: UInt8) -> ArraySlice<UInt8>
        {
            var depth = 1
            let inner = shape.prefix { byte in
                depth += byte == bracket ? 1 : byte == bracket + 2 ? -1 : 0
                return depth > 0
            }
            shape = shape[inner.endIndex...].dropFirst()
            return inner
        }

        private mutating func text() throws -> String? {
            let length = try self.length(2)
            guard length >= 0 else { return nil }
            let bytes = try self.take(length)
            return try Objection.unless(String(validating: bytes, as: UTF8.self), "a string is text")
        }

        /// -1 for what is null.
        private mutating func length(_ bytes: Int) throws -> Int {
            guard !self.isFlexible else { return try self.varint() - 1 }
            let number = try self.number(bytes)
            return bytes == 2
                ? Int(Int16(truncatingIfNeeded: number)) : Int(Int32(truncatingIfNeeded: number))
        }

        private mutating func varint() throws -> Int {
            var value = 0
            for shift in stride(from: 0, through: 28, by: 7) {
                let byte = Int(try self.number(1))
                value |= (byte & 0x7F) << shift
                if byte < 0x80 { break }
            }
            return value
        }

        private mutating func number(_ bytes: Int) throws -> Int64 {
            try self.take(bytes).reduce(0) { $0 << 8 | Int64($1) }
        }

        private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
            let bytes = self.rest.prefix(max(0, count))
            try claim("an answer is whole", bytes.count == max(0, count))
            self.rest = self.rest[bytes.endIndex...]
            return bytes
        }

        /// No tagged field is known here.
        mutating func endOfStructure() throws {
            if self.isFlexible { try claim("there are no tagged fields", try self.varint() == 0) }
        }
    }
}
