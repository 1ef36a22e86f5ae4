import Fleet
import ServiceKit
import Testing

@testable import Rehearsal

/// The samples of `fleet try`.
struct TryPlanTests {
    @Test func everyWorkerOfTheFleetHasAPlan() throws {
        for worker in Roster.workers {
            let plan = try #require(TryPlan(worker), "\(worker.name)")
            #expect(plan.worker.name == worker.name)
            #expect(plan.publishScript.contains("fleet publish \(worker.topic) "))
            #expect(plan.resultScript.contains("fleet read \(worker.topic).result "))
            #expect(plan.resultScript.hasSuffix("--count \(plan.records.count)"))
        }
        #expect(TryPlan(Roster.intake) == nil)
    }

    /// A fate that is not looked at would make a success of anything.
    @Test func aFateIsReadFromALineOfFleetRead() {
        let line = #"{"topic":"t.result","value":{"outcome":{"id":"t/0/0","fate":"rejected"},"more":1}}"#
        #expect(TryRun.fate(in: line) == "rejected")
        #expect(TryRun.fate(in: "1 record published to t") == nil)
        #expect(TryRun.fate(in: #"{"value":{"fate":"succeeded"}}"#) == nil)
    }

    @Test func aFolderOfAnyNameIsOneWordOfTheShell() {
        #expect(TryProcesses.quoted("/tmp/it's $HOME") == #"'/tmp/it'\''s $HOME'"#)
    }
}
