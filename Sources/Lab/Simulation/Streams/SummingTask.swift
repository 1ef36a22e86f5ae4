import Kafka
import Records
import ServiceKit
import StreamKit

/// Adds up the reports of all partitions on each group. Its state is read back from its input.
final class SummingTask: StreamTask {
    static let topic = "work.sums"

    private let pace: Duration
    private let watch: StreamWatch
    private var parts: [String: [Int32: Part]] = [:]
    private var dues: [String: Int64] = [:]

    init(pace: Duration, _ watch: StreamWatch) {
        self.pace = pace
        self.watch = watch
    }

    var memory: StreamMemory { .input }

    func restore(_ record: InboundRecord, at now: Moment) { self.take(record, now) }

    func restored(at now: Moment) {
        // No topic records which sums were published before, so all are published again.
        for name in self.parts.keys { self.dues[name] = now.wall + self.pace.wholeMilliseconds }
    }

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        guard let name = self.take(record, now), self.dues[name] == nil else { return }
        self.dues[name] = now.wall + self.pace.wholeMilliseconds
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.process(record, at: now, output)
    }

    @discardableResult
    private func take(_ record: InboundRecord, _ now: Moment) -> String? {
        guard let part = Part(key: record.key, value: record.value) else {
            self.watch.complain("\(record.place) is no part")
            return nil
        }
        let held = self.parts[part.group]?[part.source]
        // Reports are numbered without gaps. If one is missing, the state was not read back completely.
        if part.tellings != (held?.tellings ?? 0) + 1 {
            self.watch.complain("part \(part.tellings) of \(part.source) comes after \(held?.tellings ?? 0)")
        }
        self.parts[part.group, default: [:]][part.source] = part
        return part.group
    }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        for name in self.dues.filter({ $0.value <= now.wall }).keys.sorted() {
            self.dues[name] = nil
            let sum = Sum(self.parts[name] ?? [:])
            output.send(OutboundRecord(topic: Self.topic, key: Array(name.utf8), value: sum.encoded))
        }
    }

    var nextDue: Int64? { self.dues.values.min() }

    var byteCount: Int { 0 }
}

/// The sum of the reports of all partitions on one group.
struct Sum: Hashable {
    var version: Int
    var items: Int

    init(_ parts: [Int32: Part]) {
        self.version = parts.values.reduce(0) { $0 + $1.tellings }
        self.items = parts.values.reduce(0) { $0 + $1.items }
    }

    init?(_ value: [UInt8]?) {
        let fields = String(decoding: value ?? [], as: UTF8.self).split(separator: "|")
        guard fields.count == 2, let version = Int(fields[0]), let items = Int(fields[1]) else { return nil }
        self.version = version
        self.items = items
    }

    var encoded: [UInt8] { Array("\(self.version)|\(self.items)".utf8) }
}
