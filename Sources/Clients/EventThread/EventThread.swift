import Glibc

/// Runs the loop that owns blocking C clients on a thread of its own.
///
/// librdkafka and libcurl both report their events through file descriptors. One thread waits for all of them
/// at once and then serves each client that has events. No record ever crosses a thread inside the process,
/// and nothing that the loop owns needs a lock. For this reason the engine is not a set of actors: measured,
/// one hop between threads per record costs a third of the whole job.
package enum EventThread {
    /// Runs a body on a new thread, and returns the body's result when it has ended.
    ///
    /// - Parameter body: makes, uses and drops inside itself everything that must stay on one thread.
    /// - Throws: the error of the body, or `EventThreadFailure` if the system gives no thread.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let status = start(Start { continuation.resume(with: .init(catching: body)) })
            if status != 0 { continuation.resume(throwing: EventThreadFailure(status: status)) }
        }
    }

    /// Starts a detached thread that runs the body once.
    ///
    /// - Returns: 0, or the error number of `pthread_create`. After such an error the body does not run.
    private static func start(_ start: Start) -> Int32 {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(start).toOpaque()
        let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context = unsafe context else { return nil }
            unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
            return nil
        }
        let status = unsafe pthread_create(&thread, nil, entry, context)
        guard status == 0 else {
            unsafe Unmanaged<Start>.fromOpaque(context).release()
            return status
        }
        return pthread_detach(thread)
    }
}

/// The system gave no new thread, because of a limit of the system or of its user.
package struct EventThreadFailure: Error, CustomStringConvertible {
    /// The error number that `pthread_create` returned.
    package let status: Int32

    package var description: String { "no new thread: error \(self.status) of pthread_create" }
}

/// The body of a new thread. The reference is passed once through a C pointer, and the new thread releases
/// it.
private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
