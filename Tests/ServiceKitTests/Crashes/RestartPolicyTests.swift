import Glibc
import Terminal
import Testing

@testable import ServiceKit

struct RestartPolicyTests {
    private typealias Step = RestartPolicy.Step

    /// An end with an exit code is the worker's own decision, also a bad one.
    @Test(arguments: [0, 1, 64, 130, 255])
    func passesEveryExitCodeOn(code: Int32) {
        for isStopping in [false, true] {
            var policy = RestartPolicy(limit: 3)
            #expect(
                policy.ended(.code(code), after: .seconds(5), isStopping: isStopping) == .exit(code: code)
            )
        }
    }

    @Test(arguments: [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGKILL])
    func everySignalIsACrash(signal: Int32) {
        var policy = RestartPolicy(limit: 3)
        let step = policy.ended(.signal(signal), after: .zero, isStopping: false)
        #expect(step == .restart(after: .seconds(1), left: 2))
    }

    @Test func aWorkerThatIsToStopIsNotStartedAgain() {
        for signal in [SIGTERM, SIGINT, SIGSEGV, SIGKILL] {
            var policy = RestartPolicy(limit: 3)
            let step = policy.ended(.signal(signal), after: .zero, isStopping: true)
            #expect(step == .exit(code: 128 + signal))
        }
    }

    @Test func waitsLongerAfterEveryCrashAndEndsAsTheWorkerDid() {
        var policy = RestartPolicy(limit: 6)
        let steps = (0..<7).map { _ in policy.ended(.signal(SIGILL), after: .seconds(599), isStopping: false)
        }
        let pauses = [1, 2, 4, 8, 10, 10]
        let restarts = pauses.enumerated().map { Step.restart(after: .seconds($1), left: 5 - $0) }
        #expect(steps == restarts + [.exit(code: 128 + SIGILL)])
    }

    @Test func aLongLifeIsANewBeginning() {
        var policy = RestartPolicy(limit: 1)
        for _ in 0..<5 {
            let step = policy.ended(.signal(SIGSEGV), after: .seconds(600), isStopping: false)
            #expect(step == .restart(after: .seconds(1), left: 0))
        }
        let last = policy.ended(.signal(SIGSEGV), after: .seconds(599), isStopping: false)
        #expect(last == .exit(code: 128 + SIGSEGV))
    }

    @Test func withoutRestartsACrashIsTheEnd() {
        var policy = RestartPolicy(limit: 0)
        #expect(
            policy.ended(.signal(SIGKILL), after: .seconds(600), isStopping: false)
                == .exit(code: 128 + SIGKILL)
        )
    }
}
