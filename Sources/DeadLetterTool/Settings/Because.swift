import ArgumentParser

/// A reason that somebody gives for what they do.
enum Because {
    static func check(_ because: String?) throws {
        guard let because else { return }
        guard (1...1_000).contains(because.utf8.count), because.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("A reason has 1 to 1,000 bytes.")
        }
    }
}
