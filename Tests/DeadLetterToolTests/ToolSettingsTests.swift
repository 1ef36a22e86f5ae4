import Operations
import Testing

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
}
