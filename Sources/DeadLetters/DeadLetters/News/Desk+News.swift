extension Desk {
    /// The number of events of one call at most. The others are those of the next call.
    private static let newsLimit = 20

    /// Returns what has happened among the letters since it was last told (`noteTold`): new groups, groups that grow, and
    /// topics whose open letters are deleted soon. The first call of an index takes all groups as known.
    ///
    /// The most urgent events come first: letters that are deleted soon, then groups that grow. There can be any number of
    /// new groups, because publishers choose what their letters fail for.
    ///
    /// - Parameters:
    ///   - growth: the number of letters within two hours from which a group can count as growing.
    ///   - retention: how long the broker keeps each topic's letters.
    package func news(growth: Int, retention: [RetentionView]) throws -> [LetterNews] {
        let now = self.now()
        let new = try self.index.newGroups(limit: Self.newsLimit)
            .map { LetterNews(kind: .newGroup, subject: $0, open: 0, letters: 0) }
        let growing = try self.index.growingGroups(least: growth, now: now)
            .map { LetterNews(kind: .growingGroup, subject: $0.mark, open: 0, letters: $0.letters) }
        let leaving = retention.filter { $0.goingSoon > 0 }
            .map { LetterNews(kind: .retention, subject: $0.topic, open: $0.open, letters: $0.goingSoon) }
        let untold = try self.index.untold(leaving + growing + new, now: now).prefix(Self.newsLimit)
        return try untold.compactMap { event in
            guard event.kind != .retention else { return event }
            if let whole = try self.withGroup(event) { return whole }
            // The settings no longer name the group's topic. It must not take up the room of other events.
            try self.noteTold(event)
            return nil
        }
    }

    /// Notes that an event was told, so that it is not told again soon.
    package func noteTold(_ event: LetterNews) throws { try self.index.noteTold([event], at: self.now()) }

    /// Returns an event with its group; nil if the group is not among the letters that are looked at.
    private func withGroup(_ event: LetterNews) throws -> LetterNews? {
        var filter = LetterFilter()
        filter.groups = [event.subject]
        guard let view = try self.groups(filter, limit: 1).groups.first else { return nil }
        var event = event
        event.group = view.group
        event.open = view.open
        if event.kind == .newGroup { event.letters = view.count }
        return event
    }
}
