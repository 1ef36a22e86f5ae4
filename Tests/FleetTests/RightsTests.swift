import ActivationIntake
import Operations
import ServiceKit
import Testing
import WorkerKit
import WorkerTestSupport

@testable import Fleet

/// The tables of rights in the documents are the workers' own. `SecurityTests` runs workers with them.
struct RightsTests {
    private static func reader(_ more: String = "") throws -> SettingsReader {
        let text = "kafka:\n  brokers: b:1\n\(more)"
        return SettingsReader(file: try SettingsFile(text: text, path: "w.yaml"), overrides: [])
    }

    private static func rights(of worker: WorkerIdentity) throws -> [NeededRight] {
        switch worker.name {
        case Roster.pushArrival.name: return PushPreflight(try self.reader(), worker).rights
        case Roster.intake.name:
            return IntakePreflight(IntakeSettings(try self.reader("duplicates:\n  window: 1d\n"))).rights
        case Roster.gateway.name: return GatewayTopics(try self.reader()).rights
        default:
            let settings = WorkerSettings(try self.reader("worker:\n  delivery: exactly-once\n"), worker)
            var check = PreflightCommand.check(settings, worker)
            check.parkedPartitions = 1
            return settings.rights(check)
        }
    }

    @Test(arguments: Roster.programs)
    func theTableOfRightsIsTheWorkersOwn(worker: WorkerIdentity) throws {
        let table = try Documents.section("rights: \(worker.name)")
        #expect(String(table) == NeededRight.markdown(try Self.rights(of: worker)))
    }

    @Test func atLeastOnceNeedsNoTransactions() throws {
        let settings = WorkerSettings(try Self.reader(), Roster.receipt)
        let rights = settings.rights(PreflightCommand.check(settings, Roster.receipt)).filter {
            !$0.isOptional
        }
        #expect(
            rights.map(\.description) == [
                "READ on the group 'receipt-worker'", "READ on the topic 'receipt'",
                "WRITE on the topic 'receipt.result'", "WRITE on the topic 'receipt.dead-letter'",
            ]
        )
    }
}
