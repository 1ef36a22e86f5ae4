import ArgumentParser
import DeadLetters
import Operations
import Terminal
import WireFormats

/// `dead-letters parked`: shows the records that are parked, and what they wait for.
struct ParkedCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "Records that are parked until an endpoint or a lane works again.",
        discussion: """
            Parked records are no dead letters: their workers take them up again, in the order of their keys, when what they \
            wait for works again. `fleet admin release` makes a worker try at once, and `fleet trace` finds one record.

            Exit code 4 if nothing is parked.
            """
    )

    @OptionGroup var options: DeskOptions

    func carryOut(until wish: StopWish) throws {
        let now = Timestamp.now.millisecondsSince1970
        let list = try self.options.desk(refreshing: false).parked()
        if self.options.json {
            try JSONDocument.print(Form(list))
        } else {
            Self.show(list, now: now)
        }
        if list.count == 0 { throw ExitCode.nothingMatches }
    }

    private static func show(_ list: ParkedList, now: Int64) {
        if list.count == 0 { Console.line("Nothing is parked.") }
        if !list.views.isEmpty {
            var table = TextTable(
                [
                    ("topic", .left), ("waits for", .left), ("records", .right), ("partitions", .right),
                    ("parked since", .right), ("oldest record", .right),
                ],
                givingWay: ["partitions", "oldest record"]
            )
            for view in list.views {
                table.add([
                    view.topic, view.condition, "\(view.count)", "\(view.partitions)",
                    view.parkedSince.map { Words.age($0, now: now) } ?? "",
                    view.oldest.map { Words.age($0, now: now) } ?? "",
                ])
            }
            for line in table.lines(on: Display()) { Console.line(line) }
        }
        for note in list.notes { Console.line(note) }
    }

    /// The parked records as JSON.
    struct Form: Encodable {
        /// The records of a topic that wait for the same thing.
        struct Part: Encodable {
            var topic: String
            var waitsFor: String
            var records: Int
            var partitions: Int
            var parkedSince: String?
            var oldestRecord: String?
        }

        var parked: [Part]
        var records: Int
        var foreignTickets: Int
        var isCut: Bool

        init(_ list: ParkedList) {
            self.parked = list.views.map { view in
                Part(
                    topic: view.topic,
                    waitsFor: view.condition,
                    records: view.count,
                    partitions: view.partitions,
                    parkedSince: view.parkedSince.map(Words.time),
                    oldestRecord: view.oldest.map(Words.time)
                )
            }
            self.records = list.count
            self.foreignTickets = list.foreign
            self.isCut = list.isCut
        }
    }
}
