package import WireFormats

/// The state of one device for one message, in 16 bytes: its fingerprint, one time, and flags.
///
/// A worker may hold ten million of these for one message, so the size matters more than easy access.
package struct DeviceRecord: Hashable, Sendable {
    /// The first 64 bits of the fingerprint.
    package private(set) var high: UInt64
    /// From the highest bit: 17 bits of the fingerprint, 38 bits of a time, 9 flags. The seven lowest flags
    /// say which kinds of event were counted, the two above them which time is stored.
    package private(set) var low: UInt64

    /// Creates a record without events. It counts as empty until `note` is called.
    package init(_ fingerprint: Fingerprint) {
        self.high = fingerprint.high
        self.low = fingerprint.low << Self.fingerprintShift
    }

    /// Creates a record from its two words.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The fingerprint of the device.
    package var fingerprint: Fingerprint {
        Fingerprint(high: self.high, low: self.low >> Self.fingerprintShift)
    }

    /// Returns whether this record belongs to the device with this fingerprint.
    package func isOf(_ fingerprint: Fingerprint) -> Bool {
        self.high == fingerprint.high && self.low >> Self.fingerprintShift == fingerprint.low
    }

    /// Whether no flag is set. A table uses such a record as a free place, because a device is remembered
    /// only with a flag.
    package var isEmpty: Bool { self.low & Self.flags == 0 }

    /// The record of a free place.
    package static let empty = DeviceRecord(high: 0, low: 0)

    // MARK: - Kinds of event

    /// Returns whether an event of this kind was counted for the device.
    package func has(_ kind: PushEvent.Kind) -> Bool { self.low & Self.flag(kind) != 0 }

    /// The kinds of event that were counted for the device.
    package var kinds: [PushEvent.Kind] { PushEvent.Kind.allCases.filter(self.has) }

    /// Records that an event of this kind was counted for the device.
    package mutating func note(_ kind: PushEvent.Kind) { self.low |= Self.flag(kind) }

    private static func flag(_ kind: PushEvent.Kind) -> UInt64 {
        switch kind {
        case .sent: 1 << 0
        case .arrived: 1 << 1
        case .shown: 1 << 2
        case .opened: 1 << 3
        case .dismissed: 1 << 4
        case .attachmentShown: 1 << 5
        case .converted: 1 << 6
        }
    }

    // MARK: - Time

    /// The one time that a record stores, in milliseconds after the cohort's base.
    package enum Time: Hashable, Sendable {
        case none
        /// The time at which the push was sent to this device.
        case sent(Int64)
        /// The time at which the push arrived at this device, while its time of sending is unknown.
        /// `isAdjusted` says that this time already differs from the time that the device has reported.
        case arrivedUnsent(Int64, isAdjusted: Bool)
    }

    /// The stored time. A new value outside `timeRange` is moved to the nearest value in the range.
    package var time: Time {
        get {
            let offset = Int64(self.low >> Self.timeShift & Self.timeMask)
            return switch self.low & Self.timeFlags {
            case Self.sentTime: .sent(offset)
            case Self.arrivalTime: .arrivedUnsent(offset, isAdjusted: false)
            case Self.adjustedArrivalTime: .arrivedUnsent(offset, isAdjusted: true)
            default: .none
            }
        }
        set {
            self.low &= ~(Self.timeMask << Self.timeShift | Self.timeFlags)
            switch newValue {
            case .none: break
            case .sent(let offset): self.low |= Self.sentTime | Self.field(offset)
            case .arrivedUnsent(let offset, let isAdjusted):
                self.low |= (isAdjusted ? Self.adjustedArrivalTime : Self.arrivalTime) | Self.field(offset)
            }
        }
    }

    /// The times that a record can store, in milliseconds after the cohort's base: more than eight years.
    package static let timeRange: Range<Int64> = 0..<(1 << 38)

    private static func field(_ offset: Int64) -> UInt64 {
        UInt64(min(max(offset, Self.timeRange.lowerBound), Self.timeRange.upperBound - 1)) << Self.timeShift
    }

    private static let timeShift: UInt64 = 9
    private static let timeMask: UInt64 = 1 << 38 - 1
    private static let fingerprintShift: UInt64 = 47
    private static let flags: UInt64 = 0x1FF
    private static let timeFlags: UInt64 = 0b11 << 7
    private static let sentTime: UInt64 = 0b01 << 7
    private static let arrivalTime: UInt64 = 0b10 << 7
    private static let adjustedArrivalTime: UInt64 = 0b11 << 7

    // MARK: - Bytes

    /// The size of a record in a folded cohort, in bytes.
    package static let byteCount = 16

    /// Appends `high` and `low`, each as eight bytes in little-endian order.
    package func append(to bytes: inout [UInt8]) {
        bytes.appendWord(self.high)
        bytes.appendWord(self.low)
    }
}
