import ArgumentParser

/// How much of a list is shown.
struct LimitOption: ParsableArguments {
    @Option(name: .customLong("limit"), help: "Lines at most; 50 unless you say, and 20 of replays.")
    var count: Int?

    func validate() throws {
        guard self.count ?? 1 > 0 else { throw ValidationError("--limit is at least 1.") }
    }

    func lines(usually count: Int = 50) -> Int { self.count ?? count }
}
