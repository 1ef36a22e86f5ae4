/// Decides which letters may be replayed, and where to. Pure.
struct ReplayRules {
    let options: ReplayOptions
    /// Topics of the cluster.
    let topics: Set<String>
    /// Patterns of those that may be replayed to; empty for all but the tool's own, and but those whose name begins with
    /// `_`: what Kafka and those around it keep there (`__consumer_offsets`, `_schemas`) is nobody's record, and where it
    /// came from is what anybody may have written into a letter.
    let allowed: [TopicPattern]
    /// Topics that are never a target: ledger, audit trail, and those of dead letters.
    let own: Set<String>

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
        // The letter counts the replays until it was written, and the ledger those of the letter itself.
        let replays = max(letter.replays, standing?.replays ?? 0)
        if !self.options.force, let refusal = self.doubt(letter, replays) { return .failure(.init(refusal)) }
        return .success(
            ReplayPlan.Item(letter: letter, target: target, replays: replays + 1, standing: standing)
        )
    }

    private func doubt(_ letter: LetterView, _ replays: Int) -> ReplayPlan.Refusal? {
        if replays >= self.options.replayLimit { return .replayedTooOften }
        if letter.replayable == "no", self.options.edited == nil { return .cannotHelp }
        return nil
    }
}

extension ReplayOptions {
    /// Why a letter with this standing in the ledger is not replayed; nil if it may be.
    func refusal(of standing: LedgerStanding?) -> ReplayPlan.Refusal? {
        guard let standing else { return nil }
        if standing.hasSucceeded, !self.again { return .alreadySucceeded }
        if standing.state == .discarded { return self.force ? nil : .discarded }
        return self.force || standing.state == .succeeded ? nil : .alreadyReplayed
    }
}

extension ReplayPlan.Refusal {
    struct Error: Swift.Error, Hashable {
        var refusal: ReplayPlan.Refusal

        init(_ refusal: ReplayPlan.Refusal) { self.refusal = refusal }
    }
}
