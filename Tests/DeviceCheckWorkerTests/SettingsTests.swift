import Cryptography
import Foundation
import Logging
import Operations
import ServiceKit
import ServiceLifecycle
import Testing
import UpstreamHTTP
import WireFormats
import WorkerKit
import WorkerTestSupport

@testable import DeviceCheckWorker

/// The settings that the program reads reach the engine, the client and the handler.
@Suite struct SettingsTests {
    static func load(_ settings: SettingsText, _ folder: TemporaryFolder) throws -> LoadedProgram<
        DeviceCheckProgram
    > {
        let file = try folder.write(Array(settings.text.utf8), to: "settings.yaml")
        return try LoadedProgram<DeviceCheckProgram>(path: file.path)
    }

    @Test func hurriesAndSpeaksHTTP2() throws {
        let program = try Self.load(SettingsText(), try TemporaryFolder())
        #expect(program.settings.http.httpVersion == .http2)
        #expect(program.settings.http.keptHeaders.contains("x-apple-request-uuid"))
        #expect(program.settings.engine.ordering == .key)
        #expect(program.settings.engine.backoff.base == .milliseconds(200))
        #expect(program.settings.engine.backoff.longest == .seconds(2))
        #expect(program.settings.engine.deadline == .seconds(300))
        #expect(program.settings.kafka.producerProperties()["linger.ms"] == "0")
        #expect(program.handler.settings.tokenLifetime == .seconds(1_800))
        #expect(program.handler.settings.teams.map(\.id) == ["TEAMID1234"])
        #expect(program.handler.settings.teams.first?.keyFile == nil)
    }

    @Test(arguments: [
        (SettingsText(teams: []), "devicecheck.teams: must be a list of at least 1"),
        (SettingsText(teams: ["TEAMID1234", "TEAMID1234"]), "TEAMID1234 is listed twice"),
        (SettingsText(teams: ["TEAM"]), "team_id: must be 10 letters and digits"),
        (SettingsText(key: ["key: nonsense"]), "is no key for DeviceCheck: it is not one PEM block"),
        (SettingsText(key: ["key_file: none.p8"]), "names a file that cannot be read: no such file"),
        (SettingsText(key: []), "key: is required"),
        (SettingsText(devicecheck: ["production_url: http://api.example"]), "production_url: must be https"),
        (
            SettingsText(devicecheck: ["production_url: http://127.0.0.1.evil"]),
            "production_url: must be https"
        ),
        (SettingsText(devicecheck: ["development_url: ftp://x"]), "development_url"),
        (SettingsText(devicecheck: ["token_age_limit: 10m"]), "longest_wait: must not be below"),
        (SettingsText(devicecheck: ["attempts: 11"]), "attempts: must not be above worker.attempts"),
    ])
    func saysWhatIsWrong(settings: SettingsText, fault: String) throws {
        let folder = try TemporaryFolder()
        do {
            _ = try Self.load(settings, folder)
            Issue.record("no fault")
        } catch {
            #expect("\(error)".contains(fault), "\(error)")
            #expect(!"\(error)".contains("nonsense"))
        }
    }

    @Test(arguments: [
        "https://proxy.example/x", "http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:8080/d",
    ])
    func takesHTTPOnThisMachineOnly(url: String) throws {
        let program = try Self.load(
            SettingsText(devicecheck: ["production_url: '\(url)'"]),
            try TemporaryFolder()
        )
        #expect(program.handler.settings.hosts[.production]?.text == url)
    }

    /// Two updates of one subject at once would undo each other's bit.
    @Test(arguments: [("none", 1), ("partition", 0), ("key", 0)] as [(String, Int32)])
    func refusesToWorkWithoutOrder(ordering: String, status: Int32) throws {
        let command = try WorkerCommand(
            ["check-config", "{settings}"],
            settings: SettingsText(),
            environment: ["FLOTILLA_WORKER_ORDERING": ordering]
        )
        #expect(command.status == status, "\(command.complaints)")
        #expect(
            status == 0 || command.complaints.contains("FLOTILLA_WORKER_ORDERING: must be key or partition")
        )
    }

    @Test func takesAKeyFromTheEnvironmentWithItsLineEndsWrittenOut() throws {
        let key = Case.key.replacing("\n", with: #"\n"#)
        for text in [key, Case.key] {
            let command = try WorkerCommand(
                ["check-config", "{settings}"],
                settings: SettingsText(key: []),
                environment: ["FLOTILLA_DEVICECHECK_TEAMS_0_KEY": text]
            )
            #expect(command.status == 0, "\(command.complaints)")
        }
    }

    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let table = try Documents.section("settings: devicecheck-worker").split(separator: "\n")
        let lines = SettingsTable<DeviceCheckProgram>.markdown.split(separator: "\n")
        #expect(table == lines.prefix(2) + lines.filter { $0.hasPrefix("| `devicecheck.") })
    }

    // MARK: a key that changes

    @Test func aChangedKeyFileIsPickedUp() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Array("\(Case.key)\n".utf8), to: "key.p8")
        let program = try Self.load(SettingsText(key: ["key_file: key.p8"]), folder)
        let keyFile = try #require(program.handler.settings.teams.first?.keyFile)
        #expect(keyFile.path == file.path)
        let handler = program.handler
        var tokens = handler.emptyMemory.tokens
        func token() -> ProviderTokens.Token? {
            handler.keys.key(of: Case.team).flatMap {
                tokens.token(of: Case.team, with: $0, now: Case.receivedAt)
            }
        }
        let before = try #require(token())
        let (messages, log) = AsyncStream.makeStream(of: String.self)
        let logger = Logger(label: "test") { _ in StreamedLog(log) }
        let watch = SecretFileWatch(
            program.handler.watchedFiles,
            logger,
            interval: .milliseconds(5)
        )
        let running = Task { try await watch.run() }
        var told = messages.makeAsyncIterator()
        // A file that holds no key, and a missing file, change nothing; the log says so once.
        try Data("nonsense".utf8).write(to: file)
        #expect(
            await told.next()
                == "secret file cannot be used; the secret before it stays it is not one PEM block"
        )
        try FileManager.default.removeItem(at: file)
        #expect(await told.next() == "secret file cannot be used; the secret before it stays no such file")
        #expect(token() == before)
        try Data(Case.otherKey.utf8).write(to: file, options: .atomic)
        #expect(await told.next() == "secret file changed ")
        #expect(token() != before)
        running.cancel()
        try await running.value
    }
}

/// The id of a key, which changes with the key.
extension SettingsTests {
    @Test func aChangedKeyIDFileIsPickedUp() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(Array(Case.key.utf8), to: "key.p8")
        let file = try folder.write(Array("DCTESTKEY1\n".utf8), to: "id")
        let text = SettingsText(key: ["key_file: key.p8", "key_id_file: id"]).text
            .replacing("      key_id: DCTESTKEY1\n", with: "")
        let handler = try Self.load(SettingsText(text), folder).handler
        let watched = try #require(handler.watchedFiles.first { $0.path == file.path })
        var tokens = handler.emptyMemory.tokens
        func keyID() throws -> String? {
            let key = try #require(handler.keys.key(of: Case.team))
            let made = tokens.token(of: Case.team, with: key, now: Case.receivedAt)
            let token = try #require(made)
            var header = String(token.text.prefix { $0 != "." })
            header += String(repeating: "=", count: (4 - header.count % 4) % 4)
            let data = try #require(Data(base64Encoded: header))
            return try (JSONSerialization.jsonObject(with: data) as? [String: Any])?["kid"] as? String
        }
        #expect(try keyID() == "DCTESTKEY1")
        try watched.use(Secret("DCTESTKEY2"))
        #expect(try keyID() == "DCTESTKEY2")
        #expect(throws: AppleID.Fault.self) { try watched.use(Secret("no id")) }
        #expect(try keyID() == "DCTESTKEY2")
    }
}
