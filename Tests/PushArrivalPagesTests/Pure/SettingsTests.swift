import Configuration
import Logging
import Operations
import PushArrivalPages
import Testing
import WebPages

struct SettingsTests {
    private static func read(_ text: String) throws -> DashboardSettings? {
        let reader = SettingsReader(
            file: try SettingsFile(text: text, path: "w.yaml"),
            overrides: [EnvironmentVariablesProvider(environmentVariables: [:])]
        )
        let settings = DashboardSettings(reader.section("dashboard"))
        try reader.finish()
        return settings
    }

    @Test func isThereOnThisMachineUnlessItIsSwitchedOff() throws {
        let settings = try #require(try Self.read(""))
        #expect(settings.served == ServedHost("127.0.0.1") && settings.port == 9_091)
        #expect(settings.token == nil && settings.messages == 2_000)
        #expect(try Self.read("dashboard: {enabled: false, host: 0.0.0.0, port: 1}") == nil)
    }

    @Test func readsWhatItIsTold() throws {
        let settings = try #require(
            try Self.read(
                """
                dashboard:
                  host: 0.0.0.0
                  names: [stats.example.org]
                  port: 8080
                  token: 0123456789abcdef
                  messages: 50
                  history: 1000
                """
            )
        )
        #expect(settings.served.servedNames == ["stats.example.org"] && settings.port == 8_080)
        #expect(
            settings.token?.current.reveal() == "0123456789abcdef" && settings.messages == 50
                && settings.history == 1_000
        )
    }

    @Test(arguments: [
        "host: 0.0.0.0, names: [a.example]", "host: 192.0.2.7", "host: '::'", "host: localhost",
        "host: 0.0.0.0, token: 0123456789abcdef", "token: short", "messages: 0", "port: 70000", "hots: 1",
    ])
    func refusesWhatIsNotSafeOrNotMeant(text: String) {
        #expect(throws: SettingsFaults.self) { try Self.read("dashboard: {\(text)}") }
    }

    @Test func comesAsServices() throws {
        let settings = try #require(try Self.read(""))
        let services = settings.services(
            topic: "t",
            kafkaProperties: [:],
            registry: PrometheusRegistry(),
            logger: Logger(label: "test")
        )
        #expect(services.count == 2)
    }
}
