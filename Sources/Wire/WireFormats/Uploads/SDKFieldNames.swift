/// The names of all fields in JSON, which are found by their bytes.
///
/// Every member of every event asks for its field. A dictionary would need a string for each, and to make and
/// to hash one costs more than to read the member.
struct SDKFieldNames: Sendable {
    static let all = SDKFieldNames()

    private static let slotsCount = 256

    /// The fields in an open hash table, which is less than a quarter full.
    private var slots = [SDKEventField?](repeating: nil, count: Self.slotsCount)
    /// The names one after the other, and by the number of a field where its name begins and ends.
    private var bytes: [UInt8] = []
    private var ranges = [Range<Int>](repeating: 0..<0, count: 256)

    private init() {
        for field in SDKEventField.allCases where field != .other {
            let name = Array(field.name.utf8)
            self.ranges[Int(field.rawValue)] = self.bytes.count..<self.bytes.count + name.count
            self.bytes += name
            var slot = Self.slot(of: name.span)
            while self.slots[slot] != nil { slot = (slot + 1) % Self.slotsCount }
            self.slots[slot] = field
        }
    }

    /// Returns the field with this name; nil if no SDK has it.
    func field(_ name: Span<UInt8>) -> SDKEventField? {
        guard !name.isEmpty else { return nil }
        let bytes = self.bytes.span
        var slot = Self.slot(of: name)
        while let field = self.slots[slot] {
            if Self.isEqual(bytes.extracting(self.ranges[Int(field.rawValue)]), name) { return field }
            slot = (slot + 1) % Self.slotsCount
        }
        return nil
    }

    /// - Parameter name: One byte or more.
    private static func slot(of name: Span<UInt8>) -> Int {
        let (first, middle, last) = (name[0], name[name.count / 2], name[name.count - 1])
        return (Int(first) &* 31 &+ Int(middle) &* 7 &+ Int(last) &+ name.count &* 97) % self.slotsCount
    }

    private static func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
