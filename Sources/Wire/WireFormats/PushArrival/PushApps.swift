/// The apps whose pushes are counted.
///
/// A service extension reports with its own bundle id, which is the app's id and one component more. Without
/// this mapping an app's arrivals would be counted apart from the pushes that were sent to it.
package struct PushApps: Hashable, Sendable {
    private let known: Set<String>

    /// Takes the bundle ids of the apps. With none, every bundle id stays as it is.
    package init(_ bundleIDs: some Sequence<String> = []) { self.known = Set(bundleIDs) }

    /// Returns the app that a bundle id belongs to: a known app, or the id itself.
    package func app(of bundleID: String) -> String {
        guard !self.known.isEmpty, !self.known.contains(bundleID),
            let dot = bundleID.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return bundleID }
        let parent = String(bundleID[..<dot])
        return self.known.contains(parent) ? parent : bundleID
    }
}
