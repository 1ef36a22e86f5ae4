import ActivationIntake
import ArgumentParser
import EventThread
import Kafka
import Operations
import ServiceKit
import Terminal
import WorkerKit

/// `fleet topics`: shows and makes the topics of a worker.
struct TopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Show what a worker's topics lack, and make them.",
        discussion: """
            Both commands compare the topics of a worker's settings with those of its cluster: partitions, \
            cleanup.policy, the largest record, retention. Nothing is deleted or made smaller, and a topic that \
            publishers fill is created and not changed; what would be needed is told. The gateway's topic of uploads is \
            made to take larger records.
            """,
        subcommands: [Plan.self, Apply.self]
    )
}

extension TopicsCommand {
    /// `fleet topics plan`: shows the difference.
    struct Plan: WaitingCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Show what 'apply' would do; exit 1 if a topic is not as it has to be."
        )

        @OptionGroup var options: TopicsOptions

        func carryOut(until wish: StopWish) throws {
            let comparison = try self.options.connect().comparison()
            comparison.tell()
            guard comparison.isFine else { throw ExitCode(1) }
        }
    }

    /// `fleet topics apply`: shows the difference and makes it.
    struct Apply: WaitingCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Make the topics; exit 1 if something is left that is not changed here."
        )

        @OptionGroup var options: TopicsOptions

        func carryOut(until wish: StopWish) throws {
            let topics = try self.options.connect()
            let comparison = try topics.comparison()
            comparison.tell()
            let admin = try topics.admin()
            var isOvertaken = false
            for finding in comparison.findings {
                isOvertaken = try !self.make(finding, in: topics, by: admin) || isOvertaken
            }
            var last = comparison
            if comparison.changeCount > 0 {
                last = try self.wait(until: wish, shown: topics, mendingBy: isOvertaken ? admin : nil)
                Console.line("done: \(comparison.changeCount)")
            }
            guard last.findings.allSatisfy(\.refusals.isEmpty) else { throw ExitCode(1) }
        }

        /// Waits until the cluster shows the changes. Apache Kafka answers before every broker knows of them.
        ///
        /// - Parameter admin: Makes what a topic lacks that somebody else has created meanwhile; nil if nobody has.
        private func wait(until wish: StopWish, shown topics: TopicsOfWorker, mendingBy admin: Admin?) throws
            -> TopicComparison
        {
            let end = Moment.now.after(.seconds(self.options.wait))
            var pause = Wait(on: [wish.descriptor])
            var mended: Set<String> = []
            while true {
                let comparison = try topics.comparison()
                guard comparison.changeCount > 0 else { return comparison }
                guard Moment.now.monotonic < end, wish.count == 0 else {
                    throw UnseenChanges(seconds: self.options.wait)
                }
                if let admin {
                    for finding in comparison.findings
                    where finding.needsNoTopic && mended.insert(finding.topic.name).inserted {
                        _ = try self.make(finding, in: topics, by: admin)
                    }
                }
                pause(atMost: .milliseconds(100))
            }
        }

        /// Makes what a topic lacks.
        ///
        /// - Returns: False if somebody else has created the topic meanwhile.
        private func make(_ finding: TopicComparison.Finding, in topics: TopicsOfWorker, by admin: Admin)
            throws -> Bool
        {
            var isMadeHere = true
            for change in finding.changes where change.setting == nil {
                isMadeHere = try self.carryOut(change, of: finding.topic.name, by: admin) && isMadeHere
            }
            try self.carryOutSettings(of: finding, in: topics, by: admin)
            return isMadeHere
        }

        /// Makes a topic, or more of its partitions.
        ///
        /// - Returns: False if somebody else has created the topic meanwhile.
        private func carryOut(_ change: TopicChange, of topic: String, by admin: Admin) throws -> Bool {
            let longest = Duration.seconds(self.options.wait)
            do throws(KafkaError) {
                switch change {
                case .create(let partitions, let settings):
                    try admin.createTopics(
                        [topic: partitions],
                        replicationFactor: self.options.replicationFactor ?? -1,
                        settings: settings,
                        atMost: longest
                    )
                case .grow(_, let count): try admin.grow(topic, to: count, atMost: longest)
                case .set: break
                }
                return true
            } catch  where error.code == .topicAlreadyExists {
                return false
            } catch {
                throw TopicFailure(topic: topic, change: change, error: error)
            }
        }

        /// Changes the settings of one topic, in one request: it replaces all that were made for the topic, so those
        /// that stay are read just before.
        private func carryOutSettings(
            of finding: TopicComparison.Finding,
            in topics: TopicsOfWorker,
            by admin: Admin
        ) throws {
            let name = finding.topic.name
            var wanted: [String: String] = [:]
            for case .set(let setting, _, let value) in finding.changes { wanted[setting] = value }
            guard let first = finding.changes.first(where: { $0.setting != nil }) else { return }
            do throws(KafkaError) {
                guard let present = try topics.settings(of: [name])[name] else {
                    throw KafkaError(
                        code: .invalidConfiguration,
                        message: "its settings are not told any more"
                    )
                }
                try admin.replaceSettings(
                    of: name,
                    with: present.own.merging(wanted) { $1 },
                    atMost: .seconds(self.options.wait)
                )
            } catch {
                throw TopicFailure(topic: name, change: first, error: error)
            }
        }
    }
}

/// Changes that the cluster has taken and does not show.
struct UnseenChanges: Error, CustomStringConvertible {
    var seconds: Int

    var description: String {
        "The cluster has taken the changes and does not show them after \(self.seconds) s; look with 'fleet topics plan'."
    }
}

/// A change that the cluster has refused.
struct TopicFailure: Error, CustomStringConvertible {
    var topic: String
    var change: TopicChange
    var error: KafkaError

    var description: String {
        "\(self.topic): \(self.change.line): the cluster refuses: \(self.error.message). Every change above it in "
            + "the list is done; the same command goes on."
    }
}

extension TopicComparison.Finding {
    /// Whether the topic is there and lacks something.
    fileprivate var needsNoTopic: Bool {
        !self.changes.isEmpty && !self.changes.contains { if case .create = $0 { true } else { false } }
    }
}

extension TopicComparison {
    /// Prints each topic with what it lacks.
    fileprivate func tell() {
        for finding in self.findings {
            let lines = finding.changes.map(\.line) + finding.refusals.map { "not changed: \($0)" }
            let name = "\(finding.topic.name) (\(finding.topic.role))"
            if lines.isEmpty { Console.line("\(name): as it has to be") }
            for line in lines { Console.line("\(name): \(line)") }
        }
    }
}
