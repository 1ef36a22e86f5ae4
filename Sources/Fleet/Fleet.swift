import ArgumentParser

@main
struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fleet", abstract: "Run a fleet on one machine.")
}
