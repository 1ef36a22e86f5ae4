import DeadLetters
import EventThread
import Synchronization

/// A desk on a thread of its own, where it is made, used and left: everybody else asks, and waits for an answer.
///
/// It lives as long as the process. librdkafka's readers are never destroyed, so there are as few as can be.
final class DeskThread: Sendable {
    private struct Queue {
        var jobs: [@Sendable (Desk?) -> Void] = []
        var isClosed = false
    }

    /// There is more to do than anybody would wait for.
    struct Busy: Error {}
    /// The server stops.
    struct Closed: Error {}

    /// Of jobs that wait.
    private static let queueLimit = 64

    private let queue = Mutex(Queue())
    private let doorbell = Doorbell()

    /// Does what is asked of it until it is closed.
    ///
    /// - Parameter open: makes the desk, on the thread.
    /// - Throws: what `open` does.
    func run(_ open: @escaping @Sendable () throws -> Desk) async throws {
        defer { self.close() }
        try await EventThread.run { [self] in
            // Whoever waits is told, also when there never is a desk.
            defer { self.dismissAll() }
            let desk = try open()
            var wait = Wait(on: [self.doorbell.descriptor])
            while true {
                let (jobs, isClosed) = self.queue.withLock { queue in
                    defer { queue.jobs = [] }
                    return (queue.jobs, queue.isClosed)
                }
                for job in jobs { job(desk) }
                if isClosed { return }
                guard jobs.isEmpty else { continue }
                _ = wait(atMost: .seconds(60))
                self.doorbell.answer()
            }
        }
    }

    /// No more is taken on; what is in the queue is still done.
    func close() {
        self.queue.withLock { $0.isClosed = true }
        self.doorbell.ring()
    }

    private func dismissAll() {
        let jobs = self.queue.withLock { queue in
            defer { queue.jobs = [] }
            queue.isClosed = true
            return queue.jobs
        }
        for job in jobs { job(nil) }
    }

    /// Does something at the desk, after everything that was asked before.
    ///
    /// - Throws: `Busy`, `Closed`, or what the body does.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (Desk) throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            let refusal: (any Error)? = self.queue.withLock { queue in
                if queue.isClosed { return Closed() }
                guard queue.jobs.count < Self.queueLimit else { return Busy() }
                queue.jobs.append { desk in
                    guard let desk else { return continuation.resume(throwing: Closed()) }
                    continuation.resume(with: .init(catching: { try body(desk) }))
                }
                return nil
            }
            if let refusal { return continuation.resume(throwing: refusal) }
            self.doorbell.ring()
        }
    }
}
