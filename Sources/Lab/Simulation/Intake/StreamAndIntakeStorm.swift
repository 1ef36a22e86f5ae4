/// A run of the engine of streams and a run of the intake on it, both with an adversary and with one seed.
package final class StreamAndIntakeStorm: SeededStorm {
    private let streams: StreamAdversaryStorm
    private let intake: IntakeStorm

    package init(seed: UInt64, narrator: Narrator? = nil) {
        self.streams = StreamAdversaryStorm(seed: seed, narrator: narrator)
        self.intake = IntakeStorm(seed: seed, narrator: narrator)
    }

    /// Runs one after the other.
    package func run() -> [String] { self.streams.run() + self.intake.run().map { "intake: \($0)" } }

    package var records: Int { self.streams.records + self.intake.records }
    package var seconds: Double { self.streams.seconds + self.intake.seconds }
    package var faults: Int { self.streams.faults + self.intake.faults }
    package var fingerprint: UInt64 { self.streams.fingerprint ^ self.intake.fingerprint }
}
