import Foundation
import Testing
import WorkerTestSupport

/// `check-config`, run as a process: every fault with its place, and an exit status a script can use.
@Suite(.timeLimit(.minutes(10)))
struct CheckConfigCommandTests {
    private static func check(_ settings: SettingsText, _ options: [String] = []) throws -> WorkerCommand {
        try WorkerCommand(["check-config", "{settings}"] + options, settings: settings)
    }

    @Test func findsNoFaultInAGoodFile() throws {
        let command = try Self.check(SettingsText())
        #expect(command.status == 0 && command.complaints == "")
        #expect(command.lines.count == 1 && command.output.hasSuffix("settings.yaml: no faults\n"))
    }

    @Test func saysEveryFaultWithItsLineAndKey() throws {
        let text = """
            kafka:
              brokers: localhost
              bogus: 1
            worker:
              attempts: 1
              concurrency: many
            gdt:
              url: ftp://x
              parameter_order: muid
              maximum_age: 7
              apps:
                - app_id: 112233
                  advertiser_id: x
                  sign_key: "a b"
                  encrypt_key: "é"
                - app_id: 112233
                  advertiser_id: 1
                  sign_key: [s]
                  encrypt_key_file: no-such-file
            health:
              port: 70000

            """
        let command = try Self.check(SettingsText(text))
        #expect(command.status == 1 && command.output.isEmpty)
        let faults = command.complaints.split(separator: "\n").map(String.init)
        let expected = [
            "2:12: kafka.brokers: must be host:port", "3:3: kafka.bogus: unknown setting",
            "5:13: worker.attempts: must be a whole number",
            "6:16: worker.concurrency: must be a whole number",
            "8:8: gdt.url: must be a URL", "9:20: gdt.parameter_order: the order names at least muid",
            "10:16: gdt.maximum_age: must be", "13:22: gdt.apps[0].advertiser_id: must be a whole number",
            "14:17: gdt.apps[0].sign_key: ", "15:20: gdt.apps[0].encrypt_key: ",
            "18:17: gdt.apps[1].sign_key: must be a secret, not a list",
            "19:25: gdt.apps[1].encrypt_key_file: names a file that cannot be read",
            "21:9: health.port: must be a whole number",
        ]
        #expect(faults.count == expected.count, "\(command.complaints)")
        for (fault, start) in zip(faults, expected) { #expect(fault.hasPrefix("{settings}:\(start)")) }
    }

    /// A fault of the encrypt key was once reported for the sign key, and a missing key twice.
    @Test(arguments: [
        (
            "sign_key: s\n      encrypt_key: 'a b'",
            "7:20: gdt.apps[0].encrypt_key: holds white space or characters that are not ASCII"
        ),
        (
            "sign_key: é\n      encrypt_key: e",
            "6:17: gdt.apps[0].sign_key: holds white space or characters that are not ASCII"
        ),
        ("sign_key: s\n      encrypt_key: ''", "7:20: gdt.apps[0].encrypt_key: must not be empty"),
        (
            "encrypt_key: e",
            "4:7: gdt.apps[0].sign_key: is required: set it, or gdt.apps[0].sign_key_file, "
                + "FLOTILLA_GDT_APPS_0_SIGN_KEY or FLOTILLA_GDT_APPS_0_SIGN_KEY_FILE"
        ),
        (
            "sign_key: s\n      encrypt_key_file: /proc/version",
            "7:25: gdt.apps[0].encrypt_key_file: holds white space or characters that are not ASCII"
        ),
    ])
    func saysOnceWhichKeyIsWrong(keys: String, complaint: String) throws {
        let command = try Self.check(
            SettingsText(
                """
                kafka: {brokers: "b:9092"}
                gdt:
                  apps:
                    - app_id: 1
                      advertiser_id: 2
                      \(keys)

                """
            )
        )
        #expect(command.status == 1)
        let faults = command.complaints.split(separator: "\n").filter { !$0.contains("warning: ") }
        #expect(faults == ["{settings}:\(complaint)"])
    }

    /// With fewer attempts than that, records of an account without keys would be dead-lettered and never held.
    @Test(arguments: [
        (10, "", 0), (2, "", 0), (5, "configuration_attempts: 5", 0), (4, "configuration_attempts: 5", 1),
    ])
    func holdsComeBeforeTheLastAttempt(attempts: Int, setting: String, status: Int) throws {
        let command = try Self.check(
            SettingsText(gdt: setting.isEmpty ? [] : [setting], more: ["worker:", "  attempts: \(attempts)"])
        )
        #expect(command.status == status)
        let complaint = """
            {settings}:6:27: gdt.configuration_attempts: must not be above worker.attempts, which is 4: records would \
            be dead-lettered before their account is held

            """
        #expect(command.complaints == (status == 0 ? "" : complaint))
    }

    /// Where OpenSSL is in FIPS mode it has no MD5, and the worker once died of its first record.
    @Test(arguments: [["check-config", "{settings}"], ["run", "--config", "{settings}"]])
    func saysThatItCannotWorkWithoutMD5(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let strict = """
            openssl_conf = init
            [init]
            alg_section = algorithms
            [algorithms]
            default_properties = fips=yes

            """
        let openSSL = try folder.write(Array(strict.utf8), to: "openssl.cnf")
        let command = try WorkerCommand(
            arguments,
            settings: SettingsText(),
            environment: ["OPENSSL_CONF": openSSL.path]
        )
        #expect(command.status == 1 && command.output.isEmpty)
        #expect(
            command.complaints.hasPrefix(
                "{settings}:5:5: gdt.apps: cannot be reported on this machine: GDT asks for"
            )
        )
    }

    @Test func readsShortAnswersUnlessToldOtherwise() throws {
        let command = try Self.check(SettingsText(), ["--list"])
        let line = try #require(command.lines.first { $0.hasPrefix("| `http.response_limit`") })
        #expect(line.contains("| `64KiB` |") || line.contains("65536"), "\(line)")
    }

    @Test(arguments: [
        ("a: [", ":2:1: is not valid YAML"), ("- a\n", ": must hold settings as `name: value`"),
        ("kafka:\n  topic: a\n  topic: b\n", ":2:3: duplicate setting: topic"),
        ("", ": kafka.brokers: is required"),
        ("kafka:\n  brokers: b:1\n  result_topic: activation\n", "activation"),
    ])
    func refusesAFileThatIsNone(text: String, complaint: String) throws {
        let command = try Self.check(SettingsText(text))
        #expect(command.status == 1)
        #expect(command.complaints.contains(complaint), "\(command.complaints)")
    }

    @Test func namesAFileThatIsNotThere() throws {
        let command = try WorkerCommand(["check-config", "no-such-file.yaml"])
        #expect(command.status == 1)
        #expect(command.complaints == "no-such-file.yaml: cannot be read: no such file\n")
    }

    @Test func neverShowsAValue() throws {
        let app = SettingsText.App(signKey: "swordfish with space", encryptKey: "hunter2 with space")
        let command = try Self.check(SettingsText(apps: [app]))
        #expect(command.status == 1)
        #expect(!command.complaints.contains("swordfish") && !command.complaints.contains("hunter2"))
    }

    @Test func listsEverySetting() throws {
        let command = try Self.check(SettingsText(), ["--list"])
        #expect(command.status == 0)
        for key in [
            "kafka.brokers", "worker.attempts", "gdt.configuration_attempts", "gdt.apps[].sign_key",
            "http.response_limit", "log.level",
        ] { #expect(command.lines.contains { $0.hasPrefix("| `\(key)` |") }, "\(key)") }
        #expect(!command.output.contains("test_sign_key"))
    }

    @Test func theEnvironmentStandsBeforeTheFile() throws {
        let command = try WorkerCommand(
            ["check-config", "{settings}"],
            settings: SettingsText(),
            environment: ["FLOTILLA_WORKER_ATTEMPTS": "0"]
        )
        #expect(command.status == 1)
        #expect(command.complaints == "FLOTILLA_WORKER_ATTEMPTS: must be a whole number from 2 to 1000\n")
    }
}
