import ServiceKit
import WireFormats

// Folding: the compact form of a small cohort in memory. Numbers are varints, and counts that are zero are
// left out. These bytes never leave the process, so their format can change at any time.
extension CohortSnapshot {
    /// Returns the folded bytes; nil if the cohort holds more than one device or its histogram has other
    /// edges.
    ///
    /// - Parameters:
    ///   - edges: the edges that every folded histogram has; they are not part of the bytes.
    ///   - due: the time at which the cohort is closed or forgotten, in milliseconds since 1970.
    ///   - names: the table that replaces common names by numbers.
    func folded(edges: [Int64], due: Int64, names: inout NameTable) -> [UInt8]? {
        guard self.devices.count <= 1, let histogram = self.tally.histogram, histogram.edges == edges else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        bytes.appendZigZag(self.term)
        bytes.appendZigZag(due.subtractingClamped(self.term))
        bytes.append((self.isClosed ? 1 : 0) | (self.devices.isEmpty ? 0 : 2))
        bytes.appendZigZag(Int64(self.source))
        bytes.appendVarint(UInt64(bitPattern: self.version))
        for time in [self.firstSeen, self.lastSeen, self.base + DeviceRecord.timeRange.upperBound / 2] {
            bytes.appendZigZag(time &- self.term)
        }
        names.append(self.campaignID, to: &bytes)
        for device in self.devices { device.append(to: &bytes) }
        self.tally.fold(histogram, self.term, to: &bytes)
        return bytes
    }

    /// Reads a snapshot and its due time from folded bytes; nil if the bytes end early or do not fit.
    ///
    /// - Parameters:
    ///   - reader: the reader, positioned after the key of the entry.
    ///   - key: the key that was read before.
    ///   - edges: the edges with which the snapshot was folded.
    ///   - names: the table with which the snapshot was folded.
    static func unfolded(
        _ reader: inout FoldedReader,
        _ key: CohortKey,
        edges: [Int64],
        names: NameTable
    ) -> (snapshot: CohortSnapshot, due: Int64)? {
        guard let term = reader.zigZag(), let wait = reader.zigZag(), let flags = reader.byte(),
            let source = reader.zigZag(), let version = reader.varint(),
            let first = reader.zigZag(), let last = reader.zigZag(), let base = reader.zigZag(),
            let campaign = names.read(&reader)
        else { return nil }
        var devices: [DeviceRecord] = []
        if flags & 2 != 0 {
            guard let high = reader.word(), let low = reader.word() else { return nil }
            devices = [DeviceRecord(high: high, low: low)]
        }
        guard let tally = Tally(folded: &reader, edges: edges, term) else { return nil }
        var snapshot = CohortSnapshot(
            key: key,
            campaignID: campaign,
            source: Int32(clamping: source),
            term: term,
            version: Int64(bitPattern: version),
            isClosed: flags & 1 != 0,
            tally: tally,
            firstSeen: term &+ first,
            lastSeen: term &+ last,
            base: term &+ base - DeviceRecord.timeRange.upperBound / 2
        )
        snapshot.devices = devices
        return (snapshot, term.addingClamped(wait))
    }
}

extension Tally {
    private static let counts: [any WritableKeyPath<Tally, Int64> & Sendable] = [
        \.accepted, \.eligible, \.arrived, \.shown, \.opened, \.dismissed, \.duplicates, \.lateDropped,
        \.ineligible, \.unknownDevice, \.skewAdjusted, \.lagUnknown, \.attachmentsShown, \.converted, \.early,
    ]
    private static let firstTime: UInt64 = 15
    private static let lags: UInt64 = 1 << 19
    private static let reasons: UInt64 = 1 << 20
    private static let hours: UInt64 = 1 << 21
    private static let values: UInt64 = 1 << 22
    private static let times: [any WritableKeyPath<Tally, Int64?> & Sendable] = [
        \.firstArrival, \.lastArrival, \.firstSent, \.lastSent,
    ]

    /// Appends the tally: first a bit set that says which counts, times, lags and reasons follow, then only
    /// those.
    ///
    /// The lowest bits stand for the counts, those from `firstTime` on for the times, and `lags` for the histogram and the
    /// sketch.
    fileprivate func fold(_ histogram: LagHistogram, _ term: Int64, to bytes: inout [UInt8]) {
        var bits: UInt64 = 0
        for (index, path) in Self.counts.enumerated() where self[keyPath: path] != 0 {
            bits |= 1 << UInt64(index)
        }
        for (index, path) in Self.times.enumerated() where self[keyPath: path] != nil {
            bits |= 1 << (UInt64(index) + Self.firstTime)
        }
        let lags = self.sketch.buckets
        if !lags.isEmpty || histogram.counts.contains(where: { $0 != 0 }) { bits |= Self.lags }
        if !self.rejected.isEmpty { bits |= Self.reasons }
        if !self.hours.isEmpty { bits |= Self.hours }
        if !self.conversionValues.micros.isEmpty { bits |= Self.values }
        bytes.appendVarint(bits)
        for path in Self.counts where self[keyPath: path] != 0 {
            bytes.appendVarint(UInt64(bitPattern: self[keyPath: path]))
        }
        for path in Self.times { if let time = self[keyPath: path] { bytes.appendZigZag(time &- term) } }
        if bits & Self.lags != 0 {
            for count in histogram.counts { bytes.appendVarint(UInt64(bitPattern: count)) }
            bytes.appendVarint(UInt64(lags.count))
            for (index, count) in lags {
                bytes.appendVarint(UInt64(index))
                bytes.appendVarint(UInt64(bitPattern: count))
            }
        }
        if !self.hours.isEmpty { self.foldHours(term, to: &bytes) }
        if !self.rejected.isEmpty { Self.fold(self.rejected, to: &bytes) }
        if !self.conversionValues.micros.isEmpty { Self.fold(self.conversionValues.micros, to: &bytes) }
    }

    private static func fold(_ numbers: [String: Int64], to bytes: inout [UInt8]) {
        bytes.appendVarint(UInt64(numbers.count))
        for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
            bytes.appendText(name)
            bytes.appendVarint(UInt64(bitPattern: number))
        }
    }

    /// Reads numbers that `fold` has written; nil if the bytes end early.
    private static func numbers(_ reader: inout FoldedReader) -> [String: Int64]? {
        guard let count = reader.varint() else { return nil }
        var numbers: [String: Int64] = [:]
        for _ in 0..<count {
            guard let name = reader.text(), let number = reader.varint() else { return nil }
            numbers[name] = Int64(bitPattern: number)
        }
        return numbers
    }

    /// Appends the hours of arrivals, each as its distance from the one before; the first one from the hour of
    /// the term.
    private func foldHours(_ term: Int64, to bytes: inout [UInt8]) {
        let hours = self.hours.all
        bytes.appendVarint(UInt64(hours.count))
        var before = ArrivalHours.hour(of: term)
        for (hour, count) in hours {
            bytes.appendZigZag(Int64(hour) - Int64(before))
            bytes.appendVarint(UInt64(bitPattern: count))
            before = hour
        }
    }

    private mutating func unfoldHours(_ reader: inout FoldedReader, _ term: Int64) -> Bool {
        guard let number = reader.varint(), number <= UInt64(ArrivalHours.limit) else { return false }
        var hours: [(hour: Int32, count: Int64)] = []
        var before = ArrivalHours.hour(of: term)
        for _ in 0..<number {
            guard let step = reader.zigZag(), let count = reader.varint() else { return false }
            before = Int32(clamping: step.addingClamped(Int64(before)))
            hours.append((hour: before, count: Int64(bitPattern: count)))
        }
        self.hours = ArrivalHours(hours)
        return true
    }

    /// Reads a tally that `fold` has written; nil if the bytes end early or do not fit.
    fileprivate init?(folded reader: inout FoldedReader, edges: [Int64], _ term: Int64) {
        self.init(edges: edges)
        guard let bits = reader.varint() else { return nil }
        for (index, path) in Self.counts.enumerated() where bits & 1 << UInt64(index) != 0 {
            guard let count = reader.varint() else { return nil }
            self[keyPath: path] = Int64(bitPattern: count)
        }
        for (index, path) in Self.times.enumerated()
        where bits & 1 << (UInt64(index) + Self.firstTime) != 0 {
            guard let time = reader.zigZag() else { return nil }
            self[keyPath: path] = term &+ time
        }
        if bits & Self.lags != 0 { guard self.unfoldLags(&reader, edges) else { return nil } }
        if bits & Self.hours != 0 { guard self.unfoldHours(&reader, term) else { return nil } }
        if bits & Self.reasons != 0 {
            guard let reasons = Self.numbers(&reader) else { return nil }
            for (reason, count) in reasons.sorted(by: { $0.key < $1.key }) {
                self.reject(reason, count: count)
            }
        }
        if bits & Self.values != 0 {
            guard let values = Self.numbers(&reader) else { return nil }
            self.conversionValues = ConversionValues(values)
        }
    }

    private mutating func unfoldLags(_ reader: inout FoldedReader, _ edges: [Int64]) -> Bool {
        var counts: [Int64] = []
        for _ in 0...edges.count {
            guard let count = reader.varint() else { return false }
            counts.append(Int64(bitPattern: count))
        }
        guard let histogram = LagHistogram(edges: edges, counts: counts), let number = reader.varint() else {
            return false
        }
        self.histogram = histogram
        var lags: [(index: Int, count: Int64)] = []
        for _ in 0..<number {
            guard let index = reader.varint(), let count = reader.varint() else { return false }
            lags.append((index: Int(clamping: index), count: Int64(bitPattern: count)))
        }
        self.sketch = LagSketch(lags)
        return true
    }
}

// MARK: - Bytes

extension [UInt8] {
    /// Appends a number as a varint: seven bits per byte, the lowest first, and the top bit set in all bytes
    /// but the last.
    mutating func appendVarint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a signed number as a varint in zigzag order, so that small negative numbers are short, too.
    mutating func appendZigZag(_ number: Int64) {
        self.appendVarint(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// Appends the number of UTF-8 bytes as a varint, then the bytes.
    mutating func appendText(_ text: String) {
        self.appendVarint(UInt64(text.utf8.count))
        self += text.utf8
    }
}

/// A reader of folded bytes. Each method returns nil, and never traps, if the bytes end before the value
/// does.
struct FoldedReader {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], _ position: Int) {
        self.bytes = bytes
        self.position = position
    }

    mutating func byte() -> UInt8? {
        guard self.position < self.bytes.count else { return nil }
        self.position += 1
        return self.bytes[self.position - 1]
    }

    mutating func varint() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = self.byte() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    mutating func zigZag() -> Int64? {
        self.varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    mutating func text() -> String? {
        guard let count = self.varint(), count <= UInt64(self.bytes.count - self.position) else { return nil }
        let end = self.position + Int(count)
        defer { self.position = end }
        return String(decoding: self.bytes[self.position..<end], as: UTF8.self)
    }

    /// Reads eight bytes as a little-endian number.
    mutating func word() -> UInt64? {
        var word: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            guard let byte = self.byte() else { return nil }
            word |= UInt64(byte) << shift
        }
        return word
    }
}
