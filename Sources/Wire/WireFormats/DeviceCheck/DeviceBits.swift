/// The two bits that Apple keeps for a device and a developer team.
package struct DeviceBits: Hashable, Sendable {
    /// The bit that Apple calls `bit0`.
    package var bit0: Bool
    /// The bit that Apple calls `bit1`.
    package var bit1: Bool

    package init(bit0: Bool, bit1: Bool) {
        self.bit0 = bit0
        self.bit1 = bit1
    }
}
