import ArgumentParser

/// The option that limits the lines of a list.
struct LimitOption: ParsableArguments {
    @Option(name: .customLong("limit"), help: "Lines at most; 50 unless you say, and 20 of replays.")
    var count: Int?

    func validate() throws {
        guard self.count ?? 1 > 0 else { throw ValidationError("--limit is at least 1.") }
    }

    /// Returns the limit, or `count` if the user gave none.
    func lines(usually count: Int = 50) -> Int { self.count ?? count }
}
