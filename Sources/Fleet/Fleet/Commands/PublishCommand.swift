import ArgumentParser
import EventThread
import Glibc
import Kafka
import Records
import Terminal

/// `fleet publish`: publishes lines of JSON to a topic.
struct PublishCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish each line of a file, or of standard input, as a record.",
        discussion: """
            A line is a JSON value, published byte for byte with content-type application/json. With --envelope \
            a line says the whole record: {"key":…,"value":…,"headers":{…},"partition":…}. There a string stands \
            for its own text, null for nothing at all (a value of null is a tombstone), any other value for its \
            JSON, and key_base64 and value_base64 for any bytes; what `fleet read` prints can be published again. A \
            topic that does not exist is made only with --create.
            """
    )

    @Argument(help: "The topic.")
    var topic: String

    @OptionGroup var cluster: ClusterOptions

    @Option(help: "The lines; standard input without it.")
    var file: String?

    @Option(
        help: "The top-level member that is the key. Without it, and where it is missing, a record has none."
    )
    var keyField: String?

    @Flag(help: "Each line is an envelope.")
    var envelope = false

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header of every record, beside its own; may be repeated.",
            valueName: "name=value"
        )
    )
    var headers: [HeaderArgument] = []

    @Flag(help: "Print where each record came to stand.")
    var verbose = false

    @Flag(help: "Make the topic if it does not exist.")
    var create = false

    @Option(help: ArgumentHelp("The partitions of a topic that is made.", valueName: "n"))
    var partitions = Roster.partitions

    func carryOut(until wish: StopWish) throws {
        guard try self.publish(until: wish) == 0 else { throw ExitCode(1) }
    }

    func validate() throws {
        guard !self.envelope || self.keyField == nil else {
            throw ValidationError("With --envelope each line names its own key: leave --key-field out.")
        }
        guard (1...10_000).contains(self.partitions) else {
            throw ValidationError("--partitions is from 1 to 10000.")
        }
    }

    /// Publishes the lines of the input until its end or a request to stop.
    ///
    /// - Returns: the number of lines that were not published.
    private func publish(until wish: StopWish) throws -> Int {
        let descriptor = try self.openInput()
        let publisher = try Publisher(self.cluster.properties, verbose: self.verbose)
        let topic = PublishedTopic(
            name: self.topic,
            partitions: self.partitions,
            properties: self.cluster.properties
        )
        try topic.prepare(for: publisher, creates: self.create, wish)
        let parser = PublishLine.Parser(
            topic: self.topic,
            keyField: self.keyField,
            isEnvelope: self.envelope,
            headers: self.headers.map(\.header)
        )
        var input = LineInput(descriptor)
        var wait = Wait(on: [descriptor, publisher.descriptor, wish.descriptor])
        var number = 0
        var unread = 0
        reading: while !input.isAtEnd {
            wait(atMost: .seconds(3_600))
            guard wish.count == 0 else { break reading }
            publisher.serve()
            guard wait.isReadable(at: 0) else { continue }
            _ = try input.fill()
            while let line = input.next() {
                number += 1
                guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { continue }
                do throws(PublishLine.Fault) {
                    try publisher.publish(parser.record(of: line), wish)
                } catch {
                    unread += 1
                    Console.complain("line \(number): \(error.reason)")
                }
            }
        }
        publisher.finish(wish)
        Console.line(publisher.summary(unread: unread, topic: self.topic))
        return publisher.failed + unread
    }

    private func openInput() throws(Complaint) -> Int32 {
        guard let file else { return STDIN_FILENO }
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Complaint("cannot read \(file): \(FileFailure.last().reason)") }
        return descriptor
    }
}
