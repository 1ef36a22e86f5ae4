import DeadLetters
import ServiceLifecycle

/// Brings the index up to date every so often, until the service stops.
struct IndexRefresher: Sendable {
    let desk: DeskThread
    let watch: IndexWatch
    let settings: PagesSettings
    let now: @Sendable () -> Int64

    func run() async throws {
        while !Task.isCancelled {
            await self.refresh()
            do {
                try await Task.sleep(for: self.settings.refreshInterval)
            } catch is CancellationError {
                return
            }
        }
    }

    private func refresh() async {
        let (watch, soon) = (self.watch, self.settings.retentionWarning)
        do {
            let retention = try await self.desk.perform { desk in
                try desk.refresh { watch.came(to: $0) }
                return try desk.retention(soon: soon)
            }
            watch.refreshed(at: self.now(), retention)
        } catch {
            // It is tried again, and every page says so meanwhile.
            watch.failed(because: "\(error)")
        }
    }
}
