import ServiceKit

/// The names of a worker.
public struct Identity: Hashable, Sendable {
    /// The name of the program, of its consumer group, and of the worker in outcomes, such as `sms-worker`.
    public var name: String
    /// The topic that is consumed where no setting says otherwise. Results go to this name with `.result` after
    /// it, dead letters to this name with `.dead-letter`.
    public var topic: String
    /// A word for the upstream in settings, dead letters and metrics, such as `sms`. The worker's own settings
    /// stand in the section of this name.
    public var upstream: String

    /// Makes an identity from its names. All of them are shown in metrics, so they hold nothing secret.
    public init(name: String, topic: String, upstream: String) {
        self.name = name
        self.topic = topic
        self.upstream = upstream
    }

    var worker: WorkerIdentity {
        WorkerIdentity(name: self.name, topic: self.topic, upstream: self.upstream)
    }
}
