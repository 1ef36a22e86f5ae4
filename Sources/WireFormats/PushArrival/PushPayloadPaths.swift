/// Where providers that we do not know keep their message ids in a payload.
package struct PushPayloadPaths: Hashable, Sendable {
    package struct Path: Hashable, Sendable {
        package var provider: String
        /// Names of members, from the outside to the inside, at every dot. A name may itself have dots in it: the longest
        /// one that is there is meant.
        let components: [Substring]

        /// A longer one would be a mistake.
        package static let componentsLimit = 16

        /// Nil if the provider or a part of the path is empty, or the path has more than 16 parts.
        package init?(provider: String, path: String) {
            let components = path.split(separator: ".", omittingEmptySubsequences: false)
            guard !provider.isEmpty, components.count <= Self.componentsLimit,
                components.allSatisfy({ !$0.isEmpty })
            else { return nil }
            self.provider = provider
            self.components = components
        }
    }

    /// In the order in which they are tried.
    package var paths: [Path]

    package init(_ paths: [Path] = []) { self.paths = paths }

    /// The id that a payload has at one of the paths, and whose id it is. The paths of a provider that is known already
    /// come first.
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
