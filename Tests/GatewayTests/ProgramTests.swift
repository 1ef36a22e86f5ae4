import EmbeddedBroker
import EventThread
import Foundation
import Glibc
import Operations
import Testing
import WorkerTestSupport

/// The real executable, with a broker, and with a certificate of its own.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramTests {
    private struct Failure: Error { var output: String }

    private static func run(_ command: String, _ arguments: [String]) throws -> String {
        let output = Pipe()
        let process = try TestProcess(
            command,
            arguments,
            output: .pipe(output),
            error: .pipe(output)
        )
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.wait() == 0 else { throw Failure(output: text) }
        return text
    }

    private static func certificate(
        in folder: TemporaryFolder,
        days: Int = 2
    ) throws -> (certificate: String, key: String) {
        let (certificate, key) = (folder.file("cert.pem").path, folder.file("key.pem").path)
        _ = try self.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", String(days), "-subj",
                "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
            ]
        )
        return (certificate, key)
    }

    /// curl blocks its thread, and the server needs those of the tasks.
    private static func fetch(
        _ url: String,
        trusting authority: String,
        _ options: [String] = []
    ) async throws -> String {
        try await EventThread.run {
            try Self.run(
                "curl",
                ["--silent", "--show-error", "--max-time", "20", "--cacert", authority] + options + [url]
            )
        }
    }

    @Test func servesOverTLS() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = try Self.certificate(in: folder)
        let files = ["tls_certificate_file: \(certificate)", "tls_key_file: \(key)"]
        try await Stage.run(gateway: files) { stage async throws in
            let line = stage.registry.exposition().split(separator: "\n")
                .first { $0.hasPrefix("gateway_certificate_expires_timestamp_seconds ") }
            let expires = try #require(line?.split(separator: " ").last.flatMap { Double($0) })
            #expect(abs(expires - Date().timeIntervalSince1970 - 2 * 86_400) < 3_600)
            let url = "https://localhost:\(stage.port)/clicks/gdt?muid=1"
            let body = try await Self.fetch(url, trusting: certificate)
            #expect(body == #"{"ret":0,"msg":"ok"}"#)
            let long = String(repeating: "x", count: 10_000)
            let status = try await Self.fetch(
                url,
                trusting: certificate,
                ["--header", "X: \(long)", "--write-out", "%{http_code}"]
            )
            #expect(status == "431")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func takesUpANewCertificateWithoutARestart() async throws {
        let (folder, renewed) = (try TemporaryFolder(), try TemporaryFolder())
        let (certificate, key) = try Self.certificate(in: folder)
        let next = try Self.certificate(in: renewed, days: 30)
        let files = ["tls_certificate_file: \(certificate)", "tls_key_file: \(key)"]
        try await Stage.run(gateway: files) { stage async throws in
            let url = "https://localhost:\(stage.port)/clicks/gdt?muid=1"
            await #expect(throws: Failure.self) { try await Self.fetch(url, trusting: next.certificate) }
            for (new, old) in [(next.certificate, certificate), (next.key, key)] {
                try Data(contentsOf: URL(fileURLWithPath: new)).write(to: URL(fileURLWithPath: old))
            }
            try await stage.waits {
                stage.registry.exposition().split(separator: "\n")
                    .first { $0.hasPrefix("gateway_certificate_expires_timestamp_seconds ") }
                    .flatMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                    .map { $0 > Date().timeIntervalSince1970 + 20 * 86_400 } == true
            }
            #expect(try await Self.fetch(url, trusting: next.certificate) == #"{"ret":0,"msg":"ok"}"#)
        }
        withExtendedLifetime((folder, renewed)) {}
    }

    /// SIGTERM ends the process with 0, and every answer of 200 is a record.
    @Test func endsInGoodOrder() async throws {
        let broker = try await EmbeddedBroker.start()
        for topic in Stage.topics { try await broker.createTopic(topic, partitions: 2) }
        let folder = try TemporaryFolder()
        let settings = """
            kafka:
              brokers: \(broker.address)
            health:
              host: 127.0.0.1
              port: 0
            gateway:
              host: 127.0.0.1
              port: 0

            """
        let file = try folder.write(settings, to: "gateway.yaml")
        let log = try folder.write([], to: "log")
        let process = try WorkerCommand.process(
            "gateway",
            ["--config", file.path],
            error: .file(try FileHandle(forWritingTo: log))
        )
        let port = try await Self.portOnceReady(log)
        let http = PlainHTTP(port: port)
        let answer = try await http.request("GET", "/clicks/gdt?muid=1", headers: ["Host": "a"])
        #expect(answer.status == 200)
        process.send(SIGTERM)
        let status = try await EventThread.run { process.wait() }
        #expect(status == 0)
        await broker.stop()
        withExtendedLifetime(folder) {}
    }

    /// The port of the requests, once the log says that they are accepted.
    private static func portOnceReady(_ log: URL) async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let text = try String(contentsOf: log, encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.contains("\"listening\"") }
            let port = line?.firstMatch(of: #/"port":"?(\d+)/#).flatMap { Int($0.1) }
            if let port, text.contains("accepting requests") { return port }
            guard ContinuousClock.now < deadline else { throw Failure(output: text) }
            await Task.yield()
        }
    }
}
