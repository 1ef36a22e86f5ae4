/// A page of groups, with the totals of all groups of the filter.
package struct GroupPage: Hashable, Sendable {
    /// The groups on the page.
    package var groups: [GroupView] = []
    /// The number of groups of the filter, on all pages.
    package var total = 0
    /// The number of letters in all those groups.
    package var letters = 0
    /// The number of open letters in all those groups.
    package var open = 0
    /// The time of the oldest open letter, in milliseconds since 1970; nil if no letter is open. For a filter
    /// that only chooses groups it is the time of the first letter in the same hour.
    package var oldestOpen: Int64?

    /// Creates a page without groups.
    package init() {}
}

/// The order of groups. Equal groups are in the order in which the index met them.
package enum GroupOrder: Sendable {
    /// The group with most letters comes first.
    case size
    /// The group with most open letters comes first; among equals, the one with more letters.
    case open
}
