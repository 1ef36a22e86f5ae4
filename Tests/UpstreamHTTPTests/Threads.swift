import Glibc

private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs blocking work on a thread of its own, which ends with it.
func detach(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(Work(run)).toOpaque()
    let code = unsafe pthread_create(
        &thread,
        nil,
        { work in
            if let work = unsafe work { unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
            return nil
        },
        work
    )
    precondition(code == 0, "pthread_create: \(code)")
    pthread_detach(thread)
}
