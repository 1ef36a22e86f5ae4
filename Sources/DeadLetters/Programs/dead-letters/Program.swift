import ArgumentParser
import DeadLetterTool

/// The executable `dead-letters`.
@main
enum Program {
    static func main() async { await DeadLettersCommand.main() }
}
