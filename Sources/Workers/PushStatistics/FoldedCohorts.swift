import WireFormats

/// A store of cohorts of at most one device. A cohort takes as many bytes as its names have, and about 60
/// more.
///
/// Anybody who has an app can invent message ids, and each of them begins a cohort that the worker must
/// remember for days. Such a cohort is therefore folded: it is kept as bytes, and becomes an object again
/// when the next event of its message arrives.
///
/// The store is a hash table that grows by one bucket at a time (linear hashing). Each bucket is one array of
/// bytes, so that a message needs neither an object nor a dictionary entry of its own.
struct FoldedCohorts {
    /// A cohort that was taken out of the store, with the due time that was passed to `put`.
    struct Entry {
        var snapshot: CohortSnapshot
        var due: Int64
    }

    private var buckets: [[UInt8]] = [[]]
    /// The next bucket to be split. All buckets before this one were split since the table had `1 << level`
    /// buckets.
    private var split = 0
    /// The number of hash bits that choose a bucket that has not been split yet.
    private var level = 0
    private var names = NameTable()
    private let edges: [Int64]
    /// The number of cohorts in the store.
    private(set) var count = 0
    /// The number of cohorts in the store that are not closed.
    private(set) var openCount = 0
    /// The approximate size of all buckets, in bytes.
    private(set) var byteCount = 0
    /// A lower bound of the due times in the store; nil if the store never had an entry or the last `takeDue`
    /// left none. A cohort that was taken out may leave it too low.
    private(set) var nextDue: Int64?

    /// The average number of entries in a bucket above which the table grows.
    private static let entriesPerBucket = 24
    /// The extra bytes that a full bucket reserves when an entry is added.
    private static let step = 128

    /// Creates an empty store.
    ///
    /// - Parameter edges: the edges that the histogram of every stored cohort must have.
    init(edges: [Int64]) { self.edges = edges }

    // MARK: - One cohort

    /// Stores a cohort. The caller must have taken out the cohort with the same key before.
    ///
    /// - Returns: false, and nothing is stored, if the cohort holds more than one device or its histogram has
    ///   other edges.
    mutating func put(_ snapshot: CohortSnapshot, due: Int64) -> Bool {
        guard let body = snapshot.folded(edges: self.edges, due: due, names: &self.names) else {
            return false
        }
        let key = self.bytes(of: snapshot.key)
        var entry: [UInt8] = []
        entry.reserveCapacity(key.count + body.count + 4)
        entry.appendVarint(UInt64(key.count))
        entry.appendVarint(UInt64(body.count))
        entry += key
        entry += body
        self.add(entry, to: self.bucket(of: key[...]))
        self.count += 1
        self.openCount += snapshot.isClosed ? 0 : 1
        self.nextDue = min(self.nextDue ?? .max, due)
        if self.count > self.buckets.count * Self.entriesPerBucket { self.splitNext() }
        return true
    }

    /// Removes and returns a cohort; nil if it is not in the store.
    mutating func take(_ key: CohortKey) -> Entry? {
        guard let found = self.find(key) else { return nil }
        self.remove([found.place], from: found.bucket)
        self.openCount -= found.entry.snapshot.isClosed ? 0 : 1
        return found.entry
    }

    /// Returns a cohort, which stays in the store; nil if it is not there.
    mutating func cohort(of key: CohortKey) -> CohortSnapshot? { self.find(key)?.entry.snapshot }

    private mutating func find(_ key: CohortKey) -> (bucket: Int, place: FoldedPlace, entry: Entry)? {
        guard self.count > 0 else { return nil }
        let wanted = self.bytes(of: key)
        let bucket = self.bucket(of: wanted[...])
        var found: (place: FoldedPlace, entry: Entry)?
        self.visit(bucket) { bytes, place in
            guard found == nil, place.key.count == wanted.count, bytes[place.key].elementsEqual(wanted),
                let entry = self.entry(bytes, place)
            else { return }
            found = (place, entry)
        }
        return found.map { (bucket: bucket, place: $0.place, entry: $0.entry) }
    }

    // MARK: - All cohorts

    /// Removes and returns all cohorts that are due at `time`. The method reads every entry, and drops
    /// entries that cannot be read.
    mutating func takeDue(at time: Int64) -> [Entry] {
        var taken: [Entry] = []
        var next: Int64?
        for bucket in self.buckets.indices {
            var due: [FoldedPlace] = []
            self.visit(bucket) { bytes, place in
                guard let entry = self.entry(bytes, place) else { return due.append(place) }
                if entry.due <= time {
                    due.append(place)
                    taken.append(entry)
                } else {
                    next = min(next ?? .max, entry.due)
                }
            }
            if !due.isEmpty { self.remove(due, from: bucket) }
        }
        self.nextDue = next
        self.openCount -= taken.count { !$0.snapshot.isClosed }
        return taken
    }

    /// The number of buckets; it grows with the number of cohorts.
    var bucketCount: Int { self.buckets.count }

    /// Calls a closure with every cohort of one bucket.
    ///
    /// - Parameter bucket: a number below `bucketCount`.
    func forEach(in bucket: Int, _ body: (CohortSnapshot) -> Void) {
        self.visit(bucket) { bytes, place in
            if let entry = self.entry(bytes, place) { body(entry.snapshot) }
        }
    }

    // MARK: - Bytes

    /// Calls a closure with the place of every entry of a bucket.
    private func visit(_ bucket: Int, _ body: ([UInt8], FoldedPlace) -> Void) {
        let bytes = self.buckets[bucket]
        var position = 0
        while position < bytes.count {
            var reader = FoldedReader(bytes, position)
            guard let key = reader.varint(), let rest = reader.varint() else { return }
            let keyEnd = reader.position + Int(clamping: key)
            let end = keyEnd + Int(clamping: rest)
            guard end <= bytes.count else { return }
            body(bytes, FoldedPlace(whole: position..<end, key: reader.position..<keyEnd))
            position = end
        }
    }

    /// Reads an entry; nil if its bytes are damaged.
    private func entry(_ bytes: [UInt8], _ place: FoldedPlace) -> Entry? {
        var reader = FoldedReader(bytes, place.key.lowerBound)
        guard let provider = self.names.read(&reader), let app = self.names.read(&reader),
            let message = reader.text(), let day = reader.text(), let segment = reader.text(),
            reader.position == place.key.upperBound
        else { return nil }
        let key = CohortKey(
            provider: provider,
            appBundle: app,
            messageID: message,
            day: day,
            segment: segment
        )
        return CohortSnapshot.unfolded(&reader, key, edges: self.edges, names: self.names)
            .map { Entry(snapshot: $0.snapshot, due: $0.due) }
    }

    private mutating func bytes(of key: CohortKey) -> [UInt8] {
        var bytes: [UInt8] = []
        self.names.append(key.provider, to: &bytes)
        self.names.append(key.appBundle, to: &bytes)
        bytes.appendText(key.messageID)
        bytes.appendText(key.day)
        bytes.appendText(key.segment)
        return bytes
    }

    private mutating func add(_ entry: [UInt8], to bucket: Int) {
        let old = self.buckets[bucket].capacity
        let needed = self.buckets[bucket].count + entry.count
        if needed > old { self.buckets[bucket].reserveCapacity(needed + Self.step) }
        self.buckets[bucket] += entry
        self.byteCount += self.buckets[bucket].capacity - old
    }

    /// Removes entries from a bucket. The places must be in ascending order.
    private mutating func remove(_ places: [FoldedPlace], from bucket: Int) {
        let old = self.buckets[bucket].capacity
        let bytes = self.buckets[bucket]
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count - places.reduce(0) { $0 + $1.whole.count })
        var position = 0
        for place in places {
            kept += bytes[position..<place.whole.lowerBound]
            position = place.whole.upperBound
        }
        kept += bytes[position...]
        self.buckets[bucket] = kept
        self.byteCount += kept.capacity - old
        self.count -= places.count
    }

    // MARK: - Buckets

    /// Returns the bucket of a key.
    private func bucket(of key: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        for byte in key { hasher.combine(byte) }
        let hash = UInt(bitPattern: hasher.finalize())
        let place = Int(hash & (1 << UInt(self.level) - 1))
        return place < self.split ? Int(hash & (1 << UInt(self.level + 1) - 1)) : place
    }

    /// Splits the next bucket: its entries are distributed over the bucket and a new one at the end.
    private mutating func splitNext() {
        let bucket = self.split
        let old = self.buckets[bucket]
        self.byteCount += FoldedCohorts.bucketByteCount - old.capacity
        self.buckets.append([])
        self.buckets[bucket] = []
        self.split += 1
        if self.split == 1 << self.level {
            self.split = 0
            self.level += 1
        }
        var position = 0
        while position < old.count {
            var reader = FoldedReader(old, position)
            guard let key = reader.varint(), let rest = reader.varint() else { return }
            let keyEnd = reader.position + Int(clamping: key)
            let end = keyEnd + Int(clamping: rest)
            guard end <= old.count else { return }
            self.add(Array(old[position..<end]), to: self.bucket(of: old[reader.position..<keyEnd]))
            position = end
        }
    }

    /// The approximate overhead of a bucket, in bytes: its place in the list, and the header of its array.
    private static let bucketByteCount = 48
}

/// The place of an entry and of its key in a bucket, as ranges of bytes.
struct FoldedPlace {
    var whole: Range<Int>
    var key: Range<Int>
}

/// A table of names that many messages share. The first 1,000 names are replaced by a number each.
struct NameTable {
    private var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// The greatest number of names in the table.
    private static let limit = 1_000
    /// The longest name in the table, in bytes. A longer name is probably invented; the table would keep it
    /// after its message is gone.
    private static let bytesLimit = 256

    /// Appends a name: its number above 0, or 0 and the name itself if the table does not hold it. A given
    /// name always gives the same bytes.
    mutating func append(_ name: String, to bytes: inout [UInt8]) {
        if let number = self.numbers[name], self.names[number].utf8.elementsEqual(name.utf8) {
            return bytes.appendVarint(UInt64(number + 1))
        }
        guard self.numbers[name] == nil, self.names.count < Self.limit, name.utf8.count <= Self.bytesLimit
        else {
            bytes.append(0)
            return bytes.appendText(name)
        }
        self.numbers[name] = self.names.count
        self.names.append(name)
        bytes.appendVarint(UInt64(self.names.count))
    }

    /// Reads a name that `append` has written; nil if the bytes do not fit.
    func read(_ reader: inout FoldedReader) -> String? {
        guard let number = reader.varint() else { return nil }
        guard number > 0 else { return reader.text() }
        return number <= UInt64(self.names.count) ? self.names[Int(number) - 1] : nil
    }
}
