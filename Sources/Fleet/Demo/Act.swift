import Terminal
import WorkerKit

/// What the demo plays for one worker: the settings it starts with, what is published to it, scene by scene, and what
/// must be true in the end. The stage plays all acts side by side, and knows nothing of any.
protocol Act: AnyObject {
    var worker: WorkerIdentity { get }
    /// What the worker calls, to a person.
    var upstream: String { get }
    /// What a value of its result topic is.
    var results: any WorkerResult.Type { get }
    /// What `fleet upstreams` has to be told, so that there is somebody to call.
    var upstreamWords: [String] { get }

    /// Writes the settings to this file, and what they name beside it.
    ///
    /// - Parameter worker: further lines of that section.
    func write(to name: String, brokers: String, upstream: String, worker: [String]) throws(Complaint)

    /// The next scene, made when it is due, since records grow old; nil after the last. `now` is in wall-clock
    /// milliseconds since 1970.
    func nextScene(now: Int64) -> Scene?

    /// Endpoints of the simulator's desk that `claims` wants to have read, beside its counters.
    var questions: [String] { get }

    /// What must be true of the upstream in the end, beside its counters.
    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim]

    /// What somebody who reads the numbers might wonder about.
    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String]
}

extension Act {
    var questions: [String] { [] }

    func claims(_ register: Register, _ answers: UpstreamAnswers) -> [Claim] { [] }

    func remarks(_ register: Register, _ answers: UpstreamAnswers) -> [String] { [] }

    /// Under which each line about it is shown.
    var name: String { self.worker.topic }
}
