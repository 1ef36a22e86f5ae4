import ArgumentParser
import EventThread
import Glibc
import Kafka
import Terminal

/// `fleet read`: prints the records of a topic, one line each.
struct ReadCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print the records of a topic as lines of JSON.",
        discussion: """
            It joins no consumer group and commits nothing, so it disturbs nobody. With --from-beginning it ends \
            when it has read what there was; otherwise, and with --follow, it goes on with what arrives.
            """
    )

    @Argument(help: "The topic.")
    var topic: String

    @OptionGroup var cluster: ClusterOptions

    @Flag(help: "Start with the oldest record there is, instead of with the next one published.")
    var fromBeginning = false

    @Option(help: "End after so many records.")
    var count: Int?

    @Flag(help: "Go on when everything has been read.")
    var follow = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func carryOut(until wish: StopWish) throws {
        let reader = try self.reader()
        let goesOn = self.follow || !self.fromBeginning
        var wait = Wait(on: [reader.descriptor, wish.descriptor])
        var left = self.count ?? .max
        var lastComplaint: KafkaError?
        while wish.count == 0, left > 0, goesOn || !reader.isAtEnd {
            var lines: [UInt8] = []
            let limit = min(left, 256)
            let taken = reader.read(atMost: limit) { record in
                lines += "\(RecordLine.text(record))\n".utf8
            } _: { error in
                if error != lastComplaint { Console.complain(error.plainWords) }
                lastComplaint = error
            }
            left -= taken
            guard Console.write(lines, to: STDOUT_FILENO) else { return }
            // The reader's descriptor is not signalled again for records that have arrived already. If the
            // reader returned as many records as requested, there may be more, so the loop does not wait.
            if taken < limit, goesOn || !reader.isAtEnd { wait(atMost: .seconds(1)) }
        }
    }

    private func reader() throws -> TopicReader {
        do {
            return try TopicReader(
                [self.topic],
                from: self.fromBeginning ? .beginning : .end,
                self.cluster.properties.merging(["fetch.wait.max.ms": "50"]) { own, _ in own },
                atMost: .seconds(10)
            )
        } catch let error as KafkaError where error.isNoAnswer {
            throw Complaint("no answer from \(self.cluster.brokers): \(error.plainWords)")
        }
    }
}
