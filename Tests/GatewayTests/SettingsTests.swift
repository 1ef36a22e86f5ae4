import Operations
import Testing
import WorkerTestSupport

@testable import Gateway

/// The settings are what the documents say, and a fault is one clear line.
struct SettingsTests {
    @Test func theTableOfSettingsIsTheProgramsOwn() throws {
        let table = GatewayProgram.settingsTable.split(separator: "\n")
        #expect(try Documents.section("settings: gateway").split(separator: "\n") == table)
    }

    @Test(arguments: [
        ("trusted_proxies: [10.0.0.0/33]", "gateway.trusted_proxies: must be addresses, or networks"),
        ("routes: [uploads, downloads]", "gateway.routes: knows only uploads, push-arrivals, clicks"),
        ("report_types: [arrived, lost]", "gateway.report_types: knows only"),
        ("clicks_path: clicks?a", "gateway.clicks_path: must be a path"),
        ("body_limit: 5MB", "gateway.body_limit: must be at least 48000 bytes below kafka.message_limit"),
        ("tls_key_file: key.pem", "gateway.tls_key_file: a certificate and its key belong together"),
        ("uploads_topic: a/b", "gateway.uploads_topic: must be a topic name"),
    ])
    func aFaultIsOneClearLine(line: String, fault: String) throws {
        let error = #expect(throws: SettingsFaults.self) {
            try Stage.settings(brokers: "localhost:9092", gateway: [line])
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains(fault))
    }
}
