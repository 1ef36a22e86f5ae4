import Kafka

/// The topics that a worker uses, compared with those of a cluster.
///
/// No change deletes a topic or a partition, or lets records be deleted earlier. A change that is needed and would do
/// so is told instead.
struct TopicComparison {
    /// A topic with the changes that it needs.
    struct Finding: Hashable, Sendable {
        var topic: WantedTopic
        var changes: [TopicChange] = []
        /// Faults that are not changed here, each as a sentence with the reason.
        var refusals: [String] = []
    }

    /// Wishes of the operator for topics, beside the needs of the worker.
    struct Defaults: Hashable, Sendable {
        /// The partitions of an input topic.
        var partitions: Int
        /// `min.insync.replicas` of every topic; nil for the brokers' default.
        var leastInSync: Int?
        /// The copies of each partition; nil for the brokers' default.
        var replicas: Int?
        /// How long every topic keeps records that it deletes by their age; nil for what the worker needs.
        var leastRetention: Duration?
    }

    /// The findings, in the order of the topics.
    let findings: [Finding]

    /// Whether every topic is as it has to be.
    var isFine: Bool { self.findings.allSatisfy { $0.changes.isEmpty && $0.refusals.isEmpty } }
    /// The number of steps.
    var changeCount: Int { self.findings.reduce(0) { $0 + $1.changes.count } }

    /// Compares topics with a cluster.
    ///
    /// - Parameters:
    ///   - cluster: the partitions and copies of the cluster's topics.
    ///   - settings: the settings of the topics that exist; a topic that is missing here may not be described.
    init(
        _ topics: [WantedTopic],
        in cluster: ClusterMetadata,
        settings: [String: TopicSettings],
        defaults: Defaults
    ) {
        var counts = cluster.partitionCounts.filter { $0.value > 0 }
        // An input that does not exist yet gets the usual number, and the topics that follow it as many.
        for topic in topics where topic.isInput && counts[topic.name] == nil {
            counts[topic.name] = defaults.partitions
        }
        let usual = topics.first { $0.isInput }.flatMap { counts[$0.name] } ?? defaults.partitions
        self.findings = topics.map { topic in
            let exists = cluster.partitionCounts[topic.name, default: 0] > 0
            let wanted = topic.with(defaults)
            guard exists else { return Self.created(wanted, counts, usual: usual) }
            var finding = Self.changed(wanted, counts, settings: settings[topic.name])
            if let copies = cluster.replicaCounts[topic.name] {
                Self.compare(copies, with: defaults, settings[topic.name], of: &finding)
            }
            return finding
        }
    }

    // MARK: - A topic that does not exist

    /// Kafka's default of `max.message.bytes`.
    private static let usualMessageBytes: Int64 = 1_048_588

    private static func created(_ topic: WantedTopic, _ counts: [String: Int], usual: Int) -> Finding {
        var settings: [String: String] = [:]
        for setting in topic.settings {
            let name = setting.name
            switch setting.value {
            case .exactly(let text), .including(_, of: let text): settings[name] = text
            case .atLeast(let number):
                // A record of an input with the default has to fit into the topics beside it.
                let least = name == "max.message.bytes" ? Self.usualMessageBytes : number
                settings[name] = String(max(number, least))
            case .atLeastWhereDeleted(let number):
                // The policy stands before it in the list.
                if self.deletes(settings["cleanup.policy"]) { settings[name] = String(number) }
            }
        }
        let partitions =
            switch topic.partitions {
            case .any: counts[topic.name] ?? usual
            case .noFewer(let other), .once(let other), .same(let other): counts[other] ?? usual
            }
        return Finding(topic: topic, changes: [.create(partitions: partitions, settings: settings)])
    }

    // MARK: - A topic that exists

    private static func changed(_ topic: WantedTopic, _ counts: [String: Int], settings: TopicSettings?)
        -> Finding
    {
        var finding = Finding(topic: topic)
        self.comparePartitions(counts, &finding)
        guard let settings else {
            finding.refusals.append("Its settings are not told: this client may not describe it.")
            return finding
        }
        for setting in topic.settings { self.compare(setting, in: settings, of: &finding) }
        guard topic.isInput else { return finding }
        let stays = { (change: TopicChange) in topic.mayBeRaised && change.setting == "max.message.bytes" }
        finding.refusals += finding.changes.filter { !stays($0) }.map {
            "Publishers fill it, so it is not changed here; it would need: \($0.line)."
        }
        finding.changes.removeAll { !stays($0) }
        return finding
    }

    /// Compares the copies of a topic. To make more of them is to move data between brokers, which is not done here.
    private static func compare(
        _ copies: Int,
        with defaults: Defaults,
        _ settings: TopicSettings?,
        of finding: inout Finding
    ) {
        let shown = copies == 1 ? "1 copy" : "\(copies) copies"
        if let wanted = defaults.replicas, copies < wanted {
            finding.refusals.append(
                "It has \(shown) of a partition and should have \(wanted): kafka-reassign-partitions.sh makes more."
            )
        }
        if let least = settings?.number("min.insync.replicas"), least > copies {
            finding.refusals.append(
                "It has \(shown) of a partition and min.insync.replicas \(least): it takes no record that all copies have "
                    + "to acknowledge."
            )
        }
    }

    private static func comparePartitions(_ counts: [String: Int], _ finding: inout Finding) {
        let count = counts[finding.topic.name, default: 0]
        switch finding.topic.partitions {
        case .any: return
        case .noFewer(let other):
            if let wanted = counts[other], wanted > count {
                finding.changes.append(.grow(from: count, to: wanted))
            }
        case .once(let other):
            guard let most = counts[other], count > most else { return }
            finding.refusals.append(
                "It has \(count) partitions and '\(other)' \(most): it may not have more, and partitions are never "
                    + "taken away. Make it anew when the worker is stopped."
            )
        case .same(let other):
            guard let wanted = counts[other], wanted != count else { return }
            guard wanted < count else { return finding.changes.append(.grow(from: count, to: wanted)) }
            finding.refusals.append(
                "It has \(count) partitions and '\(other)' \(wanted): add the others there."
            )
        }
    }

    private static func compare(
        _ setting: WantedTopic.Setting,
        in settings: TopicSettings,
        of finding: inout Finding
    ) {
        let name = setting.name
        guard let present = settings[name] else { return }
        switch setting.value {
        case .exactly(let wanted):
            if self.words(present) != self.words(wanted) {
                self.set(name, from: present, to: wanted, of: &finding)
            }
        case .including(let member, of: let wanted):
            if !self.words(present).contains(member[...]) {
                self.set(name, from: present, to: wanted, of: &finding)
            }
        case .atLeast(let least): self.raise(name, from: present, to: least, of: &finding)
        case .atLeastWhereDeleted(let least):
            if self.deletes(settings["cleanup.policy"]) {
                self.raise(name, from: present, to: least, of: &finding)
            }
        }
    }

    private static func set(
        _ name: String,
        from present: String,
        to wanted: String,
        of finding: inout Finding
    ) {
        guard name == "cleanup.policy", self.deletes(wanted), !self.deletes(present) else {
            return finding.changes.append(.set(name: name, from: present, to: wanted))
        }
        finding.refusals.append(
            "It has cleanup.policy '\(present)' and needs '\(wanted)', which deletes what is older than its retention. "
                + "Look at it, and set that yourself."
        )
    }

    /// A number below 0 stands for no limit.
    private static func raise(
        _ name: String,
        from present: String,
        to least: Int64,
        of finding: inout Finding
    ) {
        guard let number = Int64(present), number >= 0, number < least else { return }
        finding.changes.append(.set(name: name, from: present, to: String(least)))
    }

    private static func deletes(_ policy: String?) -> Bool { self.words(policy ?? "").contains("delete") }

    /// The parts of a setting that is a list.
    private static func words(_ value: String) -> Set<Substring> { Set(value.split(separator: ",")) }
}
