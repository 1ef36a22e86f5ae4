/// The names of all fields in JSON, which are found by their bytes.
///
/// Every member of every event asks for its field. A dictionary would need a string for each, and to make and
/// to hash one costs more than to read the member.
struct SDKFieldNames: Sendable {
    static let all = SDKFieldNames()

    private static let slotsCount = 256

    /// The numbers of the fields in an open hash table, which is less than a quarter full; 0 where there is none.
    private var slots = [UInt8](repeating: 0, count: Self.slotsCount)
    /// The names one after the other, and by the number of a field where its name begins and ends.
    private var bytes: [UInt8] = []
    private var ranges = [Range<Int>](repeating: 0..<0, count: 256)

    private init() {
        for field in SDKEventField.allCases where field != .other {
            let name = Array(field.name.utf8)
            self.ranges[Int(field.rawValue)] = self.bytes.count..<self.bytes.count + name.count
            self.bytes += name
            var slot = Self.slot(of: name.span)
            while self.slots[slot] != 0 { slot = (slot + 1) % Self.slotsCount }
            self.slots[slot] = field.rawValue
        }
    }

    /// Returns the field with this name; nil if no SDK has it.
    func field(_ name: Span<UInt8>) -> SDKEventField? {
        guard !name.isEmpty else { return nil }
        let bytes = self.bytes.span
        var slot = Self.slot(of: name)
        while self.slots[slot] != 0 {
            let number = self.slots[slot]
            if bytes.extracting(self.ranges[Int(number)]).isEqual(to: name) {
                return SDKEventField(rawValue: number)
            }
            slot = (slot + 1) % Self.slotsCount
        }
        return nil
    }

    /// - Parameter name: One byte or more.
    private static func slot(of name: Span<UInt8>) -> Int {
        let (first, middle, last) = (name[0], name[name.count / 2], name[name.count - 1])
        let hash = UInt(first) &* 31 &+ UInt(middle) &* 7 &+ UInt(last) &+ UInt(bitPattern: name.count) &* 97
        return Int(hash % UInt(self.slotsCount))
    }
}
