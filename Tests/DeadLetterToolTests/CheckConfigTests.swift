import ArgumentParser
import Foundation
import Testing
import WorkerTestSupport

@testable import DeadLetterTool

struct CheckConfigTests {
    @Test(arguments: [
        "kafka: {brokers: 'broker-1:9092'}\n",
        "serve: {host: 0.0.0.0, names: [letters.example], proxy_token: 0123456789abcdef}\n",
    ])
    func takesGoodSettings(_ text: String) throws { try Self.command(text) { try $0.run() } }

    @Test(arguments: [
        "kafka: {brooklers: 'broker-1:9092'}\n",
        "serve: {port: 70000}\n",
        "serve:\n  - no section\n",
        // The pages would not be served with these.
        "serve: {host: 0.0.0.0, names: [letters.example]}\n",
        "serve: {host: 0.0.0.0, proxy_token: 0123456789abcdef}\n",
        "serve: {operators: [somebody]}\n",
        "serve: {proxy_token: short}\n",
        "serve: {tls_certificate_file: /nonexistent/cert.pem, tls_key_file: /nonexistent/key.pem}\n",
        "dead_letters: {user: '\(String(repeating: "x", count: 129))'}\n",
        // librdkafka takes each of these, and no client with both.
        "kafka: {properties: [{name: security.protocol, value: SSL}, {name: ssl.ca.location, value: /nonexistent}]}\n",
    ])
    func refusesFaultySettings(_ text: String) throws {
        try Self.command(text) { command in
            #expect(throws: ExitCode(1)) { try command.run() }
        }
    }

    @Test func saysThatThereIsNoFile() throws {
        let command = try CheckConfigCommand.parse(["/nonexistent/dead-letters.yaml"])
        #expect(throws: ExitCode(1)) { try command.run() }
    }

    private static func command(_ settings: String, _ body: (CheckConfigCommand) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(settings, to: "dead-letters.yaml")
        try body(try CheckConfigCommand.parse([file.path]))
        withExtendedLifetime(folder) {}
    }
}
