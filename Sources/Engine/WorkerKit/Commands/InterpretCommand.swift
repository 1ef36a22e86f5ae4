package import ArgumentParser
import Foundation
import Records
import ServiceKit
import UpstreamHTTP
import WireFormats

/// The command `interpret`, which shows the worker's verdict on an upstream's answer without an upstream.
package struct InterpretCommand<P: WorkerProgram>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "interpret",
            abstract: "Print the verdict on an upstream's answer, one line for each case.",
            discussion: """
                With --record and --status, standard input is the answer's body: one body if it is one line or one \
                JSON value, otherwise one body for each line. Without --record, each line of standard input is a \
                case: {"record":{…},"status":200,"headers":{"Retry-After":"5"},"body":"…","attempt":1}; "failure" \
                (timeout, connect, cut, …) stands in for a status where there was no answer. Where a worker asks \
                several hosts, a case can stand further on: "host":"sandbox" says who answers, \
                "visited":["production"] who was asked before, "refused":["production"] which of them took no \
                token, and "renewed":true that the token has been made anew since.
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

    /// Prints a verdict for each case, one on a line.
    package func run() throws {
        let program = try loaded(P.self, self.file)
        let interpreter = Interpreter<P>(program: program, reveal: self.reveal)
        guard let record = try self.recordBytes() else {
            var lines = InputLines()
            while let line = try lines.next() {
                StandardStreams.printLine(self.verdict(onCase: line, interpreter))
            }
            return
        }
        for body in Self.bodies(of: try StandardStreams.input()) {
            let exchange = try InterpretCase.exchange(
                status: self.status,
                headers: self.headers.map(Self.header),
                body: body,
                failure: self.failure
            )
            StandardStreams.printLine(
                try interpreter.verdict(on: exchange, of: record, self.circumstances.attempt)
            )
        }
    }

    /// Refuses impossible options before anything is read.
    package func validate() throws {
        _ = try InterpretCase.exchange(
            status: self.status,
            headers: self.headers.map(Self.header),
            body: [],
            failure: self.failure
        )
    }

    private func verdict(onCase line: [UInt8], _ interpreter: Interpreter<P>) -> String {
        do {
            let given = try InterpretCase(line)
            let attempt = Attempt(
                number: max(1, given.attempt ?? self.circumstances.attempt.number),
                now: self.circumstances.attempt.now,
                isTrial: true
            )
            return try interpreter.verdict(
                on: try given.exchange,
                of: given.record,
                attempt,
                at: given.place
            )
        } catch let error as ValidationError {
            return Self.complaint(error.message)
        } catch {
            return Self.complaint("the line is not a case")
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

    private static func header(_ text: String) throws -> HTTPHeader {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw ValidationError("a header is given as Name:value")
        }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return HTTPHeader(String(text[..<colon]), value)
    }

    private static func complaint(_ problem: String) -> String {
        var line = JSONLine()
        line.add("error", problem)
        return line.text
    }
}
