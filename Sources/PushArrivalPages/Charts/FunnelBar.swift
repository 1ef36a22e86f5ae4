/// A step of the funnel in a box of 1,000 by 10, which the page stretches: as long as its part of the longest step, on
/// the ground of the step before, so that what was lost in between can be seen.
struct FunnelBar: Hashable, Sendable {
    static let width = 1_000
    let bar: Int
    /// As long as the step before; 0 where it is no longer than this one.
    let ground: Int

    init(_ count: Int64, before: Int64?, longest: Int64) {
        self.bar = Self.length(count, of: longest)
        let before = before.map { Self.length($0, of: longest) } ?? 0
        self.ground = before > self.bar ? before : 0
    }

    private static func length(_ count: Int64, of longest: Int64) -> Int {
        guard count > 0, longest > 0 else { return 0 }
        // What is there at all is to be seen.
        return max(4, Int((min(1, Double(count) / Double(longest)) * Double(Self.width)).rounded()))
    }
}
