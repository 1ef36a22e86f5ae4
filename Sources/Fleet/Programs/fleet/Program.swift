import ArgumentParser
import Fleet

/// The executable `fleet`.
@main
enum Program {
    static func main() async { await FleetCommand.main() }
}
