import ArgumentParser
import FlotillaLab

/// The executable `flotilla-lab`.
@main
enum Program {
    static func main() async { await FlotillaLabCommand.main() }
}
