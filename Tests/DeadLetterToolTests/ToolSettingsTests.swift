import Foundation
import Operations
import Testing
import WorkerTestSupport

@testable import DeadLetterTool

struct ToolSettingsTests {
    /// The tool keeps its promises by the same properties as the workers.
    @Test(arguments: [
        ("isolation.level", "isolation.level belongs to the tool and cannot be set"),
        ("message.timeout.ms", "message.timeout.ms belongs to the tool and cannot be set"),
        ("group.id", "group.id belongs to the tool and cannot be set"),
        ("no.such.property", "no.such.property: no such property"),
    ])
    func refusesPropertiesThatBreakAPromise(name: String, problem: String) throws {
        let text = "kafka:\n  properties:\n    - name: \(name)\n      value: '1'\n"
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "tool.yaml"), overrides: [])
        _ = ToolSettings(reader)
        let faults = #expect(throws: SettingsFaults.self) { try reader.finish() }
        #expect(faults?.faults.map(\.problem) == [problem])
    }

    /// The files of the token and of the webhook's key are read again when they change.
    @Test func knowsTheFilesOfSecretsOfThePages() throws {
        let folder = try TemporaryFolder()
        let names = ["token", "key"]
        let files = try names.map { try folder.write(Array("0123456789abcdef".utf8), to: $0).path }
        let text = """
            serve:
              proxy_token_file: \(files[0])
              webhook_url: https://x.example/
              webhook_secret_file: \(files[1])
            """
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "tool.yaml"), overrides: [])
        let serve = ToolSettings(reader).serve
        _ = try reader.finish()
        let secrets = [serve.proxyToken, serve.webhookSecret]
        #expect(secrets.compactMap { $0?.file(of: [:])?.path } == files)
        withExtendedLifetime(folder) {}
    }
}
