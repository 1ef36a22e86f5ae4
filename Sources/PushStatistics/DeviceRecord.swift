package import WireFormats

/// What is remembered of one device and one message, in 16 bytes.
package struct DeviceRecord: Hashable, Sendable {
    package private(set) var high: UInt64
    /// From the top: 17 bits of the fingerprint, 40 bits of a time, 7 flags.
    package private(set) var low: UInt64

    package init(_ fingerprint: Fingerprint) {
        self.high = fingerprint.high
        self.low = fingerprint.low << Self.fingerprintShift
    }

    /// As it was stored.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package var fingerprint: Fingerprint {
        Fingerprint(high: self.high, low: self.low >> Self.fingerprintShift)
    }

    /// Whether this is what is known of that device.
    package func isOf(_ fingerprint: Fingerprint) -> Bool {
        self.high == fingerprint.high && self.low >> Self.fingerprintShift == fingerprint.low
    }

    /// Nothing of a device is remembered without a flag, so such a place in a table is free.
    package var isEmpty: Bool { self.low & Self.flags == 0 }

    package static let empty = DeviceRecord(high: 0, low: 0)

    // MARK: - What has happened

    package func has(_ kind: PushEvent.Kind) -> Bool { self.low & Self.flag(kind) != 0 }

    package mutating func note(_ kind: PushEvent.Kind) { self.low |= Self.flag(kind) }

    private static func flag(_ kind: PushEvent.Kind) -> UInt64 {
        switch kind {
        case .sent: 1 << 0
        case .arrived: 1 << 1
        case .shown: 1 << 2
        case .opened: 1 << 3
        case .dismissed: 1 << 4
        }
    }

    // MARK: - A time

    package enum Time: Hashable, Sendable {
        case none
        /// When the push was sent to this device, in milliseconds after the cohort's base.
        case sent(Int64)
        /// When it arrived there, as long as nobody has said when it was sent; and whether that time is already not what
        /// the device said.
        case arrivedUnsent(Int64, isAdjusted: Bool)
    }

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

    /// Milliseconds after a base that a time may be: 34 years.
    package static let timeRange: Range<Int64> = 0..<(1 << 40)

    private static func field(_ offset: Int64) -> UInt64 {
        UInt64(min(max(offset, Self.timeRange.lowerBound), Self.timeRange.upperBound - 1)) << Self.timeShift
    }

    private static let timeShift: UInt64 = 7
    private static let timeMask: UInt64 = 1 << 40 - 1
    private static let fingerprintShift: UInt64 = 47
    private static let flags: UInt64 = 0x7F
    private static let timeFlags: UInt64 = 0b11 << 5
    private static let sentTime: UInt64 = 0b01 << 5
    private static let arrivalTime: UInt64 = 0b10 << 5
    private static let adjustedArrivalTime: UInt64 = 0b11 << 5

    // MARK: - As bytes

    package static let byteCount = 16

    package func append(to bytes: inout [UInt8]) {
        for word in [self.high, self.low] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
    }
}
