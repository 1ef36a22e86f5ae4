import DeadLetters
import WebPages
import WireFormats

/// The values of the template `filter`: the form that narrows a list.
struct FilterPanel: Sendable {
    struct Input: Sendable {
        var name: String
        var label: String
        var value: String
        var hint: String
    }

    struct State: Sendable {
        var word: String
        var phrase: String
        var isChosen: Bool
    }

    var action: String
    var isOpen: Bool
    /// The chosen filter in words; nil if nothing is chosen.
    var words: String?
    var inputs: [Input]
    var states: [State]
    var faults: [String]

    private static let inputs: [(name: String, label: String, hint: String)] = [
        ("topic", "Topic of dead letters", "orders.dead-letter"), ("worker", "Worker", ""),
        ("class", "Class", "rejected, exhausted …"), ("reason", "Reason", "gdt.-12 or gdt.*"),
        ("group", "Group", "g-0123456789"), ("since", "Since", "2h, 7d or 2026-01-31T09:30"),
        ("until", "Before", "30m or 2026-01-31T12:00"), ("key", "Key", "text, or hex:00ff"),
        ("header", "Header", "name or name=value"), ("where", "Payload", "account = 1234"),
        ("id", "Letter", "dl-… or topic/0/42"),
    ]

    init(_ form: FilterForm, action: String) {
        self.action = action
        self.isOpen = !form.faults.isEmpty
        self.words = form.isEmpty ? nil : SafeText.line(form.selection, limit: 200)
        self.inputs = Self.inputs.map {
            Input(name: $0.name, label: $0.label, value: form.fields[$0.name] ?? "", hint: $0.hint)
        }
        let chosen = form.fields["state"]
        self.states = LetterState.allCases.map {
            State(word: $0.word, phrase: StateWords.phrase($0), isChosen: $0.word == chosen)
        }
        self.faults = form.faults
    }
}

/// The states as the pages write them.
enum StateWords {
    static func phrase(_ state: LetterState) -> String {
        state == .deadAgain ? "dead again" : state.word
    }
}
