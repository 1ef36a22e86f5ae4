import NIOCore
import NIOPosix

/// Runs the tasks of a server on the event loops of its connections.
///
/// Swift's own executor has threads of its own, so that each request would go from its event loop to one of them
/// and back. Here a task that an event loop wakes goes on in that event loop. Tasks must not block, therefore:
/// they would hold up all connections of the loop.
final class EventLoopExecutor: TaskExecutor {
    private let group: any EventLoopGroup

    /// - Parameter group: takes the tasks that none of its event loops has woken.
    init(_ group: any EventLoopGroup) { self.group = group }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let loop = MultiThreadedEventLoopGroup.currentEventLoop ?? self.group.any()
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
