import ArgumentParser
import DeadLetters
import Terminal

/// `dead-letters discard`: puts letters aside for good.
struct DiscardCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Put dead letters aside for good, with a reason.",
        discussion: """
            They stay in their topic until the broker deletes them, are no longer open, and are not replayed without \
            --force; 'restore' makes them open again. A filter chooses open letters, and with it nothing is done \
            without --go.
            """
    )

    @OptionGroup var aside: AsideOptions

    func carryOut(until wish: StopWish) throws { try self.aside.carryOut(.discard) }
}
