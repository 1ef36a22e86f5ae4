import EventThread
import Kafka
import Logging
import Operations
import Records
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Publishes records for any task, and returns to the task once the cluster has acknowledged them.
///
/// One thread owns the producer. While the cluster does not take records, all but a few of them are refused at
/// once, so that requests do not pile up behind an outage.
final class RecordPublisher: Service {
    /// The reason why records were not published, or may not have been.
    enum Refusal: Error, Hashable, Sendable {
        /// The cluster takes no records at present, or did not acknowledge these in time. They may have been
        /// written all the same.
        case unavailable
        /// A record is larger than the cluster takes.
        case tooLarge
    }

    /// Whether records are accepted.
    private enum Standing {
        /// The cluster has not answered yet, or has not all topics.
        case starting
        case open
        /// The last record was not acknowledged. A few are let through to find out when that is over.
        case failing
        /// The publisher has ended.
        case closed
    }

    private struct Inbox {
        var standing = Standing.starting
        var parcels: [Parcel] = []
        /// The parcels that were accepted and not answered.
        var parcelsInHand = 0
    }

    /// The most requests whose records are in hand. More connections than this make no sense with one thread.
    private static let parcelsLimit = 50_000
    /// The most requests in hand while the cluster takes no records.
    private static let probesLimit = 8
    /// The wait between two looks at the cluster while it takes no records.
    private static let checkInterval = Duration.seconds(1)

    private let properties: [String: String]
    private let topics: [String]
    private let brokers: String
    private let health: Health
    private let logger: Logger
    private let stop = StopRequest()
    private let inbox = Mutex(Inbox())

    init(_ settings: GatewaySettings, health: Health, logger: Logger) {
        self.properties = settings.producerProperties
        self.topics = settings.topics.values.sorted()
        self.brokers = settings.brokers
        self.health = health
        self.logger = logger
    }

    /// Whether a request would be accepted now.
    var isAccepting: Bool { self.inbox.withLock { self.hasRoom($0) } }

    private func hasRoom(_ inbox: Inbox) -> Bool {
        switch inbox.standing {
        case .open: inbox.parcelsInHand < Self.parcelsLimit
        case .failing: inbox.parcelsInHand < Self.probesLimit
        case .starting, .closed: false
        }
    }

    /// Publishes records, and returns when the cluster has acknowledged all of them.
    ///
    /// - Parameter records: one record or more.
    /// - Throws: `Refusal` if any of them was not acknowledged; others may have been.
    func publish(_ records: [OutboundRecord]) async throws(Refusal) {
        let refusal = await withCheckedContinuation { continuation in
            let isAccepted = self.inbox.withLock { inbox in
                guard self.hasRoom(inbox) else { return false }
                inbox.parcels.append(Parcel(records: records, continuation: continuation))
                inbox.parcelsInHand += 1
                return true
            }
            guard isAccepted else { return continuation.resume(returning: Refusal?.some(.unavailable)) }
            self.stop.bell.ring()
        }
        if let refusal { throw refusal }
    }

    /// Publishes until the service group shuts down and every accepted record is reported.
    ///
    /// - Throws: The error of librdkafka that has ended the producer.
    func run() async throws {
        try await self.health.drainingAtShutdown({ self.stop.request() }) {
            try await EventThread.run { try self.serve() }
        }
    }

    // MARK: - On the thread

    private func serve() throws {
        let courier = Courier(try Producer(self.properties))
        defer {
            self.inbox.withLock { $0.standing = .closed }
            for parcel in self.takeParcels() { parcel.continuation.resume(returning: .unavailable) }
            courier.giveUp()
        }
        var wait = Wait(on: [self.stop.bell.descriptor, courier.descriptor])
        var nextCheck = Int64.min
        while true {
            self.stop.bell.answer()
            self.health.beat()
            for parcel in self.takeParcels() { courier.send(parcel) }
            let results = try courier.serve { self.logger.pass(on: $0) }
            self.note(results)
            if self.stop.isRequested, courier.isEmpty, self.closeIfEmpty() { return }
            let isOpen = self.inbox.withLock { $0.standing == .open }
            if !isOpen, !self.stop.isRequested, Moment.now.monotonic >= nextCheck {
                self.check(courier)
                nextCheck = Moment.now.after(Self.checkInterval)
                continue
            }
            wait(atMost: isOpen ? .seconds(1) : .milliseconds(200))
        }
    }

    private func takeParcels() -> [Parcel] {
        self.inbox.withLock { inbox in
            let parcels = inbox.parcels
            inbox.parcels = []
            return parcels
        }
    }

    /// Accepts nothing more if nothing is waiting.
    private func closeIfEmpty() -> Bool {
        self.inbox.withLock { inbox in
            guard inbox.parcels.isEmpty else { return false }
            inbox.standing = .closed
            return true
        }
    }

    /// Notes the fates of parcels that are done.
    private func note(_ results: Courier.Results) {
        guard results.count > 0 else { return }
        let before = self.inbox.withLock { inbox in
            defer {
                inbox.parcelsInHand -= results.count
                if let hasSucceeded = results.lastSucceeded {
                    inbox.standing = hasSucceeded ? .open : .failing
                }
            }
            return inbox.standing
        }
        switch (before, results.lastSucceeded) {
        case (.open, false?):
            let problem = "the cluster does not acknowledge records: \(results.problem)"
            self.health.become(.notReady(reason: problem))
            self.logger.warning("\(problem)")
        case (.failing, true?): self.isReady("the cluster takes records again")
        default: break
        }
    }

    private func isReady(_ message: String) {
        self.health.become(.ready)
        self.logger.notice("\(message)")
    }

    /// Asks the cluster for its topics, and accepts records if all of ours are there.
    private func check(_ courier: Courier) {
        let problem = courier.problem(with: self.topics, at: self.brokers)
        let before = self.inbox.withLock { inbox in
            defer { if problem == nil { inbox.standing = .open } }
            return inbox.standing
        }
        if let problem {
            guard self.health.readiness != .notReady(reason: problem), before == .starting else { return }
            self.health.become(.notReady(reason: problem))
            self.logger.warning("waiting: \(problem)")
        } else {
            self.isReady("accepting requests")
        }
    }
}
