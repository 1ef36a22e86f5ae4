import ArgumentParser
import DeadLetters
import Terminal

/// `dead-letters restore`: makes letters open again that were discarded.
struct RestoreCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make discarded dead letters open again.",
        discussion: """
            A letter that was replayed before it was discarded stays as it is, because its replay may have succeeded; \
            'replay --force' replays it. A filter chooses discarded letters, and with it nothing is done without --go.
            """
    )

    @OptionGroup var aside: AsideOptions

    func carryOut(until wish: StopWish) throws { try self.aside.carryOut(.restore) }
}
