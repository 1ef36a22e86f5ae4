package import Operations
import ServiceLifecycle

extension Health {
    /// Runs a body that a graceful shutdown, or the end of its task, asks to stop. From the shutdown on the
    /// process is draining.
    ///
    /// - Parameter requestStop: Asks the body to stop. Any thread may call it, and more than once.
    /// - Throws: The error of the body.
    package func drainingAtShutdown(
        _ requestStop: @escaping @Sendable () -> Void,
        _ body: () async throws -> Void
    ) async throws {
        try await withGracefulShutdownHandler {
            try await withTaskCancellationHandler {
                try await body()
            } onCancel: {
                requestStop()
            }
        } onGracefulShutdown: {
            self.become(.draining)
            requestStop()
        }
    }
}
