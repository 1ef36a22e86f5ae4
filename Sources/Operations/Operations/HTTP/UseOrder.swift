/// Keys in the order of their last use. Each operation takes constant time.
struct UseOrder<Key: Hashable & Sendable>: Sendable {
    private struct Link {
        var before: Key?
        var after: Key?
    }

    private var links: [Key: Link] = [:]
    private var newest: Key?
    /// The key that was not used for longest; nil if there is none.
    private(set) var oldest: Key?

    /// The number of keys.
    var count: Int { self.links.count }

    /// Makes a key the newest one.
    mutating func use(_ key: Key) {
        self.remove(key)
        self.links[key] = Link(before: self.newest, after: nil)
        if let newest { self.links[newest]?.after = key } else { self.oldest = key }
        self.newest = key
    }

    /// Forgets a key.
    mutating func remove(_ key: Key) {
        guard let link = self.links.removeValue(forKey: key) else { return }
        if let before = link.before {
            self.links[before]?.after = link.after
        } else {
            self.oldest = link.after
        }
        if let after = link.after {
            self.links[after]?.before = link.before
        } else {
            self.newest = link.before
        }
    }
}
