import Foundation
import TestMaterial
import Testing
import WorkerTestSupport

/// `plan`, given the uploads of GrowingIO's SDKs, one request on each line.
@Suite(.timeLimit(.minutes(10)))
struct PlanUploadTests {
    @Test func tellsTheEventsOfEveryVectorOrWhyThereAreNone() throws {
        let rows = UploadRow.all
        #expect(rows.count == 31)
        let input = VectorFile.lines("growingio_vectors").joined(separator: "\n") + "\n"
        let command = try WorkerCommand(
            PlanCommandTests.arguments,
            settings: SettingsText(),
            input: Array(input.utf8)
        )
        #expect(command.status == 0 && command.complaints == "")
        try #require(command.objects.count == rows.count)
        for (row, line) in zip(rows, command.objects) {
            if let error = row.error {
                #expect(line["verdict"] as? String == "reject", "\(row.name)")
                #expect(line["reason"] as? String == "upload.\(error)", "\(row.name)")
                #expect(line["outcome"] as? String == "rejected", "\(row.name)")
                continue
            }
            #expect(line["verdict"] as? String == "decoded", "\(row.name)")
            let content = try #require(line["content"] as? [String: Any])
            for member in ["events", "activations"] {
                let found = try #require(content[member] as? NSArray, "\(row.name): \(member)")
                #expect(found == row.expected[member] as? NSArray, "\(row.name): \(member)")
            }
        }
    }
}
