import EventThread
import Kafka
import Logging
import Operations
import Records
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Publishes records for any thread, and tells it once the cluster has acknowledged them.
///
/// One thread owns the producer. While the cluster does not take the records of a topic, all but a few of them
/// are refused at once, so that requests do not pile up behind an outage. Trouble with one topic leaves the
/// others alone.
final class RecordPublisher: Service {
    /// The reason why records were not published, or may not have been.
    enum Refusal: Error, Hashable, Sendable {
        /// The cluster takes no records of the topic at present, or did not acknowledge these in time. They may
        /// have been written all the same.
        case unavailable
        /// A record is larger than the cluster takes.
        case tooLarge
    }

    private struct Inbox {
        var topics: [String: TopicStanding]
        var parcels: [Parcel] = []
        var isClosed = false
    }

    /// The wait between two looks at the cluster while it does not have all topics.
    private static let checkInterval = Duration.seconds(1)
    /// The wait while it has all of them and does not take all of their records, which no look ends; and while it is slow
    /// to answer, but takes records of some topic.
    private static let slowCheckInterval = Duration.seconds(30)
    /// The longest wait for an answer of the cluster about its topics, while it takes records of some of them.
    private static let answerLimit = Duration.seconds(1)
    /// The longest wait while it takes none.
    private static let idleAnswerLimit = Duration.seconds(3)

    private let properties: [String: String]
    private let topics: [String]
    private let brokers: String
    private let health: Health
    private let logger: Logger
    private let stop = StopRequest()
    private let inbox: Mutex<Inbox>

    init(_ settings: GatewaySettings, health: Health, logger: Logger) {
        self.properties = settings.producerProperties
        self.topics = Set(settings.topics.values).sorted()
        self.brokers = settings.brokers
        self.health = health
        self.logger = logger
        let standings = self.topics.map { ($0, TopicStanding()) }
        self.inbox = Mutex(Inbox(topics: Dictionary(uniqueKeysWithValues: standings)))
    }

    /// Whether a request for the topic would be accepted now.
    func isAccepting(_ topic: String) -> Bool {
        self.inbox.withLock { !$0.isClosed && $0.topics[topic]?.hasRoom == true }
    }

    /// Whether the cluster takes records of the topic, as far as is known.
    func isOpen(_ topic: String) -> Bool { self.inbox.withLock { $0.topics[topic]?.isOpen == true } }

    /// Publishes records of one topic.
    ///
    /// - Parameters:
    ///   - records: one record or more.
    ///   - whenDone: is called once, on this thread or on the publisher's: with nil when the cluster has acknowledged
    ///     all records, or with the reason if any of them was not acknowledged; others may have been. It must not
    ///     block.
    func publish(_ records: [OutboundRecord], whenDone: @escaping @Sendable (Refusal?) -> Void) {
        guard let topic = records.first?.topic else { return whenDone(nil) }
        let isAccepted = self.inbox.withLock { inbox in
            guard !inbox.isClosed, let isProbe = inbox.topics[topic]?.accept() else { return false }
            let parcel = Parcel(
                topic: topic,
                records: records,
                acceptedAt: Moment.now.monotonic,
                isProbe: isProbe,
                whenDone: whenDone
            )
            inbox.parcels.append(parcel)
            return true
        }
        guard isAccepted else { return whenDone(.unavailable) }
        self.stop.bell.ring()
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
            self.inbox.withLock { $0.isClosed = true }
            for parcel in self.takeParcels() { parcel.whenDone(.unavailable) }
            courier.giveUp()
        }
        var wait = Wait(on: [self.stop.bell.descriptor, courier.descriptor])
        var nextCheck = Int64.min
        while true {
            self.stop.bell.answer()
            self.health.beat()
            for parcel in self.takeParcels() { courier.send(parcel) }
            // A client that has its answer can send the next request before the answers are noted here.
            let now = Moment.now.monotonic
            self.note(try courier.serve { self.logger.pass(on: $0) }, at: now)
            if self.stop.isRequested, courier.isEmpty, self.closeIfEmpty() { return }
            let isOpen = self.inbox.withLock { $0.topics.values.allSatisfy(\.isOpen) }
            if !isOpen, !self.stop.isRequested, Moment.now.monotonic >= nextCheck {
                nextCheck = Moment.now.after(self.check(courier))
                continue
            }
            if !isOpen { for topic in self.topics { self.change(topic) { $0.forgetOldFailure(at: now) } } }
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
            inbox.isClosed = true
            return true
        }
    }

    /// Notes the fates of parcels that are done.
    private func note(_ results: [String: Courier.Result], at now: Int64) {
        for (topic, result) in results {
            self.change(topic) { standing in
                standing.probesEnded(result.probes)
                if result.isAcknowledged { standing.acknowledged(at: now) }
                if let failure = result.failure {
                    standing.failed(
                        "the cluster does not acknowledge records of '\(topic)': \(failure.words)",
                        acceptedAt: failure.acceptedAt,
                        at: now
                    )
                }
            }
        }
    }

    /// Asks the cluster for its topics. A topic that is there can be tried; a failure of its records stays. If the
    /// cluster does not answer, a topic whose records it has acknowledged of late stays as it is, and no other one is
    /// taken for well.
    ///
    /// - Returns: the time until it should be asked again.
    private func check(_ courier: Courier) -> Duration {
        let isTaking = self.inbox.withLock { $0.topics.values.contains(where: \.isOpen) }
        do throws(KafkaError) {
            let limit = isTaking ? Self.answerLimit : Self.idleAnswerLimit
            let absences = try courier.absences(of: self.topics, atMost: limit)
            for topic in self.topics {
                self.change(topic) { standing in
                    if let absence = absences[topic] { standing.missed(absence) } else { standing.found() }
                }
            }
            return absences.isEmpty ? Self.slowCheckInterval : Self.checkInterval
        } catch {
            let problem = "kafka.brokers: no answer from \(self.brokers): \(error.message)."
            let now = Moment.now.monotonic
            for topic in self.topics { self.change(topic) { $0.unheard(problem, at: now) } }
            return isTaking ? Self.slowCheckInterval : Self.checkInterval
        }
    }

    /// Changes the standing of a topic, and tells of it if it opened or closed.
    private func change(_ topic: String, _ change: (inout TopicStanding) -> Void) {
        let (before, after, readiness) = self.inbox.withLock { inbox in
            let before = inbox.topics[topic]?.problem
            change(&inbox.topics[topic, default: TopicStanding()])
            let standings = inbox.topics.values
            // One topic in trouble must not take the others' requests away. A topic that is there but closed needs
            // requests too: only they can find out that its trouble is over.
            let absences = standings.compactMap(\.absence)
            let readiness: Health.Readiness =
                absences.count < standings.count ? .ready : .notReady(reason: absences.min() ?? "")
            return (before, inbox.topics[topic]?.problem, readiness)
        }
        self.health.become(readiness)
        guard before != after else { return }
        if let after {
            self.logger.warning("refusing requests: \(after)")
        } else {
            self.logger.notice("accepting requests", metadata: ["topic": "\(topic)"])
        }
    }
}
