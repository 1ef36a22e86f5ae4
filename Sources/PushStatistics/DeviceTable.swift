/// The devices of one cohort: a hash table of 16 bytes a place that never moves much at once.
///
/// It consists of segments of at most `segmentLimit` places. A full segment grows by a quarter or, once it is large,
/// parts in two (extendible hashing), so a table of ten million devices grows in steps of microseconds, and between
/// five and six and a half eighths of its places are taken: at most 26 bytes for a device, in all but the smallest
/// tables.
///
/// Where a device stands follows from its fingerprint and a seed that nobody outside knows: who chooses device ids
/// cannot choose places.
package struct DeviceTable: Sendable {
    private var segments: [Segment]
    /// By the first `depth` bits of a place's number.
    private var directory: [UInt32]
    private var depth: UInt64 = 0
    private let seed: UInt64
    package private(set) var count = 0

    private static let segmentLimit = 3_900
    /// A directory of a million entries: more segments than memory holds. What a segment cannot part it grows.
    private static let depthLimit: UInt64 = 20

    package init(seed: UInt64) {
        self.seed = seed
        self.segments = [Segment(depth: 0, places: 4)]
        self.directory = [0]
    }

    /// What the table takes in memory, near enough.
    package var byteCount: Int {
        self.placeCount * DeviceRecord.byteCount + self.segments.count * 48 + self.directory.count * 4
    }

    private var placeCount = 4

    /// Has a closure look at what is known of a device, and change it. What is left without a flag is not kept.
    package mutating func withRecord<Result>(
        of fingerprint: Fingerprint,
        _ body: (inout DeviceRecord) -> Result
    ) -> Result {
        let number = self.number(of: fingerprint.high)
        let segment = self.segment(of: number)
        let place = self.segments[segment].place(of: fingerprint, number)
        var record = self.segments[segment].records[place]
        let isNew = record.isEmpty
        if isNew { record = DeviceRecord(fingerprint) }
        let result = body(&record)
        guard !record.isEmpty else { return result }
        self.segments[segment].records[place] = record
        if isNew {
            self.count += 1
            self.segments[segment].count += 1
            if self.segments[segment].isFull { self.makeRoom(in: segment, number) }
        }
        return result
    }

    /// Puts a record back as it was stored, over what is known of its device.
    package mutating func restore(_ stored: DeviceRecord) {
        guard !stored.isEmpty else { return }
        self.withRecord(of: stored.fingerprint) { $0 = stored }
    }

    package func forEach(_ body: (DeviceRecord) -> Void) {
        for segment in self.segments {
            for record in segment.records where !record.isEmpty { body(record) }
        }
    }

    // MARK: - Places

    /// Spreads evenly, whatever the fingerprints have in common: the multiplier is that of Fibonacci hashing, the
    /// steps those of MurmurHash3's last mix.
    private func number(of high: UInt64) -> UInt64 {
        var mixed = (high ^ self.seed) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 32
        mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
        return mixed ^ (mixed >> 29)
    }

    private func segment(of number: UInt64) -> Int {
        Int(self.directory[self.depth == 0 ? 0 : Int(number >> (64 - self.depth))])
    }

    // MARK: - Growth

    private mutating func makeRoom(in segment: Int, _ number: UInt64) {
        let places = self.segments[segment].records.count
        let depth = self.segments[segment].depth
        guard places >= Self.segmentLimit, depth < Self.depthLimit else {
            return self.resize(segment, to: max(places + places / 4, places + 4))
        }
        if depth == self.depth {
            self.directory = self.directory.flatMap { [$0, $0] }
            self.depth += 1
        }
        self.part(segment, number)
    }

    private mutating func resize(_ segment: Int, to places: Int) {
        let old = self.segments[segment]
        var new = Segment(depth: old.depth, places: places)
        for record in old.records where !record.isEmpty { new.insert(record, self.number(of: record.high)) }
        self.segments[segment] = new
        self.placeCount += places - old.records.count
    }

    private mutating func part(_ segment: Int, _ number: UInt64) {
        let old = self.segments[segment]
        let depth = old.depth + 1
        let bit: UInt64 = 1 << (64 - depth)
        let ones = old.records.count { !$0.isEmpty && self.number(of: $0.high) & bit != 0 }
        var halves = [old.count - ones, ones].map {
            // Half of what made a segment full takes five eighths of this.
            Segment(depth: depth, places: max(Self.segmentLimit * 16 / 25, $0 * 5 / 3))
        }
        for record in old.records where !record.isEmpty {
            let number = self.number(of: record.high)
            halves[number & bit == 0 ? 0 : 1].insert(record, number)
        }
        self.placeCount += halves[0].records.count + halves[1].records.count - old.records.count
        self.segments[segment] = halves[0]
        self.segments.append(halves[1])
        // The entries that led here lie side by side; the second half of them now leads to the new segment.
        let span = 1 << Int(self.depth - depth)
        let first = Int(number >> (64 - old.depth)) << Int(self.depth - old.depth)
        for entry in (first + span)..<(first + 2 * span) {
            self.directory[entry] = UInt32(self.segments.count - 1)
        }
    }
}

/// Places with linear probing.
private struct Segment: Sendable {
    var records: [DeviceRecord]
    var count = 0
    let depth: UInt64

    init(depth: UInt64, places: Int) {
        self.depth = depth
        self.records = [DeviceRecord](repeating: .empty, count: places)
    }

    /// At four fifths a search looks at three places on average, five for one that is not there.
    var isFull: Bool { self.count * 5 >= self.records.count * 4 }

    /// Where a device stands, or would. There is always a free place.
    func place(of fingerprint: Fingerprint, _ number: UInt64) -> Int {
        var place = self.home(of: number)
        while !self.records[place].isEmpty, !self.records[place].isOf(fingerprint) {
            place = place + 1 == self.records.count ? 0 : place + 1
        }
        return place
    }

    mutating func insert(_ record: DeviceRecord, _ number: UInt64) {
        self.records[self.place(of: record.fingerprint, number)] = record
        self.count += 1
    }

    /// Of the lower half of the number, since the upper bits have chosen the segment.
    private func home(of number: UInt64) -> Int {
        Int(((number & 0xFFFF_FFFF) * UInt64(self.records.count)) >> 32)
    }
}
