import Foundation
import Kafka
import Records
import WireFormats
import WorkerTestSupport

/// `dead-letters` against a test's cluster, with a ledger, an audit trail and an index of its own.
final class DeadLetterToolUnderTest: Sendable {
    let ledger: String
    let audit: String
    private let brokers: String
    private let letters: String
    private let folder: TemporaryFolder

    init(_ cluster: TestCluster) throws {
        self.brokers = cluster.brokers
        self.letters = cluster.deadLetters
        self.ledger = "\(cluster.input).ledger"
        self.audit = "\(cluster.input).audit"
        self.folder = try TemporaryFolder()
    }

    /// The results of a command that has ended.
    struct Run {
        var status: Int32
        var output: String
        var complaints: String

        func json<Value: Decodable>(as type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(self.output.utf8))
        }
    }

    /// A command under way.
    struct Running {
        let process: TestProcess
        private let output: FileHandle
        private let complaints: FileHandle
        private let complaintsFile: URL

        init(
            _ arguments: [String],
            _ environment: [String: String],
            _ folder: TemporaryFolder
        ) throws {
            let name = UUID().uuidString
            let (out, err) = (
                try folder.write([], to: "\(name).out"), try folder.write([], to: "\(name).err")
            )
            self.process = try TestProcess(
                try WorkerUnderTest.path(of: "dead-letters"),
                arguments,
                environment: environment,
                output: .file(try FileHandle(forWritingTo: out)),
                error: .file(try FileHandle(forWritingTo: err))
            )
            self.output = try FileHandle(forReadingFrom: out)
            self.complaints = try FileHandle(forReadingFrom: err)
            self.complaintsFile = err
        }

        /// Looks until the command has complained of this, or the time is up.
        func waitForComplaint(_ words: String, atMost longest: Duration = .patience) throws -> Bool {
            let deadline = ContinuousClock.now + longest
            while try !String(contentsOf: self.complaintsFile, encoding: .utf8).contains(words) {
                guard ContinuousClock.now < deadline else { return false }
                _ = poll(nil, 0, 20)
            }
            return true
        }

        func end() throws -> Run {
            Run(
                status: self.process.wait(),
                output: String(decoding: try self.output.readToEnd() ?? Data(), as: UTF8.self),
                complaints: String(decoding: try self.complaints.readToEnd() ?? Data(), as: UTF8.self)
            )
        }
    }

    func run(_ arguments: [String], user: String = "anna", environment: [String: String] = [:]) throws -> Run
    {
        try self.start(arguments, user: user, environment: environment).end()
    }

    func start(_ arguments: [String], user: String = "anna", environment: [String: String] = [:]) throws
        -> Running
    {
        let environment = self.environment(of: user).merging(environment) { $1 }
        return try Running(arguments, environment, self.folder)
    }

    /// Runs a command in a terminal of 80 columns to its end.
    ///
    /// - Returns: its exit code and all that the terminal got.
    func runInTerminal(_ arguments: [String], environment: [String: String] = [:]) throws -> (Int32, String) {
        let terminal = try PseudoTerminal()
        let process = try TestProcess(
            try WorkerUnderTest.path(of: "dead-letters"),
            arguments,
            environment: self.environment(of: "anna").merging(["TERM": "xterm-256color", "NO_COLOR": ""]) {
                $1
            }
            .merging(environment) { $1 },
            input: .file(terminal.end),
            output: .file(terminal.end),
            error: .file(terminal.end)
        )
        try terminal.end.close()
        let text = terminal.readToEnd()
        return (process.wait(), text)
    }

    private func environment(of user: String) -> [String: String] {
        ProcessInfo.processInfo.environment.merging([
            "XDG_CACHE_HOME": self.folder.url.appendingPathComponent(user).path,
            "FLOTILLA_KAFKA_BROKERS": self.brokers,
            "FLOTILLA_DEAD_LETTERS_TOPICS": self.letters,
            "FLOTILLA_DEAD_LETTERS_LEDGER_TOPIC": self.ledger,
            "FLOTILLA_DEAD_LETTERS_AUDIT_TOPIC": self.audit,
            "FLOTILLA_DEAD_LETTERS_USER": user,
        ]) { $1 }
    }
}

/// Dead letters as a worker writes them.
enum DeadLetters {
    /// - Parameter value: of the record; by default an activation of its own.
    static func letter(
        _ index: Int,
        _ cluster: TestCluster,
        clusterID: String,
        reason: String = "gdt.-2",
        replayable: DeadLetter.Replayable = .yes,
        value: [UInt8]? = nil,
        headers: [RecordHeader] = [],
        limit: Int = 1_000_000
    ) -> OutboundRecord {
        let original = Activations.good(index, to: cluster.input)
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let notice = DeadLetterNotice(
            source: .init(
                clusterID: clusterID,
                topic: cluster.input,
                partition: Int32(index % 4),
                offset: Int64(index / 4),
                group: "activation-worker",
                timestamp: now - 60_000
            ),
            kind: .rejected,
            reason: WireFormats.Reason(reason, "GDT could not parse the parameters."),
            replayable: replayable,
            attempts: 3,
            firstFailedAt: now - 50_000,
            failedAt: now - 40_000,
            upstream: "gdt",
            upstreamStatus: 200,
            worker: "activation-worker",
            workerVersion: "0.1.0"
        )
        return notice.record(
            of: InboundRecord(
                topic: cluster.input,
                partition: Int32(index % 4),
                offset: Int64(index / 4),
                key: original.key,
                value: value ?? original.value,
                headers: [RecordHeader("content-type", "application/json"), RecordHeader("tenant", "cn")]
                    + headers
            ),
            to: cluster.deadLetters,
            partition: Int32(index % 4),
            encodedBytesLimit: limit
        )
    }

    static func clusterID(_ cluster: TestCluster) throws -> String {
        struct NoID: Error {}
        let reader = try LogReader(["bootstrap.servers": cluster.brokers])
        guard let id = reader.clusterID(atMost: .seconds(10)) else { throw NoID() }
        return id
    }
}

/// The topics of a cluster.
struct TopicNames {
    let all: Set<String>

    init(_ cluster: TestCluster) throws {
        let reader = try LogReader(["bootstrap.servers": cluster.brokers])
        self.all = Set(try reader.metadata(atMost: .seconds(10)).partitionCounts.keys)
    }
}
