import Glibc

/// A thread of one's own for a loop that owns blocking C clients.
///
/// librdkafka and libcurl both tell of their events through file descriptors. One thread waits for all of them
/// at once and then serves whoever has something, so no record ever crosses a thread inside the process, and
/// nothing that the loop owns needs a lock. That is why the engine is not a set of actors: measured, a hop per
/// record costs a third of what the whole job does.
package enum EventThread {
    /// Runs a body on a new thread, and returns what it returns once the thread is done.
    ///
    /// - Parameter body: Everything that must stay on one thread is made, used and dropped inside.
    /// - Throws: what the body throws, or `EventThreadFailure`.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let status = start(Start { continuation.resume(with: .init(catching: body)) })
            if status != 0 { continuation.resume(throwing: EventThreadFailure(status: status)) }
        }
    }

    /// - Returns: 0, or the error number of the system that makes no thread; then the body is not run.
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

/// There is no thread to be had: a limit of the system or of its user.
package struct EventThreadFailure: Error, CustomStringConvertible {
    package let status: Int32

    package var description: String { "no new thread: error \(self.status) of pthread_create" }
}

/// What a new thread is given: handed over once, through one C pointer.
private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
