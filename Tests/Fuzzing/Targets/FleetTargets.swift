import Glibc
import Operations
import Records
import Terminal
import WireMessages

@testable import Fleet
@testable import Harness
@testable import Kafka
@testable import Rehearsal
@testable import Trials
@testable import WireFormats

extension FuzzTarget {
    /// A line of `fleet publish`, plain and as an envelope.
    static let publishLine = FuzzTarget(
        "publish-line",
        longestInput: 1_024,
        words: [
            "{\"value\":", "\"value_base64\":\"AA==\"", "\"key\":", "\"key_base64\":", "\"headers\":{",
            "\"partition\":3",
            "\"timestamp\":1795248000000", "{\"base64\":\"/w==\"}", "null", "[1,\"a\"]", "1e400", "\\ud83d",
        ]
    ) { input in
        let plain = PublishLine.Parser(topic: "activation", keyField: "key", isEnvelope: false)
        if let record = try? plain.record(of: input) {
            try claim("a plain line is its own value", record.value == input)
        }
        let envelopes = PublishLine.Parser(topic: "activation", keyField: nil, isEnvelope: true)
        guard let record = try? envelopes.record(of: input) else { return }
        let line = RecordLine.text(FleetClaims.read(record))
        let again = try FleetClaims.published(line)
        try FleetClaims.check(again, FleetClaims.read(record))
    }

    /// A key, headers and a value, as `fleet read` prints them and `fleet publish --envelope` takes them.
    static let recordLine = FuzzTarget(
        "record-line",
        longestInput: 1_024,
        words: [
            "install-42\n", "content-type: application/json\n\n{\"a\":1}", "\n\n[", "\\u0000",
            "18446744073709551615",
        ]
    ) { input in
        var reader = InputReader(input)
        let key = reader.line()
        let record = reader.record(key: key.isEmpty ? nil : key)
        try FleetClaims.check(try FleetClaims.published(RecordLine.text(record)), record)
    }

    /// Lengths of the pieces in which the rest arrives.
    static let inputLines = FuzzTarget("input-lines", words: ["\r\n", "\n\n", "\r"]) { input in
        var reader = InputReader(input)
        let lengths = reader.line()
        let bytes = reader.remainder()
        var expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let last = expected.popLast() ?? []
        expected = expected.map { $0.last == 0x0D ? $0.dropLast() : $0 } + (last.isEmpty ? [] : [last])
        try claim(
            "lines are the same however they arrive",
            FleetClaims.lines(of: bytes, in: lengths) == expected
        )
    }

    /// A topic, headers and a value, as the demo reads them back.
    static let demoRegister = FuzzTarget(
        "demo-register",
        longestInput: 1_024,
        words: [
            "activation.result\n\n{\"outcome\":{", "\"id\":\"activation/0/7\"", "\"fate\":\"succeeded\"",
            "\"reason\":{\"code\":",
            "activation.dead-letter\n", "__dlq.errors.topic: activation\n", "__dlq.errors.partition: 0\n",
            "__dlq.errors.offset: 7\n",
        ]
    ) { input in
        var reader = InputReader(input)
        let record = reader.record(topic: reader.text())
        var places: Set<String> = []
        for type in FleetClaims.results {
            var register = Register(type)
            let sent = OutboundRecord(topic: "activation", value: Array("{}".utf8))
            let id = register.published(.good("a record", sent))
            let partition = TopicPartition(topic: "activation", partition: 0)
            register.delivered(DeliveryReceipt(id: id, partition: partition, offset: 7, error: nil))
            register.arrived(record)
            let entry = try Objection.unless(register.entries.first, "a published record is remembered")
            let strangers = register.strangers.count
            let found = entry.outcomes.count + entry.letters.count + register.riddles.count + strangers
            try claim("what is read is filed once", found == 1)
            try claim("only what is settled has a time", entry.settledAt == nil || entry.isSettled)
            places.formUnion(Sighting(record, as: type).map { [$0.place] } ?? [])
        }
        try claim("whoever reads an outcome reads of the same record", places.count <= 1)
    }

    /// The page that the demo reads a worker's counters from.
    static let metricsPage = FuzzTarget(
        "metrics-page",
        words: [
            "worker_records_total{outcome=\"succeeded\"} 76\n", "# TYPE ", " NaN\n", " +Inf\n", " 1e300\n",
            "-Inf",
        ]
    ) { input in
        let page = MetricsPage(input)
        let all = page.sum("worker_records_total")
        let some = page.sum("worker_records_total", [("outcome", "succeeded")])
        try claim("no label means all series", page.sum("worker_records_total", []) == all)
        // Longer than the input, and so not in it: libFuzzer guesses any name that is compared with.
        let missing = String(repeating: "x", count: input.count + 1)
        try claim("a missing metric is zero", page.sum(missing) == 0)
        let isCount = !input.contains(UInt8(ascii: "-"))
        try claim("a part is no more than the whole", !isCount || (0...max(0, all)).contains(some))
        let line = Array("\ncanary 7\n".utf8)
        try claim("a line of its own is read", MetricsPage(input + line).sum("canary") >= 7 || !isCount)
    }
}

private enum FleetClaims {
    /// The types of the values in the fleet's result topics.
    static let results: [any WorkerResult.Type] = [
        Flotilla_Activation_V1_ActivationResult.self, Flotilla_Devicecheck_V1_DeviceCheckResult.self,
        Flotilla_Receipt_V1_ReceiptResult.self,
    ]

    /// As it would be read back.
    static func read(_ record: OutboundRecord) -> InboundRecord {
        InboundRecord(
            topic: record.topic,
            partition: record.partition ?? 0,
            offset: 7,
            timestamp: record.timestamp,
            key: record.key,
            value: record.value,
            headers: record.headers
        )
    }

    static func published(_ line: String) throws -> OutboundRecord {
        try claim("a record is one line", !line.utf8.contains { $0 < 0x20 && $0 != 0x09 })
        try claim("a line is JSON", JSONObject(Array(line.utf8), depthLimit: 600) != nil)
        let parser = PublishLine.Parser(topic: "activation", keyField: nil, isEnvelope: true)
        do throws(PublishLine.Fault) {
            return try parser.record(of: Array(line.utf8))
        } catch {
            throw Objection(description: "does not hold: what is printed can be published (\(error.reason))")
        }
    }

    static func check(_ published: OutboundRecord, _ original: InboundRecord) throws {
        try claim("the key is the same", published.key == original.key)
        try claim("the partition is the same", published.partition == original.partition)
        try claim("the timestamp is the same", published.timestamp == original.timestamp)
        let headers = original.headers.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
        try claim("the headers are the same", published.headers == headers)
        guard published.value != original.value else { return }
        let (one, other) = (
            published.value.flatMap(FoundationJSON.init), original.value.flatMap(FoundationJSON.init)
        )
        try claim("the value is the same, or the same JSON", one != nil && one == other)
    }

    /// Written to a pipe piece by piece, and read as they come.
    static func lines(of bytes: [UInt8], in lengths: [UInt8]) -> [[UInt8]] {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return [] }
        defer { close(ends[0]) }
        var input = LineInput(ends[0])
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        var turn = 0
        while !rest.isEmpty {
            let length = lengths.isEmpty ? rest.count : max(1, Int(lengths[turn % lengths.count]))
            let piece = rest.prefix(length)
            let count = unsafe piece.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
            guard count == piece.count, (try? input.fill()) == true else { break }
            while let line = input.next() { lines.append(line) }
            rest = rest.dropFirst(length)
            turn += 1
        }
        close(ends[1])
        while (try? input.fill()) == true {}
        while let line = input.next() { lines.append(line) }
        return lines
    }
}
