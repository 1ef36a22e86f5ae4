/// A device record as the changelog stores it: 16 bytes, and one byte more if the device has a kind of event that workers
/// did not know at first.
///
/// While a fleet is being replaced, old and new workers read the same changelog. So the first 16 bytes are as they always
/// were: 17 bits of the fingerprint, 40 bits of a time and 7 flags in the second word.
struct StoredDevice: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64
    /// The flags of `attachmentShown` and `converted`.
    let moreFlags: UInt8

    /// The size of the first 16 bytes and of the one more.
    static let byteCount = 17
    /// The size of the bytes that every worker reads.
    static let pairByteCount = 16

    /// The difference of a time in the changelog and the same time in memory, in milliseconds: both ranges have the same
    /// middle.
    static let timeShift: Int64 = 1 << 39 - DeviceRecord.timeRange.upperBound / 2

    private static let kinds: UInt64 = 0b1_1111
    private static let moreKinds: UInt64 = 0b11
    private static let timeMask: UInt64 = 1 << 40 - 1
    private static let timeFlags: UInt64 = 0b11 << 5
    private static let sentTime: UInt64 = 0b01 << 5
    private static let arrivalTime: UInt64 = 0b10 << 5
    private static let adjustedArrivalTime: UInt64 = 0b11 << 5
    private static let fingerprintMask: UInt64 = ~(1 << 47 - 1)

    /// Converts a record in memory.
    init(_ record: DeviceRecord) {
        self.high = record.high
        self.moreFlags = UInt8(record.low >> 5 & Self.moreKinds)
        var low = record.low & (Self.fingerprintMask | Self.kinds)
        switch record.time {
        case .none: break
        case .sent(let offset): low |= Self.time(offset) | Self.sentTime
        case .arrivedUnsent(let offset, isAdjusted: false): low |= Self.time(offset) | Self.arrivalTime
        case .arrivedUnsent(let offset, isAdjusted: true): low |= Self.time(offset) | Self.adjustedArrivalTime
        }
        self.low = low
    }

    /// Takes the words of the changelog.
    init(high: UInt64, low: UInt64, moreFlags: UInt8) {
        self.high = high
        self.low = low
        self.moreFlags = moreFlags
    }

    private static func time(_ offset: Int64) -> UInt64 {
        (UInt64(clamping: offset + Self.timeShift) & Self.timeMask) << 7
    }

    /// The record in memory.
    var record: DeviceRecord {
        let kinds = self.low & Self.kinds | (UInt64(self.moreFlags) & Self.moreKinds) << 5
        var record = DeviceRecord(high: self.high, low: self.low & Self.fingerprintMask | kinds)
        let offset = Int64(self.low >> 7 & Self.timeMask) - Self.timeShift
        switch self.low & Self.timeFlags {
        case Self.sentTime: record.time = .sent(offset)
        case Self.arrivalTime: record.time = .arrivedUnsent(offset, isAdjusted: false)
        case Self.adjustedArrivalTime: record.time = .arrivedUnsent(offset, isAdjusted: true)
        default: break
        }
        return record
    }

    /// Appends the bytes that every worker reads: both words, each in little-endian order.
    func appendPair(to bytes: inout [UInt8]) {
        bytes.appendWord(self.high)
        bytes.appendWord(self.low)
    }
}

extension [UInt8] {
    /// Appends a number as eight bytes in little-endian order.
    mutating func appendWord(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            self.append(UInt8(truncatingIfNeeded: word >> shift))
        }
    }
}
