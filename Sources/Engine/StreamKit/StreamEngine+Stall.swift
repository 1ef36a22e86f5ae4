import Kafka
import Logging
import ServiceKit

// The engine watches whether anything is finished, and reports why if nothing is.
extension StreamEngine {
    private static var stallInterval: Duration { .seconds(1) }

    /// Looks once a second whether anything is finished, and reports when a standstill begins and when it
    /// ends.
    ///
    /// Only a committed transaction is progress: the records of a transaction that is given up are taken in
    /// again and again.
    func watchForStall() {
        guard self.now.monotonic >= self.stallLookAt else { return }
        self.stallLookAt = self.now.after(Self.stallInterval)
        self.memory.dropReports()
        self.report()
        let standstill = self.standstill
        let change = self.stall.look(
            progress: self.committedTransactions,
            hasWork: standstill != nil,
            at: self.now.monotonic
        ) { standstill ?? StallWatch.Stall(cause: "none", description: "", remedy: "") }
        switch change {
        case .began(let stall): self.show(stall)
        case .turned(let old, let stall):
            self.metrics.stalled(by: old.cause, false)
            self.show(stall)
        case .ended(let stall):
            self.metrics.stalled(by: stall.cause, false)
            self.logger.notice("the worker goes on", metadata: ["cause": "\(stall.cause)"])
        case nil: break
        }
    }

    private func show(_ stall: StallWatch.Stall) {
        self.metrics.stalled(by: stall.cause, true)
        self.logger.error(
            "the worker stands still: \(stall.description)",
            metadata: ["cause": "\(stall.cause)", "remedy": "\(stall.remedy)"]
        )
    }

    /// The reason why nothing would be finished now; nil if there is nothing to do, as far as this engine
    /// knows.
    private var standstill: StallWatch.Stall? {
        switch self.phase {
        case .working: self.hasAssignment ? self.standstillOfWork : self.standstillOfGroup
        // Partitions are given back once the open transaction is committed.
        case .draining: self.standstillOfTransaction
        case .stopping, .leaving, .left: nil
        }
    }

    private var standstillOfGroup: StallWatch.Stall {
        StallWatch.Stall.group(
            self.groupID,
            reading: self.application.topics,
            trouble: self.clientTrouble?.message
        )
    }

    /// Several causes can hold at once. They are asked for in an order in which a cause comes before those that may be
    /// its consequence.
    private var standstillOfWork: StallWatch.Stall? {
        if self.isPaused {
            return StallWatch.Stall(
                cause: "paused",
                description: Self.pause,
                remedy: "'fleet admin resume' ends the pause"
            )
        }
        if self.isFull {
            return StallWatch.Stall(
                cause: "memory",
                description: "the state takes more memory than state.memory_limit allows",
                remedy: "raise state.memory_limit, or add workers"
            )
        }
        if let offered = self.offered, self.stage == .open {
            return StallWatch.Stall(
                cause: "assignment",
                description: "\(offered.count) partitions are not taken up: \(self.lastTrouble)",
                remedy: "look with 'fleet preflight' at the topics and at the right to read them"
            )
        }
        if let stall = self.standstillOfTransaction { return stall }
        // Records that were read to the end and never committed are read again and again, as long as
        // transactions fail.
        guard self.assignments.contains(where: { !$0.isAtEnd }) else {
            return self.hasWork ? self.standstillOfFailures : nil
        }
        if self.areTransactionsFailing { return self.standstillOfFailures }
        if self.isRestoring {
            return StallWatch.Stall(
                cause: "restore",
                description: "the state is being read back",
                remedy:
                    "see whether worker_stream_restored_records_total grows; if not, look at the right to read the "
                    + "changelog, and at transactions that dead workers have left open (kafka.transaction_timeout)"
            )
        }
        return StallWatch.Stall(
            cause: "fetch",
            description:
                "nothing arrives of partitions that have not been read to their end: \(self.lastTrouble)",
            remedy: "look with 'fleet preflight' at the right to read them, and at their leaders"
        )
    }

    /// Whether one transaction after the other fails, so that their state is read back and their records are fetched
    /// again and again.
    ///
    /// One failure is no more than that, and one of long ago does not keep the worker from its work any more.
    private var areTransactionsFailing: Bool { self.failures > 1 && self.hasFailedLately }

    private var hasFailedLately: Bool {
        self.failures > 0
            && self.now.monotonic < self.failedAt.addingClamped(self.settings.stallLimit.wholeNanoseconds)
    }

    private var standstillOfFailures: StallWatch.Stall {
        StallWatch.Stall(
            cause: "transaction",
            description: "no transaction succeeds: \(self.lastTrouble)",
            remedy:
                "look with 'fleet preflight' at the rights to write, and at kafka.message_limit against "
                + "max.message.bytes of the topics"
        )
    }

    private var standstillOfTransaction: StallWatch.Stall? {
        switch self.stage {
        case .closed, .opening: self.standstillOfFailures
        // This one will probably end as the last one did. The cause must not change with each stage.
        case .closing where self.hasFailedLately, .committing where self.hasFailedLately:
            self.standstillOfFailures
        case .closing:
            StallWatch.Stall(
                cause: "produce",
                description: "the cluster does not acknowledge what was sent",
                remedy: "look at its brokers"
            )
        case .committing:
            StallWatch.Stall(
                cause: "commit",
                description: "the cluster does not answer a commit",
                remedy: "look at its brokers"
            )
        case .open: nil
        }
    }
}
