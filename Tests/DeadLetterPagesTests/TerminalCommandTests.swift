import Testing
import WebPages

@testable import DeadLetterPages

/// The commands that pages offer to copy.
struct TerminalCommandTests {
    private static let now: Int64 = 1_795_248_000_000

    private func command(_ fields: [(String, String)], takesIDs: Bool = false) -> String? {
        var form = FormFields()
        for (name, value) in fields { form.add(name, value) }
        return TerminalCommand.text("list", FilterForm(form, now: Self.now), takesIDs: takesIDs)
    }

    @Test func eachFieldIsAnOption() {
        #expect(self.command([]) == "dead-letters list")
        #expect(
            self.command([("reason", "gdt.*"), ("state", "open"), ("where", "appId = 1"), ("since", "2h")])
                == "dead-letters list --reason 'gdt.*' --state open --where 'appId = 1' --since 2h"
        )
        #expect(
            self.command([("until", "2026-01-31T09:30")])
                == "dead-letters list --until 2026-01-31T09:30:00Z"
        )
    }

    /// A filter comes from an address that anybody may have made.
    @Test func noValueLeavesItsQuotes() {
        #expect(
            self.command([("topic", "a'; rm -rf / #"), ("header", "$(id)=`id`")])
                == #"dead-letters list --topic 'a'\''; rm -rf / #' --header '$(id)=`id`'"#
        )
        #expect(self.command([("topic", "a\u{1B}[2J")]) == nil)
        #expect(self.command([("topic", "a\nrm")]) == nil)
        #expect(self.command([("topic", "a\u{202E}b")]) == nil)
    }

    @Test func whatTheCommandDoesNotTakeIsNotOffered() {
        let id = "dl-" + String(repeating: "0", count: 32)
        #expect(self.command([("id", id)]) == nil)
        #expect(self.command([("id", id)], takesIDs: true) == "dead-letters list \(id)")
        #expect(self.command([("key", "hex:00")]) == nil)
        #expect(self.command([("state", "closed")]) == nil)
    }
}
