import Foundation
import Harness
package import Terminal

/// `flotilla-lab try` from the first line of output to the exit code.
package final class TryRun {
    /// The time limit up to the result.
    private static let longest = Duration.seconds(120)

    private let plan: TryPlan
    private let keeps: Bool
    private let wish: StopWish

    /// - Parameter keeps: whether everything is left running after the result, until the user stops it.
    package init(_ plan: TryPlan, keeps: Bool, _ wish: StopWish) {
        self.plan = plan
        self.keeps = keeps
        self.wish = wish
    }

    /// Carries out the plan, and stops and removes everything that it has made.
    ///
    /// - Returns: the exit code: 0 if the result came, 1 if not, 130 if the user stopped it before.
    package func run() -> Int32 {
        Harness.show("flotilla-lab try", self.wish) { harness in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let processes = try TryProcesses(self.plan, in: folder, on: harness)
            // No child process may survive, whatever happens.
            defer { processes.stop() }
            harness.end(by: .now + Self.longest)
            try self.carryOut(on: processes)
            let isSeen = try self.hasResults(on: processes)
            harness.end(by: nil)
            if isSeen, self.keeps { try processes.stay() }
            processes.close()
            return isSeen ? 0 : 1
        }
    }

    /// Starts everything, and publishes the records.
    private func carryOut(on processes: TryProcesses) throws {
        try processes.open()
        try processes.startBroker()
        if let upstream = self.plan.upstream { try processes.startUpstream(upstream) }
        try processes.startWorker()
        processes.title("Publish \(self.plan.records.count == 1 ? "a record" : "records").")
        try processes.carryOut(self.plan.publishScript)
    }

    /// Waits for the results and shows them.
    ///
    /// - Returns: whether there is one of each record, and each has succeeded.
    private func hasResults(on processes: TryProcesses) throws -> Bool {
        processes.title("Wait for what became of \(self.plan.records.count == 1 ? "it" : "them").")
        let fates = try processes.carryOut(self.plan.resultScript).compactMap(Self.fate)
        let isFine = fates.count == self.plan.records.count && fates.allSatisfy { $0 == "succeeded" }
        if let further = self.plan.further, let script = self.plan.furtherScript {
            processes.title("Read \(further.holds).")
            try processes.carryOut(script)
        }
        processes.tell(
            isFine
                ? "It works: \(fates.joined(separator: ", "))."
                : "This is not as it should be: \(fates.joined(separator: ", ")).",
            isFine ? .green : .red
        )
        return isFine
    }

    /// The fate of an outcome, in a line of `fleet read`; nil if the line is none.
    static func fate(in line: String) -> String? {
        struct Line: Decodable {
            struct Value: Decodable { var outcome: Outcome }
            struct Outcome: Decodable { var fate: String }
            var value: Value
        }
        return (try? JSONDecoder().decode(Line.self, from: Data(line.utf8)))?.value.outcome.fate
    }
}
