import Terminal
import Testing

@testable import Harness
@testable import Rehearsal
@testable import Trials

struct WorkerSlotTests {
    private static let fatal = "activation-worker: out of order (librdkafka 45)"

    @Test func aWorkerThatNamesItsClientHasGivenUp() {
        #expect(
            WorkerSlot.end(of: "activation-worker", with: .code(1), ["{}", Self.fatal])
                == .gaveUp(lastWords: Self.fatal)
        )
    }

    @Test func aWorkerOfAnotherKindSaysSoUnderItsOwnName() {
        let words = ["receipt-worker: out of order (librdkafka 45)"]
        #expect(WorkerSlot.end(of: "receipt-worker", with: .code(1), words) == .gaveUp(lastWords: words[0]))
        #expect(
            WorkerSlot.end(of: "receipt-worker", with: .code(1), [Self.fatal])
                == .died(.code(1), lastWords: Self.fatal)
        )
    }

    /// Only its very last words count, and only with the exit code that goes with them.
    @Test func everyOtherEndIsAFailure() {
        let log = #"{"message":"kafka trouble","error":"Disconnected (librdkafka -195)"}"#
        let ends: [(ChildProcess.Exit, [String])] = [
            (.signal(11), [Self.fatal]), (.code(0), [Self.fatal]), (.code(1), [Self.fatal, "{}"]),
            (.code(1), [log]),
            (.code(1), []), (.code(1), ["activation-worker: kafka.brokers is not set"]),
        ]
        for (exit, words) in ends {
            guard case .died(let said, _) = WorkerSlot.end(of: "activation-worker", with: exit, words) else {
                Issue.record("\(exit) with \(words) is taken for a failure of the client")
                continue
            }
            #expect(said == exit)
        }
    }
}
