import ArgumentParser
import Foundation
import Harness
import Terminal
import UpstreamSimulator

/// `flotilla-lab collector`: runs a collector of traces that checks what it gets.
struct CollectorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collector",
        abstract: "Run a collector of traces (OTLP over HTTP, JSON), and print its URL on the first line.",
        discussion: """
            It judges every span by its own code, and refuses a request with one that breaks a rule of OTLP or of the \
            semantic conventions. GET /control/stats counts, GET /control/spans lists what was taken, and POST \
            /control/faults makes it fail.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 takes any free one.")
    var port = 0

    @Flag(help: "Print the counters as one line of JSON at the end.")
    var stats = false

    @OptionGroup var life: LifeOptions

    func run() async throws {
        try await self.complaining {
            var settings = CollectorSimulator.Settings()
            settings.host = self.host
            settings.port = self.port
            let settled = settings
            let collector = try await UpstreamsCommand.listening { () async throws(SimulatorError) in
                try await CollectorSimulator.start(settled)
            }
            let life = self.life
            try await StopWish.heard { wish in
                try life.announce(collector.url)
                life.waitForTheEnd(wish)
            }
            let stats = collector.stats()
            await collector.stop()
            if self.stats { Console.line(try UpstreamsCommand.line(stats)) }
        }
    }
}
