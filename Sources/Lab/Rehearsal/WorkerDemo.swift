import Fleet
import Harness
import Records
import ServiceKit
import Terminal

/// The part of the demo that is about one worker: its settings, the records that are published to it, step by
/// step, and the conditions that must hold in the end.
///
/// The demo runs the parts of all workers side by side. Its other code names no worker.
protocol WorkerDemo: AnyObject {
    var worker: WorkerIdentity { get }
    /// The name of the worker's upstream for a person; nil if the worker calls no upstream.
    var upstream: String? { get }
    /// The message type of the worker's result topic.
    var results: any WorkerResult.Type { get }
    /// The arguments that `flotilla-lab upstreams` needs to simulate the worker's upstream.
    var upstreamWords: [String] { get }
    /// The names of the worker's own counters.
    var counters: WorkerCounters { get }

    /// The worker's program with its command, and its name in the output.
    var program: DemoProgram { get }
    /// The program, with its companions, in a sentence about their end.
    var subject: String { get }
    /// Further programs that belong to the part.
    var companions: [DemoProgram] { get }
    /// The arguments for a process of simulators that only this part uses; empty for none.
    var ownUpstreamWords: [String] { get }

    /// Takes the URLs of the simulators that only this part uses.
    func start(with ownUpstreams: [String])

    /// The settings of a companion.
    func settings(of companion: DemoProgram, brokers: String, crashes: String) -> String

    /// Writes the settings to this file, and the files that the settings refer to.
    ///
    /// - Parameter worker: further lines for the section `worker`, or `state` for a worker that has no such
    ///   section.
    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint)

    /// The next step; nil after the last one. It is made when it is due, because records must not be too old.
    /// `now` is in wall-clock milliseconds since 1970.
    func nextStep(now: Int64) -> DemoStep?

    /// The topics with results and dead letters.
    var resultTopics: [String] { get }

    /// The input topics in which the gateway makes records of the demo's requests.
    var postedTopics: [String] { get }

    /// The topics that the worker writes besides results and dead letters.
    var statementTopics: [String] { get }

    /// The other topics that the part needs, besides those of the fleet.
    var furtherTopics: [String] { get }

    /// Whether a record is none of the results and dead letters of the samples.
    func isStatement(_ record: InboundRecord) -> Bool

    /// Takes a record for which `isStatement` holds.
    func take(_ statement: InboundRecord)

    /// Reads an outcome; nil if the record is none.
    func sighting(of record: InboundRecord) -> Sighting?

    /// Whether all expected records of `statementTopics` have arrived. It is asked after the last step.
    var hasAllStatements: Bool { get }

    /// The lines to show after the last step, such as statistics; at most `width` columns each.
    func closingLines(width: Int) -> [String]

    /// The control endpoints of the simulator that `claims` needs, besides its counters; those of own
    /// simulators as whole URLs.
    var questions: [String] { get }

    /// The conditions that must hold for the upstream in the end, besides those about its counters.
    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim]

    /// Explanations of numbers that might surprise a reader.
    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String]
}

extension WorkerDemo {
    var counters: WorkerCounters { .records }

    var program: DemoProgram { DemoProgram(self.worker.name, of: self.worker.name, command: ["run"]) }

    var subject: String { "the worker" }

    var companions: [DemoProgram] { [] }

    var ownUpstreamWords: [String] { [] }

    func start(with ownUpstreams: [String]) {}

    func settings(of companion: DemoProgram, brokers: String, crashes: String) -> String { "" }

    var resultTopics: [String] { [self.worker.resultTopic, self.worker.deadLetterTopic] }

    var postedTopics: [String] { [] }

    var statementTopics: [String] { [] }

    var furtherTopics: [String] { [] }

    /// All topics of the part.
    var topics: [String] {
        self.resultTopics + self.postedTopics + self.statementTopics + self.furtherTopics
    }

    func isStatement(_ record: InboundRecord) -> Bool { self.statementTopics.contains(record.topic) }

    func sighting(of record: InboundRecord) -> Sighting? { Sighting(record, as: self.results) }

    func take(_ statement: InboundRecord) {}

    var hasAllStatements: Bool { true }

    func closingLines(width: Int) -> [String] { [] }

    var questions: [String] { [] }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] { [] }

    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String] { [] }

    /// The name of the upstream in a sentence.
    var upstreamName: String { self.upstream ?? "nobody" }

    /// The name at the head of each line about this worker.
    var name: String { self.worker.topic }
}
