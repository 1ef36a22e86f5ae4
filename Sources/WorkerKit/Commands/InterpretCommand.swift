package import ArgumentParser
import Foundation
import Records
import UpstreamHTTP
import WireFormats

/// `interpret`: what the worker would make of an upstream's answer, without an upstream.
package struct InterpretCommand<P: WorkerProgram>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "interpret",
            abstract: "Print the verdict on an upstream's answer, one line for each case.",
            discussion: """
                With --record and --status, standard input is the answer's body: one body if it is one line or one \
                JSON value, otherwise one body for each line. Without --record, each line of standard input is a \
                case: {"record":{…},"status":200,"headers":{"Retry-After":"5"},"body":"…","attempt":1}; "failure" \
                (timeout, connect, cut, …) stands in for a status where there was no answer.
                """
        )
    }

    @OptionGroup package var file: SettingsFileOption
    @OptionGroup package var circumstances: Circumstances

    @Option(help: "The record that was reported: JSON, or the path of a file that holds it.")
    package var record: String?

    @Option(help: "The HTTP status of the answer.")
    package var status: Int = 200

    @Option(name: .customLong("header"), help: "A header of the answer, as Name:value. Can be repeated.")
    package var headers: [String] = []

    @Option(
        help: "No answer: how the transfer broke (resolve, connect, tls, timeout, cut, malformed, too_large)."
    )
    package var failure: String?

    @Flag(help: "Show what is masked otherwise.")
    package var reveal = false

    package init() {}

    package func run() throws {
        let program = try loaded(P.self, self.file)
        let interpreter = Interpreter<P>(program: program, reveal: self.reveal)
        let input = try StandardStreams.input()
        guard let record = try self.recordBytes() else {
            for line in StandardStreams.lines(of: input) {
                let given = try? JSONDecoder().decode(InterpretCase.self, from: Data(line))
                guard let given else {
                    StandardStreams.printLine(Self.complaint("the line is not a case"))
                    continue
                }
                let attempt = Attempt(number: given.attempt ?? 1, now: self.circumstances.attempt.now)
                StandardStreams.printLine(
                    interpreter.verdict(on: given.exchange, of: given.recordBytes, attempt)
                )
            }
            return
        }
        for body in Self.bodies(of: input) {
            let exchange = InterpretCase.exchange(
                status: self.status,
                headers: self.headers.map(Self.header),
                body: body,
                failure: self.failure
            )
            StandardStreams.printLine(
                interpreter.verdict(on: exchange, of: record, self.circumstances.attempt)
            )
        }
    }

    private func recordBytes() throws -> [UInt8]? {
        guard let record else { return nil }
        if record.drop(while: \.isWhitespace).first == "{" { return Array(record.utf8) }
        guard let data = FileManager.default.contents(atPath: record) else {
            throw ValidationError("--record: \(record) cannot be read")
        }
        return Array(data)
    }

    private static func bodies(of input: [UInt8]) -> [[UInt8]] {
        let lines = StandardStreams.lines(of: input)
        let isOneValue =
            (try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)) != nil
        return lines.count <= 1 ? [lines.first ?? []] : isOneValue ? [input] : lines
    }

    private static func header(_ text: String) -> HTTPHeader {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        return HTTPHeader(String(parts.first ?? ""), value)
    }

    private static func complaint(_ problem: String) -> String {
        var line = JSONLine()
        line.add("error", problem)
        return line.text
    }
}

/// One case on one line.
private struct InterpretCase: Decodable {
    var record: JSONValue
    var status: Int?
    var headers: [String: String]?
    var body: JSONValue?
    var failure: String?
    var attempt: Int?

    var recordBytes: [UInt8] { self.record.bytes }

    var exchange: Exchange {
        Self.exchange(
            status: self.status ?? 200,
            headers: (self.headers ?? [:]).sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) },
            body: self.body?.bytes ?? [],
            failure: self.failure
        )
    }

    static func exchange(status: Int, headers: [HTTPHeader], body: [UInt8], failure: String?) -> Exchange {
        guard let failure else {
            return .response(HTTPResponse(status: status, headers: headers, body: body))
        }
        let kind = TransferError.Kind(rawValue: failure) ?? .other
        let isEarly = [.resolve, .connect, .tls].contains(kind)
        return .failure(TransferError(kind: kind, mayHaveBeenSent: !isEarly, message: failure))
    }
}

/// Plays one exchange through a handler.
private struct Interpreter<P: WorkerProgram> {
    let program: LoadedProgram<P>
    let reveal: Bool

    func verdict(on exchange: Exchange, of value: [UInt8], _ attempt: Attempt) -> String {
        let handler = ErasedHandler(self.program.handler)
        let record = PlainRecord.make(value, topic: self.program.settings.engine.inputTopic, attempt)
        switch handler.plan(record, attempt) {
        case .call(let call):
            return self.line(handler.interpret(exchange, call.job, attempt), record, attempt).text
        case .answer(let answer): return self.line(.answer(answer), record, attempt).text
        case .refuse(let reason, let answer): return self.line(.refuse(reason, answer), record, attempt).text
        case .reject(let rejection): return self.line(.reject(rejection), record, attempt).text
        }
    }

    private func line(_ verdict: ErasedHandler.AnyVerdict, _ record: InboundRecord, _ attempt: Attempt)
        -> VerdictLine
    {
        switch verdict {
        case .answer(let answer):
            return VerdictLine(
                verdict: "answer",
                fate: .succeeded,
                result: self.result(.succeeded, nil, answer, record, attempt)
            )
        case .refuse(let reason, let answer):
            return VerdictLine(
                verdict: "reject",
                reason: reason,
                fate: .rejected,
                result: self.result(.rejected, reason, answer, record, attempt)
            )
        case .call(let call):
            let request = self.reveal ? call.request : P.masked(call.request)
            return VerdictLine(verdict: "call", request: requestLine(request, lane: call.lane))
        case .retry(let retry):
            return VerdictLine(
                verdict: "retry",
                reason: retry.reason,
                afterMilliseconds: retry.after?.wholeMilliseconds
            )
        case .reject(let rejection):
            return VerdictLine(
                verdict: "reject",
                reason: rejection.reason,
                fate: .deadLettered,
                kind: rejection.kind
            )
        case .hold(let reason, let scope):
            return VerdictLine(verdict: "hold", reason: reason, scope: scope == .lane ? "lane" : "upstream")
        }
    }

    private func result(
        _ fate: Outcome.Fate,
        _ reason: Reason?,
        _ answer: (any Sendable)?,
        _ record: InboundRecord,
        _ attempt: Attempt
    ) -> String {
        let outcome = Outcome(
            id: "\(record.topic)/\(record.partition)/\(record.offset)",
            topic: record.topic,
            partition: record.partition,
            offset: record.offset,
            fate: fate,
            reason: reason,
            attempts: attempt.number,
            deadLetterID: nil,
            receivedAt: attempt.now,
            settledAt: attempt.now,
            worker: P.identity.name,
            workerVersion: WorkerIdentity.version
        )
        return String(
            decoding: ErasedHandler(self.program.handler).encode(outcome, answer, .json),
            as: UTF8.self
        )
    }
}
