/// The configured places in a payload at which other providers keep their message ids.
package struct PushPayloadPaths: Hashable, Sendable {
    /// One place in a payload, and the provider that uses it.
    package struct Path: Hashable, Sendable {
        /// The provider whose ids are at the path; never empty.
        package var provider: String
        /// The member names from the outside to the inside, split at every dot. A member's name may contain
        /// dots itself: longer names are tried first.
        let components: [Substring]

        /// The most components of a path; a longer path would be a mistake.
        package static let componentsLimit = 16

        /// Makes a path. Nil if the provider or a component is empty, or the path has more than 16
        /// components.
        package init?(provider: String, path: String) {
            let components = path.split(separator: ".", omittingEmptySubsequences: false)
            guard !provider.isEmpty, components.count <= Self.componentsLimit,
                components.allSatisfy({ !$0.isEmpty })
            else { return nil }
            self.provider = provider
            self.components = components
        }
    }

    /// The paths in the order in which they are tried.
    package var paths: [Path]

    /// Takes the paths in the order in which they are to be tried.
    package init(_ paths: [Path] = []) { self.paths = paths }

    /// Returns the first id that the payload has at one of the paths, and that path's provider. Paths of
    /// `provider` are tried first.
    func messageID(in payload: JSONOutline, of provider: String) -> (id: String, provider: String)? {
        let first = self.paths.lazy.filter { $0.provider == provider }
        let rest = self.paths.lazy.filter { $0.provider != provider }
        for paths in [first, rest] {
            for path in paths {
                if let id = Self.id(at: path.components[...], in: payload, payload.root) {
                    return (id, path.provider)
                }
            }
        }
        return nil
    }

    private static func id(
        at components: ArraySlice<Substring>,
        in payload: JSONOutline,
        _ object: Int
    ) -> String? {
        guard !components.isEmpty else { return payload.idText(object) }
        for end in (components.startIndex + 1...components.endIndex).reversed() {
            let name = components[..<end].joined(separator: ".")
            guard let member = payload.member(object, name) else { continue }
            if let id = self.id(at: components[end...], in: payload, member) { return id }
        }
        return nil
    }
}
