/// The change that an update asks for.
package struct BitChange: Hashable, Sendable {
    /// The new value of the first bit; nil leaves it as it is.
    package var bit0: Bool?
    /// The new value of the second bit; nil leaves it as it is.
    package var bit1: Bool?

    package init(bit0: Bool?, bit1: Bool?) {
        self.bit0 = bit0
        self.bit1 = bit1
    }

    /// Whether both bits stay as they are.
    package var isNothing: Bool { self.bit0 == nil && self.bit1 == nil }

    /// Both new bits; nil if the change names only one of them, or neither.
    package var complete: DeviceBits? {
        guard let bit0, let bit1 else { return nil }
        return DeviceBits(bit0: bit0, bit1: bit1)
    }

    /// Returns both bits after the change. `bits` are those before it; nil if none were ever set, which
    /// counts as false.
    package func applied(to bits: DeviceBits?) -> DeviceBits {
        DeviceBits(bit0: self.bit0 ?? bits?.bit0 ?? false, bit1: self.bit1 ?? bits?.bit1 ?? false)
    }
}
