/// The records that workers on this machine died of, and how often.
///
/// A plain count would be wrong if a worker died while it counted: the same death would be counted again. So
/// each run of a worker has a number, and a record is charged with the numbers of the runs that died while
/// they handled it. Charging a record twice with the same run changes nothing.
///
/// The ledger is stored as text, one record on a line, the oldest first, so that the engineer on call can
/// read it:
///
///     flotilla crash ledger 1
///     activation/3/1042 9f3a0c55d2e1b874 01d7c3b2a4f5e698
package struct CrashLedger: Hashable, Sendable {
    /// The place of a record in Kafka. A place that no record can have cannot be made.
    package struct Place: Hashable, Sendable {
        /// The longest topic name that Kafka allows, in bytes.
        package static let topicLimit = 249

        package let topic: String
        package let partition: Int32
        package let offset: Int64

        /// Makes a place; nil if no record of Kafka can have it.
        package init?(topic: String, partition: Int32, offset: Int64) {
            guard partition >= 0, offset >= 0 else { return nil }
            guard (1...Self.topicLimit).contains(topic.utf8.count), topic.utf8.allSatisfy(Self.isTopicByte)
            else {
                return nil
            }
            self.topic = topic
            self.partition = partition
            self.offset = offset
        }

        /// Whether the record is one of this partition.
        package func isIn(_ topic: String, _ partition: Int32) -> Bool {
            self.topic == topic && self.partition == partition
        }

        private static func isTopicByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    private struct Entry: Hashable {
        var place: Place
        /// The runs that died while they handled the record, newest last.
        var runs: [UInt64]
    }

    /// The number of records that are kept. Beyond it the record that was charged longest ago is dropped.
    package static let recordsLimit = 1_000
    /// The number of deaths of one record that are kept, the newest ones. Further deaths do not raise the
    /// count.
    package static let deathsLimit = 8
    /// The largest text that is read as a ledger, in bytes.
    package static let bytesLimit = 1 << 20

    /// The charged records; the one that was charged longest ago comes first.
    private var entries: [Entry] = []

    /// Makes an empty ledger.
    package init() {}

    /// Whether no record is charged.
    package var isEmpty: Bool { self.entries.isEmpty }

    /// The number of runs that died of each record.
    package var deaths: [Place: Int] {
        self.entries.reduce(into: [:]) { $0[$1.place] = $1.runs.count }
    }

    /// Charges a record with a run that died while it handled the record.
    package mutating func charge(_ place: Place, with run: UInt64) {
        var runs: [UInt64] = []
        if let index = self.entries.firstIndex(where: { $0.place == place }) {
            runs = self.entries.remove(at: index).runs
        }
        if !runs.contains(run) { runs = runs.suffix(Self.deathsLimit - 1) + [run] }
        self.entries.append(Entry(place: place, runs: runs))
        self.entries.removeFirst(max(0, self.entries.count - Self.recordsLimit))
    }

    /// Removes a record that was settled.
    ///
    /// - Returns: False if the record was not in the ledger.
    @discardableResult
    package mutating func forgive(_ place: Place) -> Bool {
        guard let index = self.entries.firstIndex(where: { $0.place == place }) else { return false }
        self.entries.remove(at: index)
        return true
    }

    /// Removes every record of a partition whose topic was deleted and made again: other records have their offsets.
    ///
    /// - Returns: False if no record of the partition was in the ledger.
    @discardableResult
    package mutating func forgive(topic: String, partition: Int32) -> Bool {
        let before = self.entries.count
        self.entries.removeAll { $0.place.isIn(topic, partition) }
        return self.entries.count < before
    }
}

extension CrashLedger {
    private static let title = "flotilla crash ledger 1"

    /// The ledger as it is stored.
    package var text: String {
        self.entries.reduce(into: Self.title + "\n") { text, entry in
            let runs = entry.runs.map { " " + Self.hexadecimal($0) }.joined()
            text += "\(entry.place.topic)/\(entry.place.partition)/\(entry.place.offset)\(runs)\n"
        }
    }

    /// Reads a stored ledger and skips the lines that are not entries.
    ///
    /// - Returns: The ledger, and the number of skipped lines; nil if the text is not a ledger, or is larger
    ///   than `bytesLimit`.
    package static func read(_ text: String) -> (ledger: CrashLedger, strangeLines: Int)? {
        // Split by bytes: to Swift, a carriage return and the line end after it are one character, which is
        // no line end.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
        guard text.utf8.count <= Self.bytesLimit, lines.first.map(String.init) == Self.title else {
            return nil
        }
        lines.removeFirst()
        var ledger = CrashLedger()
        var strange = 0
        for line in lines {
            guard let entry = Self.entry(in: line) else {
                strange += 1
                continue
            }
            for run in entry.runs { ledger.charge(entry.place, with: run) }
        }
        return (ledger, strange)
    }

    private static func entry(in line: Substring) -> Entry? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let parts = words[0].split(separator: "/", omittingEmptySubsequences: false)
        guard (2...1 + Self.deathsLimit).contains(words.count), parts.count == 3 else { return nil }
        guard let partition = Int32(parts[1]), let offset = Int64(parts[2]) else { return nil }
        guard let place = Place(topic: String(parts[0]), partition: partition, offset: offset) else {
            return nil
        }
        let runs = words.dropFirst().map { $0.utf8.count == 16 ? UInt64($0, radix: 16) : nil }
        guard runs.allSatisfy({ $0 != nil }) else { return nil }
        return Entry(place: place, runs: runs.compactMap(\.self))
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
