import DeadLetters
import ServiceLifecycle

/// Refreshes the index at a fixed interval until the service stops.
struct IndexRefresher: Sendable {
    let desk: DeskThread
    let watch: IndexWatch
    let settings: PagesSettings
    let metrics: PagesMetrics?
    let now: @Sendable () -> Int64

    /// Refreshes and pauses in turn, until its task is cancelled.
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

    /// Refreshes the index and the retention figures once, and tells the watch how that ended.
    private func refresh() async {
        self.metrics?.refreshing()
        let (watch, soon, metrics) = (self.watch, self.settings.retentionWarning, self.metrics)
        do {
            let retention = try await self.desk.perform { desk in
                try desk.refresh {
                    // The first look at many letters takes long.
                    metrics?.refreshing()
                    watch.came(to: $0)
                }
                return try desk.retention(soon: soon)
            }
            watch.refreshed(at: self.now(), retention)
            self.metrics?.show(retention)
        } catch {
            // The next refresh tries again. Until then every page shows the error.
            watch.failed(because: ErrorWords.text(error))
        }
    }
}
