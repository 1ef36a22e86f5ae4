import Fleet
package import ServiceKit

/// A worker's first record on one machine: the files, the processes and the commands, as text for a shell.
///
/// The text is what the user reads and what is carried out, so the two cannot differ. It runs in a folder of its own.
/// `$BROKERS` is the address of the broker, `$UPSTREAM` the URL of the simulator.
package struct TryPlan: Sendable {
    /// The simulator of what the worker calls.
    struct Upstream: Sendable {
        /// Its name for a person.
        var name: String
        /// The commands that make the keys and the files of the simulator.
        var files: [String]
        /// The arguments of `flotilla-lab upstreams`.
        var arguments: String
        /// The line of standard output on which its URL stands, counted from 1: the simulator of GDT always runs.
        var line: Int
    }

    package let worker: WorkerIdentity
    /// Nil for a worker that calls nothing.
    var upstream: Upstream?
    /// Further settings of `kafka`.
    var kafka = ""
    /// The worker's settings, without those that all plans share.
    var settings: [String]
    /// The lines of the section that has the crash guard: `worker`, or `state` of an engine of states.
    var guarded = "worker"
    /// The records, one on a line.
    var records: [String]
    /// Further arguments of `fleet publish`.
    var publishing = ""
    /// A topic that is shown beside the results, with what it holds.
    var further: (topic: String, holds: String)?

    /// The command that starts the simulator, without the places of its output.
    var upstreamCommand: String { "flotilla-lab upstreams\(self.upstream.map { " \($0.arguments)" } ?? "")" }

    /// The name of the worker's settings file.
    var settingsName: String { "\(self.worker.name).yaml" }

    /// Writes the settings file.
    var settingsScript: String {
        let lines =
            ["kafka: {brokers: \"$BROKERS\"\(self.kafka)}"] + self.settings + [
                "\(self.guarded): {crash_folder: $PWD/crashes}", "health: {host: 127.0.0.1, port: 0}",
            ]
        return Self.file(self.settingsName, lines)
    }

    /// Writes and publishes the records.
    var publishScript: String {
        Self.file("records.jsonl", self.records)
            + "\nfleet publish \(self.worker.topic) --brokers \"$BROKERS\" --file records.jsonl\(self.publishing)"
    }

    /// Waits for the results, and prints them.
    var resultScript: String { Self.read(self.worker.resultTopic, count: self.records.count) }

    /// Waits for a record of the further topic, and prints it.
    var furtherScript: String? { self.further.map { Self.read($0.topic, count: 1) } }

    private static func read(_ topic: String, count: Int) -> String {
        "fleet read \(topic) --brokers \"$BROKERS\" --from-beginning --follow --count \(count)"
    }

    /// A command that writes a file. The shell puts in what stands behind a `$`.
    static func file(_ name: String, _ lines: [String]) -> String {
        "cat > \(name) <<END\n\(lines.joined(separator: "\n"))\nEND"
    }
}
