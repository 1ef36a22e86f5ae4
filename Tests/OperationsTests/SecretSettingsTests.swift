import Configuration
import Foundation
import Operations
import Testing
import WorkerTestSupport

/// Secrets come inline, from a file, or from the environment, and never come out again by accident.
struct SecretSettingsTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
        let path = self.folder.path + "/" + name
        #expect(
            FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes)
        )
        try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
    }

    func reader(environment: [String: String] = [:]) throws -> SettingsReader {
        SettingsReader(
            file: try SettingsFile(path: self.folder.path + "/w.yaml"),
            overrides: [EnvironmentVariablesProvider(environmentVariables: environment)]
        )
    }

    @Test func aFileBesideTheSettingsHoldsIt() throws {
        try self.write("w.yaml", "sign_key_file: key.txt\n")
        try self.write("key.txt", " hunter2 \n")
        let reader = try self.reader()
        #expect(reader.secret("sign_key", help: "").reveal() == " hunter2 ")
        #expect(try reader.finish() == [])
    }

    @Test func theEnvironmentComesFirstWithBothForms() throws {
        try self.write("w.yaml", "sign_key: inline\n")
        try self.write("other", "from file\r\n")
        #expect(try self.reader().secret("sign_key", help: "").reveal() == "inline")
        let named = try self.reader(environment: ["FLOTILLA_SIGN_KEY_FILE": self.folder.path + "/other"])
        #expect(named.secret("sign_key", help: "").reveal() == "from file")
        #expect(
            try self.reader(environment: ["FLOTILLA_SIGN_KEY": "e"]).secret("sign_key", help: "").reveal()
                == "e"
        )
    }

    @Test func aSecretThatEverybodyCanReadIsAWarning() throws {
        try self.write("w.yaml", "a: hunter2\nb_file: open\n", mode: 0o644)
        try self.write("open", "hunter3", mode: 0o604)
        let reader = try self.reader()
        #expect(reader.secret("a", help: "").reveal() == "hunter2")
        #expect(reader.secret("b", help: "").reveal() == "hunter3")
        let path = self.folder.path + "/w.yaml"
        let end = "a file that every user of this machine can read: chmod 600"
        #expect(
            try reader.finish().map(\.description) == [
                "\(path):1:4: warning: a: is a secret in \(end) \(path)",
                "\(path):2:9: warning: b_file: names \(end) \(self.folder.path)/open",
            ]
        )
    }

    @Test(arguments: [
        ("", "names an empty file"), ("\n", "names an empty file"),
        (String(repeating: "x", count: 65_537), "names a file that cannot be read: larger than 64 KiB"),
    ])
    func aFileThatHoldsNoSecretIsAFault(text: String, problem: String) throws {
        try self.write("w.yaml", "sign_key_file: key.txt\n")
        try self.write("key.txt", text)
        let reader = try self.reader()
        _ = reader.secret("sign_key", help: "")
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect(faults?.description == "\(self.folder.path)/w.yaml:1:16: sign_key_file: \(problem)")
    }

    @Test func aMissingSecretSaysAllItsPlaces() throws {
        let reader = SettingsReader(file: try SettingsFile(text: "gdt: {}", path: "w.yaml"), overrides: [])
        _ = reader.secret("gdt.sign_key", help: "")
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect(
            faults?.description == """
                w.yaml:1:6: gdt.sign_key: is required: set it, or gdt.sign_key_file, FLOTILLA_GDT_SIGN_KEY or FLOTILLA_GDT_SIGN_KEY_FILE
                """
        )
    }

    @Test func aSecretShowsItselfToNobody() {
        struct Holder { let secret = Secret("hunter2") }
        let secret = Secret("hunter2")
        var shown = "\(secret) \(String(reflecting: secret)) \(Holder()) \(secret.debugDescription)"
        shown += String(describing: [secret]) + String(describing: Optional(secret))
        dump(Holder(), to: &shown)
        dump(secret, to: &shown)
        shown += Mirror(reflecting: secret).children.map { "\($0)" }.joined()
        #expect(!shown.contains("hunter2"))
        // The first bytes of the secret, as a dump of an array shows them one below the other or in one line.
        #expect(!shown.contains(/104\D+117/))
        #expect(secret == Secret("hunter2") && secret != Secret("hunter3"))
    }

    @Test func faultsNeverShowAValue() throws {
        let text = """
            kafka: {brokers: hunter2}
            worker: {slots: hunter2, ordering: hunter2, drain: hunter2, buffer: hunter2, dry_run: hunter2}
            gdt: {url: hunter2, apps: hunter2, sign_key: [hunter2], sign_key_file: hunter2}
            """
        let faults = try SettingsReaderTests.faults(text)
        #expect(faults.count == 9)
        #expect(!faults.joined().contains("hunter2"))
        #expect(!SettingsFileTests.faults(of: "sign_key: \"hunter2\n").contains("hunter2"))
    }
}
