import EmbeddedBroker
import Foundation
import Kafka
import Records
import Testing
import WireFormats

@testable import DeadLetters

/// Many letters that one script mends, from the look at each record to the replay.
@Suite(.timeLimit(.minutes(10))) struct MendingTests {
    private static func letter(_ number: Int64, value: String, _ id: String) -> OutboundRecord {
        Letters.record(
            number,
            partition: Int32(number % Int64(ClusterUnderTest.partitions)),
            clusterID: id,
            reason: "field.wrong_type",
            value: Array(value.utf8)
        )
    }

    private static func payment(_ value: String) -> String {
        EditingTests.valid.replacing("MOBILEAPP_ACTIVITE", with: "MOBILEAPP_COST")
            .replacing("}", with: ",\"value\":\(value)}")
    }

    private static func options(_ script: PayloadScript) -> ReplayOptions {
        var options = ReplayOptions()
        options.edit = .script(script)
        options.because = "a price in yuan"
        options.selection = script.words
        return options
    }

    @Test func manyLettersAreMendedTogetherAndTheOthersAreLeft() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            var values = (0..<300).map { Self.payment("\($0).25") }
            values += ["{}", EditingTests.valid, "no message", Self.payment("0.001"), Self.payment("null")]
            try cluster.publish(
                values.enumerated().map { Self.letter(Int64($0), value: $1, id) }
            )
            let desk = try cluster.desk()
            try desk.refresh()
            let script = try PayloadScript("multiply value by 100")
            let options = Self.options(script)
            let plan = try desk.plan(LetterFilter(), options)
            #expect(plan.items.count == 305)

            let look = try desk.mended(plan, by: script, samples: 3)
            #expect(look.plan.items.count == 300)
            #expect(look.plan.refusalCounts == [.unchanged: 2, .notMended: 3])
            #expect(look.samples.count == 3)
            #expect(look.samples.allSatisfy { $0.differences.count == 1 })
            #expect(look.samples.contains { $0.differences.first?.line() == "value: 0.25 → 25" })
            #expect(look.faults.values.reduce(0, +) == 3)
            #expect(look.faults.keys.contains { $0.sentence == #""value" has to be a whole number."# })
            #expect(try cluster.contents(of: "orders").isEmpty, "a look changes nothing")

            // A plan that was not looked at comes to the same end.
            let report = try desk.replay(plan, options, as: .edit)
            #expect(report.done == 300 && report.left == 0)
            #expect(report.skipped == [.unchanged: 2, .notMended: 3])
            let sent = try cluster.contents(of: "orders")
            #expect(Set(sent.map { String(decoding: $0.value ?? [], as: UTF8.self) }).count == 300)
            for record in sent {
                let number = try #require(record.key.map { String(decoding: $0.dropFirst(4), as: UTF8.self) })
                let value = String(decoding: record.value ?? [], as: UTF8.self)
                #expect(value == Self.payment("\(number == "0" ? "" : number)25"))
                #expect(record.header("dlq.edited")?.count == 64)
            }
            try desk.refresh()
            #expect(try desk.plan(LetterFilter(), options).items.count == 5, "each letter goes once")
            let audit = try desk.audit(limit: 10)
            #expect(audit.map(\.action) == [.edit, .edit] && audit[0].counts["not_mended"] == 3)
            #expect(audit.allSatisfy { $0.selection == "multiply value" })
        }
    }

    @Test func aLookThatIsStoppedPlansNothingMore() async throws {
        try await ClusterUnderTest.with { cluster in
            let id = try cluster.clusterID()
            try cluster.publish((0..<3).map { Self.letter($0, value: Self.payment("1"), id) })
            let desk = try cluster.desk()
            try desk.refresh()
            let script = try PayloadScript("delete value")
            let plan = try desk.plan(LetterFilter(), Self.options(script))
            #expect(try desk.mended(plan, by: script, samples: 1) { true }.plan.items.isEmpty)
        }
    }
}
