import ArgumentParser
import Terminal

extension Console {
    /// Prints the measurements of a run and each goal that was missed.
    ///
    /// - Throws: Exit code 1 if a goal was missed.
    static func show(_ lines: [String], misses: [String]) throws {
        lines.forEach(Self.line)
        guard !misses.isEmpty else { return Self.line("every goal is met") }
        for miss in misses { Self.line("missed: \(miss)") }
        throw ExitCode(1)
    }
}
