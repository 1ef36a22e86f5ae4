/// A run of engines in which one seed decides everything.
package protocol SeededStorm: SendableMetatype {
    /// Plans a run.
    ///
    /// - Parameter narrator: receives a line for each event; nil for a silent run.
    init(seed: UInt64, narrator: Narrator?)

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: a description of each broken promise; empty if there is none.
    func run() -> [String]

    /// The number of records that were published.
    var records: Int { get }
    /// The seconds that have passed on the simulated clock.
    var seconds: Double { get }
    /// The number of faults that were injected.
    var faults: Int { get }

    /// A hash of everything that was published. Two runs with different hashes differ.
    var fingerprint: UInt64 { get }
}
