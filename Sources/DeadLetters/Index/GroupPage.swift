/// Some of the groups that a filter leaves, and what all of them add up to.
package struct GroupPage: Hashable, Sendable {
    package var groups: [GroupView] = []
    /// Groups in all, their letters, and those of them about which nothing has been done.
    package var total = 0
    package var letters = 0
    package var open = 0
    /// When the oldest of the open ones was written: milliseconds since 1970; nil if there is none.
    package var oldestOpen: Int64?

    package init() {}
}

/// Which groups come first; among equals those that are older in the index.
package enum GroupOrder: Sendable {
    /// Those with most letters.
    case size
    /// Those with most open letters.
    case open
}
