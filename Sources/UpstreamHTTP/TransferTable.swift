/// Finds the transfer that carries an id. A chained hash table over the slots of the transfers themselves:
/// entering and leaving cost a multiplication and no allocation.
struct TransferTable {
    private var buckets: [Int32]
    private let shift: UInt64

    init(transferLimit: Int) {
        var bits = 4
        while 1 << bits < transferLimit { bits += 1 }
        self.buckets = Array(repeating: -1, count: 1 << bits)
        self.shift = UInt64(64 - bits)
    }

    mutating func insert(_ transfer: Transfer) {
        let bucket = self.bucket(of: transfer.id)
        transfer.nextInBucket = self.buckets[bucket]
        self.buckets[bucket] = transfer.slot
    }

    mutating func remove(_ transfer: Transfer, among transfers: [Transfer]) {
        let bucket = self.bucket(of: transfer.id)
        var slot = self.buckets[bucket]
        if slot == transfer.slot {
            self.buckets[bucket] = transfer.nextInBucket
            return
        }
        while slot >= 0 {
            let other = transfers[Int(slot)]
            if other.nextInBucket == transfer.slot {
                other.nextInBucket = transfer.nextInBucket
                return
            }
            slot = other.nextInBucket
        }
    }

    func transfer(_ id: UInt64, among transfers: [Transfer]) -> Transfer? {
        var slot = self.buckets[self.bucket(of: id)]
        while slot >= 0 {
            let transfer = transfers[Int(slot)]
            if transfer.id == id { return transfer }
            slot = transfer.nextInBucket
        }
        return nil
    }

    /// The high bits of a product with the golden ratio spread neighbouring ids evenly.
    private func bucket(of id: UInt64) -> Int {
        Int((id &* 0x9E37_79B9_7F4A_7C15) >> self.shift)
    }
}
