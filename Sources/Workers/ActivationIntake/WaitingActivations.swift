import Records
import ServiceKit
import StreamKit
import WireFormats

/// The activations that wait for a click which may not have been read yet, each as it came to its home.
///
/// Clicks and activations come in different topics, and nothing says which is read first: after an outage of the
/// intake, or where the click feed lags, an activation is read before the click that has led to it.
struct WaitingActivations {
    /// An activation that waits.
    struct Waiting {
        /// The record of the home topic.
        let record: InboundRecord
        /// The key of its device's home.
        let device: [UInt8]
        /// The time since which it waits, in milliseconds since 1970.
        let since: Int64

        /// The key in the changelog. No two records of a home have the same place.
        var key: RememberedKey { RememberedKey(.waiting, named: self.record.place) }

        /// An estimate of the bytes in memory.
        var byteCount: Int { WaitingActivations.entryBytes + self.record.memoryBytes }
    }

    private struct Turn {
        var key: RecentTable.Key
        var since: Int64
    }

    private var entries: [RecentTable.Key: Waiting] = [:]
    private var devices: [[UInt8]: [RecentTable.Key]] = [:]
    /// All activations in the order of their times, and turns of those that wait no more.
    private var turns = Fifo<Turn>()
    private var recordBytes = 0

    /// The most activations of one device that wait at once. A click looks at all of them in one step.
    static let deviceLimit = 32
    /// The bytes of an activation without its record: its places in the tables and in the queue.
    private static let entryBytes = 256

    var count: Int { self.entries.count }

    /// An estimate of the bytes in memory.
    var byteCount: Int { self.turns.count * Self.entryBytes + self.recordBytes }

    /// The time of the oldest turn; nil if there is none.
    var oldest: Int64? { self.turns.first?.since }

    /// Lets an activation wait.
    ///
    /// - Returns: the oldest of the same device, which waits no more, if too many of it wait.
    mutating func add(_ waiting: Waiting) -> Waiting? {
        let key = waiting.key.key
        guard self.entries.updateValue(waiting, forKey: key) == nil else { return nil }
        self.recordBytes += waiting.record.memoryBytes
        self.devices[waiting.device, default: []].append(key)
        self.turns.append(Turn(key: key, since: waiting.since))
        // An activation that a click has released leaves its turn.
        if self.turns.count > 2 * self.entries.count + 16 {
            self.turns.keep { self.entries[$0.key] != nil }
        }
        guard let ofDevice = self.devices[waiting.device], ofDevice.count > Self.deviceLimit else {
            return nil
        }
        return self.remove(ofDevice[0])
    }

    /// Returns the activations of a device, the oldest first.
    func all(of device: [UInt8]) -> [Waiting] { (self.devices[device] ?? []).compactMap { self.entries[$0] } }

    /// Removes and returns the oldest activation if it has waited since before a time.
    ///
    /// - Parameter least: milliseconds since 1970; `Int64.max` for the oldest whatever its time is.
    mutating func removeOldest(before least: Int64) -> Waiting? {
        while let turn = self.turns.first, turn.since < least {
            _ = self.turns.popFirst()
            if let waiting = self.remove(turn.key) { return waiting }
        }
        return nil
    }

    /// Removes an activation, as a record of the changelog says.
    @discardableResult
    mutating func remove(_ key: RecentTable.Key) -> Waiting? {
        guard let waiting = self.entries.removeValue(forKey: key) else { return nil }
        self.recordBytes -= waiting.record.memoryBytes
        self.devices[waiting.device]?.removeAll { $0 == key }
        if self.devices[waiting.device]?.isEmpty == true { self.devices[waiting.device] = nil }
        return waiting
    }
}

extension WaitingActivations.Waiting {
    /// The header of a changelog record that tells since when its activation waits, and under which offset of the
    /// home topic it came.
    private static let header = "flotilla.intake.since"
    /// The header with the time of the activation's own record, in milliseconds since 1970. The brokers put theirs on the
    /// record of the changelog.
    private static let timeHeader = "flotilla.intake.time"

    /// The record of the changelog without its topic and its partition.
    var changelog: (value: [UInt8]?, headers: [RecordHeader]) {
        let place = RecordHeader(Self.header, "\(self.since) \(self.record.offset)")
        let time = self.record.timestamp.map { RecordHeader(Self.timeHeader, "\($0)") }
        return (self.record.value, self.record.headers + [place] + (time.map { [$0] } ?? []))
    }

    /// Reads a record of the changelog; nil if it tells of no activation that waits.
    ///
    /// - Parameter topic: the home topic.
    init?(changelog record: borrowing InboundRecord, of topic: String) {
        let words = String(decoding: record.header(Self.header) ?? [], as: UTF8.self).split(separator: " ")
        guard words.count == 2, let since = Int64(words[0]), let offset = Int64(words[1]),
            let activation = try? Activation(decoding: record)
        else { return nil }
        // A version before this one wrote the time on the record itself.
        let time = record.header(Self.timeHeader).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        let own = [Self.header, Self.timeHeader, StateSpread.headerName]
        let original = InboundRecord(
            topic: topic,
            partition: record.partition,
            offset: offset,
            timestamp: time ?? record.timestamp,
            value: record.value,
            headers: record.headers.filter { header in !own.contains { header.isNamed($0) } }
        )
        self.init(
            record: original,
            device: Array(HomeRecord.Name.device(activation.muidText).utf8),
            since: since
        )
    }
}

extension InboundRecord {
    /// An estimate of the bytes that the record's content takes.
    fileprivate var memoryBytes: Int {
        self.headers.reduce((self.value?.count ?? 0) + (self.key?.count ?? 0)) { sum, header in
            sum + header.name.utf8.count + (header.value?.count ?? 0) + 64
        }
    }
}
