/// A run of an engine that one seed decides.
package protocol SeededStorm: SendableMetatype {
    init(seed: UInt64, narrator: Narrator?)

    /// Runs to the end, or until a promise is broken.
    ///
    /// - Returns: what went wrong, in words; empty if nothing did.
    func run() -> [String]

    /// What there was of it: records, seconds on its own clock, and things that were made to go wrong.
    var records: Int { get }
    var seconds: Double { get }
    var faults: Int { get }

    /// Tells this run from another that went differently anywhere.
    var fingerprint: UInt64 { get }
}
