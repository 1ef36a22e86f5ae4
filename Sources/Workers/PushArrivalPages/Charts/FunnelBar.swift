/// The bar of one step of the funnel, in a box of 1,000 by 10 units that the page stretches. The longest step
/// fills the box. Behind the bar stands the bar of the step before, so that the loss between the two is
/// visible.
struct FunnelBar: Hashable, Sendable {
    /// The width of the box.
    static let width = 1_000
    /// The length of the bar.
    let bar: Int
    /// The length of the bar of the step before; 0 if it is not longer than this one.
    let ground: Int

    init(_ count: Int64, before: Int64?, longest: Int64) {
        self.bar = Self.length(count, of: longest)
        let before = before.map { Self.length($0, of: longest) } ?? 0
        self.ground = before > self.bar ? before : 0
    }

    private static func length(_ count: Int64, of longest: Int64) -> Int {
        guard count > 0, longest > 0 else { return 0 }
        // A count above 0 always gets a visible bar.
        return max(4, Int((min(1, Double(count) / Double(longest)) * Double(Self.width)).rounded()))
    }
}
