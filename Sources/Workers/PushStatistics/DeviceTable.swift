/// The devices of one cohort: a hash table with places of 16 bytes that grows in small steps.
///
/// The table consists of segments. A full segment grows by a quarter, or is split in two if it has
/// `segmentLimit` places or more (extendible hashing). A table of ten million devices therefore grows in
/// steps of microseconds. About three to four fifths of the places are taken in all but the smallest tables,
/// so a device takes at most 27 bytes.
///
/// The place of a device depends on its fingerprint and on a seed that nobody outside this process knows.
/// Therefore nobody can choose device ids that collide.
package struct DeviceTable: Sendable {
    private var segments: [Segment]
    /// The segment of each prefix: the index is the first `depth` bits of a device's number.
    private var directory: [UInt32]
    /// The number of bits by which the directory is indexed.
    private var depth: UInt64 = 0
    private let seed: UInt64
    /// The number of devices in the table.
    package private(set) var count = 0

    /// A full segment with at least this number of places is split instead of enlarged.
    private static let segmentLimit = 3_900
    /// The greatest depth: a directory of a million entries, more segments than fit into memory. At this
    /// depth a full segment grows instead.
    private static let depthLimit: UInt64 = 20

    /// Creates an empty table.
    ///
    /// - Parameter seed: a random number that nobody outside this process knows.
    package init(seed: UInt64) {
        self.seed = seed
        self.segments = [Segment(depth: 0, places: 4)]
        self.directory = [0]
    }

    /// The approximate size of the table in memory, in bytes.
    package var byteCount: Int {
        self.placeCount * DeviceRecord.byteCount + self.segments.count * 48 + self.directory.count * 4
    }

    /// The number of places in all segments.
    private var placeCount = 4

    /// Calls a closure with the record of a device, which the closure may change. If the record has no flag
    /// afterwards, it is not stored.
    ///
    /// - Returns: the closure's result.
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

    /// Stores a record that was read back. It replaces the record of the same device; an empty record is
    /// ignored.
    package mutating func restore(_ stored: DeviceRecord) {
        guard !stored.isEmpty else { return }
        self.withRecord(of: stored.fingerprint) { $0 = stored }
    }

    /// Returns whether the table has a record of a device.
    package func contains(_ fingerprint: Fingerprint) -> Bool {
        let number = self.number(of: fingerprint.high)
        let segment = self.segments[self.segment(of: number)]
        return !segment.records[segment.place(of: fingerprint, number)].isEmpty
    }

    /// Calls a closure with every stored record, in no particular order.
    package func forEach(_ body: (DeviceRecord) -> Void) {
        for segment in self.segments {
            for record in segment.records where !record.isEmpty { body(record) }
        }
    }

    // MARK: - Places

    /// Returns the hash number of a device. Numbers are spread evenly, whatever the fingerprints have in
    /// common: the multiplication is that of Fibonacci hashing, the other steps are those of the last mix of
    /// MurmurHash3.
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

    /// Enlarges a full segment, or splits it if it is large.
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

    /// Splits a segment in two by the next bit of the numbers of its devices.
    private mutating func part(_ segment: Int, _ number: UInt64) {
        let old = self.segments[segment]
        let depth = old.depth + 1
        let bit: UInt64 = 1 << (64 - depth)
        let ones = old.records.count { !$0.isEmpty && self.number(of: $0.high) & bit != 0 }
        var halves = [old.count - ones, ones].map {
            // A half takes at most three fifths of these places, so that it does not have to grow soon.
            Segment(depth: depth, places: max(Self.segmentLimit * 16 / 25, $0 * 5 / 3))
        }
        for record in old.records where !record.isEmpty {
            let number = self.number(of: record.high)
            halves[number & bit == 0 ? 0 : 1].insert(record, number)
        }
        self.placeCount += halves[0].records.count + halves[1].records.count - old.records.count
        self.segments[segment] = halves[0]
        self.segments.append(halves[1])
        // The directory entries of the old segment are neighbours. The second half of them now refers to the
        // new segment.
        let span = 1 << Int(self.depth - depth)
        let first = Int(number >> (64 - old.depth)) << Int(self.depth - old.depth)
        for entry in (first + span)..<(first + 2 * span) {
            self.directory[entry] = UInt32(self.segments.count - 1)
        }
    }
}

/// A part of the table: places with linear probing.
private struct Segment: Sendable {
    var records: [DeviceRecord]
    /// The number of taken places.
    var count = 0
    /// The number of leading bits that the numbers of all devices in this segment share.
    let depth: UInt64

    init(depth: UInt64, places: Int) {
        self.depth = depth
        self.records = [DeviceRecord](repeating: .empty, count: places)
    }

    /// Whether four fifths of the places are taken. With linear probing and this load, a search visits three
    /// places on average if the device is there, and 13 if it is not (Knuth, The Art of Computer Programming,
    /// volume 3, section 6.4).
    var isFull: Bool { self.count * 5 >= self.records.count * 4 }

    /// Returns the place of a device, or the free place where it belongs. The caller keeps at least one place
    /// free, so the search ends.
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

    /// Returns the first place of a search. It is taken from the lower half of the number, because the upper
    /// bits have chosen the segment.
    private func home(of number: UInt64) -> Int {
        Int(((number & 0xFFFF_FFFF) * UInt64(self.records.count)) >> 32)
    }
}
