import Operations

/// The time for which one worker has taken in and finished nothing although it has unsettled records.
struct Standstill {
    /// The longest time for which a worker may stand still and be ready. It is the default of `worker.stall_limit`,
    /// 30 s, and the time of three looks at a busy machine.
    static let bound = Duration.seconds(45)

    /// The state of a worker at one moment.
    struct Look: Hashable {
        /// The number of the worker's process.
        var life: Int
        /// The number of records that the process has taken in, and of those that it has finished in any way.
        var progress: Int
        /// The number of records of its partitions that are not settled.
        var backlog: Int
        /// Whether the worker says that it takes work.
        var isReady: Bool
    }

    private var last: (look: Look, since: ContinuousClock.Instant)?
    private var isTold = false

    /// Takes a look at the worker into account.
    ///
    /// - Returns: the length of the standstill if it is beyond the bound and the worker is silent about it; nil
    ///   otherwise, and after the first time.
    mutating func noted(_ look: Look, at now: ContinuousClock.Instant) -> Duration? {
        guard let last = self.last, last.look.life == look.life, last.look.progress == look.progress,
            look.backlog > 0
        else {
            self.last = (look, now)
            self.isTold = false
            return nil
        }
        let length = last.since.duration(to: now)
        guard length > Self.bound, look.isReady, !self.isTold else { return nil }
        self.isTold = true
        return length
    }
}

extension Standstill.Look {
    /// Reads a worker's page of metrics.
    init(_ page: MetricsPage, life: Int) {
        self.init(
            life: life,
            progress: page.sum("messaging_client_consumed_messages_total") + page.sum("worker_records_total")
                + page.sum("worker_parking_tickets_total") + page.sum("worker_stream_records_total"),
            backlog: page.sum("worker_backlog_records"),
            isReady: page.sum("worker_ready") > 0
        )
    }
}
