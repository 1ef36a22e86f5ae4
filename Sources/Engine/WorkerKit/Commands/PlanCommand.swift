package import ArgumentParser
import Records
import ServiceKit
import UpstreamHTTP
import WireFormats

/// The command `plan`, which shows the request that the worker would send for a record, without sending it.
package struct PlanCommand<P: WorkerProgram>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "plan",
            abstract:
                "Print the upstream request for each JSON record on standard input, one line for one line.",
            discussion: """
                A record that is settled without a call has its verdict instead, with its outcome and its result as \
                interpret prints them.
                """
        )
    }

    @OptionGroup package var file: SettingsFileOption
    @OptionGroup package var circumstances: Circumstances

    @Flag(help: "Show what is masked otherwise.")
    package var reveal = false

    package init() {}

    /// Prints a request, or a verdict, for each line of standard input.
    package func run() throws {
        let program = try loaded(P.self, self.file)
        let attempt = self.circumstances.attempt
        let interpreter = Interpreter<P>(program: program, reveal: self.reveal)
        var lines = InputLines()
        while let line = try lines.next() {
            if let decoded = P.decoded(line) {
                StandardStreams.printLine(decoded.line)
            } else {
                let record = PlainRecord.make(line, topic: program.settings.engine.inputTopic, attempt)
                StandardStreams.printLine(interpreter.plan(of: record, attempt))
            }
        }
    }
}

/// The circumstances that a handler is told of, as options of the commands that try a case.
package struct Circumstances: ParsableArguments {
    @Option(name: .customLong("attempt"), help: "Which attempt it is.")
    package var number: Int = 1

    @Option(help: "The time it happens, in seconds since 1970; now if it is not given.")
    package var now: Int64?

    package init() {}

    var attempt: Attempt {
        let milliseconds = self.now.map { $0.multipliedReportingOverflow(by: 1_000).partialValue }
        return Attempt(number: max(1, self.number), now: milliseconds ?? Moment.now.wall, isTrial: true)
    }
}

/// Reads the settings for a command that needs no broker.
///
/// - Throws: `ExitCode` 1 if they have faults, which are printed.
func loaded<P: WorkerProgram>(_ program: P.Type, _ file: SettingsFileOption) throws -> LoadedProgram<P> {
    do {
        return try LoadedProgram<P>(path: file.path)
    } catch {
        StandardStreams.complain("\(error)")
        throw ExitCode(1)
    }
}

extension DecodedLine {
    /// The content, or the verdict that refuses it, as one line of JSON.
    fileprivate var line: String {
        switch self {
        case .refused(let reason):
            return VerdictLine(verdict: "reject", reason: reason, fate: .rejected).text
        case .content(let json):
            var line = JSONLine()
            line.add("verdict", "decoded")
            line.addRaw("content", String(decoding: json, as: UTF8.self))
            return line.text
        }
    }
}

/// A record that has nothing but a value.
enum PlainRecord {
    static func make(_ value: [UInt8], topic: String, _ attempt: Attempt) -> InboundRecord {
        InboundRecord(topic: topic, partition: 0, offset: 0, timestamp: attempt.now, value: value)
    }
}

/// Returns a request as one line of JSON.
func requestLine(_ request: HTTPRequest, lane: String) -> String {
    var line = JSONLine()
    line.add("verdict", "call")
    line.add("method", request.method.rawValue)
    line.add("url", request.url)
    var headers = JSONLine()
    for header in request.headers { headers.add(header.name, header.value) }
    line.addRaw("headers", headers.text)
    line.add("body", request.body.map { String(decoding: $0, as: UTF8.self) })
    line.add("lane", lane)
    return line.text
}
