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
