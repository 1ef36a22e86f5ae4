import EventThread
import Glibc
import Testing

@Suite struct EventThreadTests {
    struct Broken: Error {}

    @Test func returnsWhatTheBodyReturns() async throws {
        let caller = pthread_self()
        let ranElsewhere = try await EventThread.run {
            pthread_equal(pthread_self(), caller) == 0
        }
        #expect(ranElsewhere)
    }

    @Test func throwsWhatTheBodyThrows() async {
        await #expect(throws: Broken.self) { try await EventThread.run { throw Broken() } }
    }

    @Test(.timeLimit(.minutes(10)))
    func aRingEndsTheWaitWheneverItComes() async throws {
        let bell = Doorbell()
        // Rung while the other thread is anywhere in its loop: before, in and after the wait.
        async let answered = EventThread.run {
            var wait = Wait(on: [bell.descriptor])
            for _ in 0..<1_000 {
                wait(atMost: .seconds(60))
                bell.answer()
            }
            return true
        }
        let ringer = Task {
            while !Task.isCancelled {
                bell.ring()
                await Task.yield()
            }
        }
        #expect(try await answered)
        ringer.cancel()
        await ringer.value
    }

    @Test func ringsBeforeTheAnswerAreOne() {
        let bell = Doorbell()
        bell.ring()
        bell.ring()
        var wait = Wait(on: [bell.descriptor])
        wait(atMost: .zero)
        #expect(wait.isReadable(at: 0))
        bell.answer()
        wait(atMost: .zero)
        #expect(!wait.isReadable(at: 0))
    }

    @Test func watchesAnotherDescriptorInTheSamePlace() {
        let (silent, rung) = (Doorbell(), Doorbell())
        rung.ring()
        var wait = Wait(on: [silent.descriptor])
        wait(atMost: .zero)
        #expect(!wait.isReadable(at: 0))
        wait.watch(rung.descriptor, at: 0)
        wait(atMost: .zero)
        #expect(wait.isReadable(at: 0))
        wait.watch(-1, at: 0)
        wait(atMost: .zero)
        #expect(!wait.isReadable(at: 0))
    }

    @Test(arguments: [Duration.milliseconds(20), .microseconds(1), .zero, .seconds(-3)])
    func neverReturnsBeforeTheTimeIsUp(duration: Duration) {
        var wait = Wait(on: [])
        let clock = ContinuousClock()
        #expect(clock.measure { wait(atMost: duration) } >= duration)
    }
}
