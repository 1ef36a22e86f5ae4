import DeadLetters
import EventThread
import Synchronization

/// A desk on a thread of its own. The thread opens the desk and is the only one to use it; other threads send
/// jobs and wait for the results.
///
/// The desk lives as long as the process. librdkafka's readers are never destroyed, so the process makes as
/// few as it can.
final class DeskThread: Sendable {
    /// The jobs that wait. A job is called with nil if there is no desk for it.
    private struct Queue {
        var jobs: [@Sendable (Desk?) -> Void] = []
        var isClosed = false
    }

    /// The queue is full: `queueLimit` jobs wait already.
    struct Busy: Error {}
    /// The desk thread takes no more jobs, because the server stops or the desk could not be opened.
    struct Closed: Error {}

    /// The number of jobs that may wait.
    private static let queueLimit = 64

    private let queue = Mutex(Queue())
    private let doorbell = Doorbell()

    /// Opens the desk and does its jobs until `close()` is called and the queue is empty.
    ///
    /// - Parameter open: makes the desk; called on the thread.
    /// - Throws: the error of `open`.
    func run(_ open: @escaping @Sendable () throws -> Desk) async throws {
        defer { self.close() }
        try await EventThread.run { [self] in
            // Every waiting caller gets an answer, also if the desk cannot be opened.
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

    /// Takes no more jobs from now on. The jobs in the queue are still done.
    func close() {
        self.queue.withLock { $0.isClosed = true }
        self.doorbell.ring()
    }

    /// Ends all waiting jobs with `Closed`.
    private func dismissAll() {
        let jobs = self.queue.withLock { queue in
            defer { queue.jobs = [] }
            queue.isClosed = true
            return queue.jobs
        }
        for job in jobs { job(nil) }
    }

    /// Does a job at the desk, after all jobs that were sent before, and returns its result.
    ///
    /// - Throws: `Busy` if the queue is full, `Closed` if the thread takes no more jobs, or the error of
    ///   `body`.
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
