/// What is asked of DeviceCheck: the operation's word in records, and its path at Apple.
package enum DeviceCheckOperation: String, Hashable, Sendable, CaseIterable {
    case query
    case update
    case validate

    package var path: String {
        switch self {
        case .query: "/v1/query_two_bits"
        case .update: "/v1/update_two_bits"
        case .validate: "/v1/validate_device_token"
        }
    }
}

/// Which of Apple's two hosts a token belongs to. They hold separate bits.
package enum DeviceCheckEnvironment: String, Hashable, Sendable, CaseIterable {
    /// The App Store and TestFlight.
    case production
    /// Builds from Xcode.
    case development
}

/// The two bits of a device and a team.
package struct DeviceBits: Hashable, Sendable {
    package var bit0: Bool
    package var bit1: Bool

    package init(bit0: Bool, bit1: Bool) {
        self.bit0 = bit0
        self.bit1 = bit1
    }
}

/// What an update asks for. What is nil stays as it is.
package struct BitChange: Hashable, Sendable {
    package var bit0: Bool?
    package var bit1: Bool?

    package init(bit0: Bool?, bit1: Bool?) {
        self.bit0 = bit0
        self.bit1 = bit1
    }

    /// Whether both bits stay as they are.
    package var isNothing: Bool { self.bit0 == nil && self.bit1 == nil }

    /// Both bits, where the change alone says them.
    package var complete: DeviceBits? {
        guard let bit0, let bit1 else { return nil }
        return DeviceBits(bit0: bit0, bit1: bit1)
    }

    /// Both bits after the change. Bits that were never set are false.
    package func applied(to bits: DeviceBits?) -> DeviceBits {
        DeviceBits(bit0: self.bit0 ?? bits?.bit0 ?? false, bit1: self.bit1 ?? bits?.bit1 ?? false)
    }
}
