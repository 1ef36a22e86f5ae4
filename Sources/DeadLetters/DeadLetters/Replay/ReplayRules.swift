/// Decides which letters may be replayed, and to which topic. Does no I/O.
struct ReplayRules {
    /// The user's options.
    let options: ReplayOptions
    /// The topics of the cluster.
    let topics: Set<String>
    /// Patterns of the topics that may be replayed to. An empty list allows all but `own` and those whose
    /// names begin with `_`.
    ///
    /// Topics such as `__consumer_offsets` and `_schemas` hold data of Kafka and of tools around it. The
    /// source topic of a letter is a header that anybody may have written, so a letter could otherwise direct
    /// a replay into them.
    let allowed: [NamePattern]
    /// Topics that are never a target: the ledger, the audit trail, and the topics of dead letters.
    let own: Set<String>

    /// Returns the target of a letter, or the reason why the letter is not replayed.
    func judge(_ letter: LetterView, _ standing: LedgerStanding?) -> Result<
        ReplayPlan.Item, ReplayPlan.Refusal.Error
    > {
        guard let target = self.options.target ?? letter.sourceTopic else {
            return .failure(.init(.noSource))
        }
        guard self.topics.contains(target) else { return .failure(.init(.targetMissing)) }
        guard !self.own.contains(target),
            self.allowed.isEmpty
                ? !target.hasPrefix("_") : self.allowed.contains(where: { $0.matches(target) })
        else { return .failure(.init(.targetNotAllowed)) }
        if let refusal = self.options.refusal(of: standing) { return .failure(.init(refusal)) }
        // The letter has the number of replays before it was written, and the ledger has the number with the
        // replays of this letter.
        let replays = max(letter.replays, standing?.replays ?? 0)
        if !self.options.force, let refusal = self.doubt(letter, replays) { return .failure(.init(refusal)) }
        return .success(
            ReplayPlan.Item(letter: letter, target: target, replays: replays + 1, standing: standing)
        )
    }

    /// Returns why another replay is likely to be of no use; nil if nothing speaks against it. `force` skips
    /// this check.
    private func doubt(_ letter: LetterView, _ replays: Int) -> ReplayPlan.Refusal? {
        if replays >= self.options.replayLimit { return .replayedTooOften }
        if letter.replayable == "no", self.options.edit == nil { return .cannotHelp }
        return nil
    }
}

extension ReplayOptions {
    /// Returns why a letter with this standing in the ledger is not replayed; nil if it may be.
    func refusal(of standing: LedgerStanding?) -> ReplayPlan.Refusal? {
        guard let standing else { return nil }
        if standing.hasSucceeded, !self.again { return .alreadySucceeded }
        if standing.state == .discarded { return self.force ? nil : .discarded }
        return self.force || standing.state == .succeeded ? nil : .alreadyReplayed
    }
}

extension ReplayPlan.Refusal {
    /// A refusal as an error, for use in a `Result`.
    struct Error: Swift.Error, Hashable {
        var refusal: ReplayPlan.Refusal

        init(_ refusal: ReplayPlan.Refusal) { self.refusal = refusal }
    }
}
