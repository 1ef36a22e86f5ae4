import FlotillaRecords
import Foundation
import Testing

/// The programs of the shells, run as an operator runs them.
struct ProgramTests {
    /// Runs a program that was built beside these tests, and returns its exit code and what it printed.
    private static func run(
        _ program: String,
        _ arguments: [String],
        settings: String,
        input: [String] = []
    ) throws -> (code: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shells-\(UUID())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, lines) = (folder.appending(path: "worker.yaml"), folder.appending(path: "input"))
        try Data(settings.utf8).write(to: file)
        try Data(input.map { $0 + "\n" }.joined().utf8).write(to: lines)
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(
            path: program
        )
        process.arguments = arguments + ["--config", file.path()]
        process.standardInput = try FileHandle(forReadingFrom: lines)
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private static let warehouse = """
        kafka: {brokers: "127.0.0.1:1"}
        warehouse: {url: "https://warehouse.example", token: secret-token}
        """

    private static let activation = """
        kafka: {brokers: "127.0.0.1:1"}
        gdt:
          apps: [{app_id: 5, advertiser_id: 10000, sign_key: test_sign_key, encrypt_key: test_encrypt_key}]
        shell: {upload_key: abc, closed_app: 5}
        """

    @Test func plansWithoutShowingTheToken() throws {
        let input = [#"{"appId":"112233"}"#, "{}"]
        let (code, output) = try Self.run("WarehouseWorker", ["plan"], settings: Self.warehouse, input: input)
        let lines = output.split(separator: "\n")
        #expect(code == 0)
        #expect(lines.first?.contains(#""lane":"app-112233""#) == true)
        #expect(!output.contains("secret-token"))
        #expect(lines.last?.contains(#""reason":"app_id.missing""#) == true)
    }

    @Test func interpretsAnAnswer() throws {
        let line = #"{"record":{"appId":"112233"},"status":201,"body":"row 17"}"#
        let (code, output) = try Self.run(
            "WarehouseWorker",
            ["interpret"],
            settings: Self.warehouse,
            input: [line]
        )
        #expect(code == 0)
        #expect(output.contains(#""outcome":"succeeded""#))
        #expect(output.contains(#""answer":{"row":"17"}"#))
    }

    @Test(arguments: [("WarehouseWorker", Self.warehouse), ("HouseActivationWorker", Self.activation)])
    func checksItsSettings(program: String, settings: String) throws {
        #expect(try Self.run(program, ["check-config"], settings: settings).code == 0)
        let (code, output) = try Self.run(program, ["check-config"], settings: settings + "\nmistake: 1\n")
        #expect(code == 1)
        #expect(output.contains("mistake"))
    }

    /// The intake of a shell reads the shell's section too: the key of its encryption stands there.
    @Test func theIntakeReadsTheSettingsOfItsShell() throws {
        let settings = """
            kafka: {brokers: "127.0.0.1:1"}
            sdk: {events_topic: sdk-events}
            shell: {upload_key: abc}
            """
        let arguments = ["intake", "check-config"]
        #expect(try Self.run("HouseActivationWorker", arguments, settings: settings).code == 0)
        let without = settings.replacing("upload_key: abc", with: "closed_app: 5")
        let (code, output) = try Self.run("HouseActivationWorker", arguments, settings: without)
        #expect(code == 1)
        #expect(output.contains("shell.upload_key"))
    }

    @Test func preflightSaysThatNoClusterAnswers() throws {
        let arguments = ["preflight", "--wait", "1"]
        let (code, output) = try Self.run("WarehouseWorker", arguments, settings: Self.warehouse)
        #expect(code == 1)
        #expect(output.contains("no answer from 127.0.0.1:1"))
    }

    @Test func theActivationWorkerHasItsOtherParts() throws {
        let event = #"[{"eventType":"ACTIVATE","deviceId":"d","dataSourceId":"s","timestamp":1700000000000}]"#
        let key = Array("abc".utf8)
        let body = Data(event.utf8.enumerated().map { $1 &+ key[$0 % 3] }).base64EncodedString()
        let upload =
            #"{"target":"/v3/projects/p/collect?stm=1","headers":{"X-Crypt-Codec":"7"},"body_base64":"\#(body)"}"#
        let closed = """
            {"appId":"5","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE",\
            "deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A"}
            """
        let (code, output) = try Self.run(
            "HouseActivationWorker",
            ["plan"],
            settings: Self.activation,
            input: [upload, closed]
        )
        let lines = output.split(separator: "\n")
        #expect(code == 0)
        #expect(lines.first?.contains(#""kind":"activation""#) == true)
        #expect(lines.last?.contains(#""reason":"app_closed""#) == true)
    }
}
