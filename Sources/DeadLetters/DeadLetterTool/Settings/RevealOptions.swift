import ArgumentParser

/// The options with which a command shows what is masked.
struct RevealOptions: ParsableArguments {
    @Flag(help: "Show what is masked, and the raw bytes.")
    var reveal = false

    @Option(help: "Why you look behind the masks; it is written to the audit trail.")
    var because: String?

    func validate() throws {
        guard self.reveal == (self.because != nil) else {
            throw ValidationError("--reveal needs --because \"…\", and --because needs --reveal.")
        }
        try Because.check(self.because)
    }
}
