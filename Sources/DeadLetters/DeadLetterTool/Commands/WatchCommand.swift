import ArgumentParser
import DeadLetters
import EventThread
import Operations
import Terminal
import WireFormats

/// `dead-letters watch`: shows letters as they are written.
struct WatchCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show dead letters as they are written, with how many of each reason so far.",
        discussion: "Ends with Ctrl-C, or after --count letters."
    )

    @OptionGroup var options: DeskOptions
    @OptionGroup var filters: FilterOptions

    @Option(help: "End after so many letters.")
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let desk = try self.options.desk()
        var filter = self.filters.filter(now: now)
        // A letter is new if its offset is. The time of a letter cannot tell, because its writer sets it.
        var seen = try desk.ends()
        var counts: [String: Int] = [:]
        var left = self.count ?? .max
        var wait = Wait(on: [wish.descriptor])
        if !self.options.json { Console.complain("Waiting for dead letters; Ctrl-C ends it.") }
        while wish.count == 0, left > 0 {
            wait(atMost: .milliseconds(500))
            guard wish.count == 0 else { break }
            try desk.refresh()
            let fresh = try desk.arrivals(since: &seen)
            guard !fresh.isEmpty else { continue }
            filter.positions = fresh
            for letter in try desk.letters(filter, limit: left) {
                counts[letter.group.cause, default: 0] += 1
                left -= 1
                if self.options.json {
                    Console.line(try JSONDocument.text(LetterForm(letter), isPretty: false))
                } else {
                    Console.line(
                        "\(Words.time(letter.at))  \(letter.id)  \(SafeText.line(letter.group.worker))  "
                            + "\(SafeText.line(letter.group.cause))  (\(counts[letter.group.cause] ?? 0))"
                    )
                }
            }
        }
    }
}
