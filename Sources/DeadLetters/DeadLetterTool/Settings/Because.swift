import ArgumentParser

/// The reason that a user gives for a command.
enum Because {
    /// Checks the length of a reason, if one is given.
    ///
    /// - Throws: `ValidationError` unless it has 1 to 1,000 bytes and more than white space.
    static func check(_ because: String?) throws {
        guard let because else { return }
        guard (1...1_000).contains(because.utf8.count), because.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("A reason has 1 to 1,000 bytes.")
        }
    }
}
