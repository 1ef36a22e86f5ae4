import ArgumentParser
import EventThread
import Glibc
import Operations
import ServiceKit
import Terminal

/// `fleet status`: shows how the workers are.
struct StatusCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how the workers are: ready or why not, lag, calls, breakers, holds, dead letters.",
        discussion: """
            Asks the health pages of each worker, /readyz and /metrics, and nothing else. On a terminal the table is \
            drawn anew until Ctrl-C; with --once, and without a terminal, there is one table. The rates are those \
            between two looks. The exit code is 0 if at the last look all workers were ready, and 1 otherwise.
            """
    )

    /// The largest number of workers that are asked.
    private static let mostWorkers = 500

    @Option(
        name: [.customLong("url"), .customShort("u")],
        help: ArgumentHelp(
            "Where a worker's health pages are: host:port or http://host:port; can be repeated.",
            valueName: "address"
        )
    )
    var urls: [String] = []

    @Option(
        name: [.customLong("config"), .customShort("c")],
        help: ArgumentHelp(
            "A worker's settings, whose health.host and health.port say the same; can be repeated.",
            valueName: "file"
        )
    )
    var configs: [String] = []

    @Flag(help: "Look once, and end.")
    var once = false

    @Flag(help: "Print a line of JSON for each look.")
    var json = false

    @Option(help: ArgumentHelp("The time between two looks.", valueName: "seconds"))
    var interval = 2

    @Option(help: ArgumentHelp("How long a worker may take to answer.", valueName: "seconds"))
    var wait = 3

    func validate() throws {
        guard (1...Self.mostWorkers).contains(self.urls.count + self.configs.count) else {
            throw ValidationError(
                "Name each worker by --url host:port or by its settings with --config FILE (1 to \(Self.mostWorkers))."
            )
        }
        if let wrong = self.urls.first(where: { WorkerAddress($0) == nil }) {
            throw ValidationError("--url is host:port or http://host:port, and not '\(wrong)'.")
        }
        guard (1...3_600).contains(self.interval) else {
            throw ValidationError("--interval is from 1 to 3600 seconds.")
        }
        guard (1...60).contains(self.wait) else { throw ValidationError("--wait is from 1 to 60 seconds.") }
    }

    func carryOut(until wish: StopWish) throws {
        let addresses =
            try self.urls.compactMap(WorkerAddress.init) + self.configs.map { try WorkerAddress(config: $0) }
        let pages = try WorkerPages(addresses, longest: .seconds(self.wait))
        let display = Display()
        let goesOn = !self.once && (self.json || display.isTerminal)
        var pause = Wait(on: [wish.descriptor])
        var last: (sights: [WorkerSight], at: Int64)?
        while let look = pages.look(until: wish) {
            var sights = look
            let now = Moment.now.monotonic
            if let earlier = last {
                let seconds = Double(now - earlier.at) / 1_000_000_000
                for index in sights.indices {
                    sights[index].compare(with: earlier.sights[index], seconds: seconds)
                }
            }
            // A rate takes two looks, so the first one alone is shown only where it will be drawn over.
            let isShown = goesOn || last != nil || !sights.contains { $0.figures != nil }
            if isShown, !self.show(sights, on: display, live: goesOn) { break }
            last = (sights, now)
            guard goesOn || !isShown else { break }
            let due = now + Int64(self.interval) * 1_000_000_000
            while wish.count == 0, case let left = due - Moment.now.monotonic, left > 0 {
                pause(atMost: .nanoseconds(left))
            }
        }
        guard let last, last.sights.allSatisfy(\.isReady) else { throw ExitCode(1) }
    }

    /// Prints a look.
    ///
    /// - Returns: false if standard output cannot be written to.
    private func show(_ sights: [WorkerSight], on display: Display, live: Bool) -> Bool {
        let text: String
        if self.json {
            text = "\(StatusLine.text(sights, at: Timestamp.now.description))\n"
        } else {
            let table = StatusTable(sights).text(on: display)
            // The old table is drawn over from its first line on, and what it had beyond is erased.
            text = live ? "\u{1B}[H\(table.replacing("\n", with: "\u{1B}[K\n"))\u{1B}[J" : table
        }
        return Console.write(Array(text.utf8), to: STDOUT_FILENO)
    }
}
