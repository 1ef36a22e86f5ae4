import Records
import Terminal
import WorkerKit

/// What the demo plays for one worker: the settings it starts with, what is published to it, scene by scene, and what
/// must be true in the end. The stage plays all acts side by side, and knows nothing of any.
protocol Act: AnyObject {
    var worker: WorkerIdentity { get }
    /// What the worker calls, to a person; nil if it calls nobody.
    var upstream: String? { get }
    /// What a value of its result topic is.
    var results: any WorkerResult.Type { get }
    /// What `fleet upstreams` has to be told, so that there is somebody to call.
    var upstreamWords: [String] { get }
    /// Where the worker's own counts stand.
    var counters: WorkerCounters { get }

    /// Writes the settings to this file, and what they name beside it.
    ///
    /// - Parameter worker: further lines of that section.
    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint)

    /// The next scene, made when it is due, since records grow old; nil after the last. `now` is in wall-clock
    /// milliseconds since 1970.
    func nextScene(now: Int64) -> Scene?

    /// Topics in which the worker says something beside results and dead letters.
    var statementTopics: [String] { get }

    /// Takes a record of one of them.
    func hear(_ statement: InboundRecord)

    /// Whether everything has been heard there that has to come once the last scene is over.
    var hasHeardAll: Bool { get }

    /// What there is to show of it in the end, line by line.
    func epilogue(width: Int) -> [String]

    /// Endpoints of the simulator's desk that `claims` wants to have read, beside its counters.
    var questions: [String] { get }

    /// What must be true of the upstream in the end, beside its counters.
    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim]

    /// What somebody who reads the numbers might wonder about.
    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String]
}

extension Act {
    var counters: WorkerCounters { .records }

    var statementTopics: [String] { [] }

    func hear(_ statement: InboundRecord) {}

    var hasHeardAll: Bool { true }

    func epilogue(width: Int) -> [String] { [] }

    var questions: [String] { [] }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] { [] }

    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String] { [] }

    /// Whom its records are for, in a sentence.
    var upstreamName: String { self.upstream ?? "nobody" }

    /// Under which each line about it is shown.
    var name: String { self.worker.topic }
}
