import Testing

@testable import Terminal

struct ProgramNameTests {
    @Test(arguments: [
        (["/usr/bin/fleet", "read"], "fleet"), (["fleet"], "fleet"), ([], ""),
        (["/usr/bin/flotilla", "fleet", "read"], "flotilla fleet"), (["./flotilla"], "flotilla"),
    ])
    func isWhatTheUserTyped(words: [String], name: String) { #expect(Console.name(of: words) == name) }
}
