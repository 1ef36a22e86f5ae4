/// The apps whose pushes are counted.
///
/// An extension reports with its own bundle id, which is its app's and one component more: without this an app's
/// arrivals would be counted apart from what was sent to it.
package struct PushApps: Hashable, Sendable {
    private let known: Set<String>

    /// - Parameter bundleIDs: of apps. With none, every bundle id stays as it is.
    package init(_ bundleIDs: some Sequence<String> = []) { self.known = Set(bundleIDs) }

    /// The app that a bundle id belongs to, as far as that is known.
    package func app(of bundleID: String) -> String {
        guard !self.known.isEmpty, !self.known.contains(bundleID),
            let dot = bundleID.utf8.lastIndex(of: UInt8(ascii: "."))
        else { return bundleID }
        let parent = String(bundleID[..<dot])
        return self.known.contains(parent) ? parent : bundleID
    }
}
