/// The two bits of a device and a team.
package struct DeviceBits: Hashable, Sendable {
    package var bit0: Bool
    package var bit1: Bool

    package init(bit0: Bool, bit1: Bool) {
        self.bit0 = bit0
        self.bit1 = bit1
    }
}
