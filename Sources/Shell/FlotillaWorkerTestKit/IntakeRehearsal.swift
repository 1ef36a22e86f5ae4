import ActivationIntake
public import FlotillaRecords
public import FlotillaWorkerKit
import Operations
import Records
import ServiceKit
import Simulation
import WireFormats

/// A rehearsal of `intake` of a shell: the tasks that ship take uploads, clicks and activations without a
/// cluster, with the encryptions of the shell.
public final class IntakeRehearsal {
    private let scene: IntakeScene
    private var seen = 0

    /// Makes a rehearsal.
    ///
    /// - Parameter settings: The settings of the intake in YAML, such as `sdk` and `attribution`; the section
    ///   `kafka` may be left out.
    /// - Throws: the faults of the settings.
    public init<S: ActivationShell>(of shell: S, settings: String) throws {
        let text = settings.contains("kafka:") ? settings : "kafka: {brokers: \"127.0.0.1:1\"}\n" + settings
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "settings"), overrides: [])
        self.scene = IntakeScene(IntakeSettings(reader, ciphers: UploadCiphers(shell.ciphers)))
        _ = try reader.finish()
    }

    /// Takes in a record, and returns what the intake publishes for it, without its internal topics: events,
    /// activations that are to be reported, outcomes and dead letters.
    public func take(_ record: OutgoingRecord) -> [OutgoingRecord] {
        self.scene.take(
            record.topic,
            record.value,
            headers: record.headers.map(\.recordHeader),
            key: record.key
        )
        defer { self.seen = self.scene.sent.count }
        return self.scene.sent.dropFirst(self.seen).filter {
            $0.topic != self.scene.settings.topics.changelog
        }.map { sent in
            OutgoingRecord(
                topic: sent.topic,
                key: sent.key,
                value: sent.value,
                headers: sent.headers.map { Header($0.name, bytes: $0.value) }
            )
        }
    }
}
