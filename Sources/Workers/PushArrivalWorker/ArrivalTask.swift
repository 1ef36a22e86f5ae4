import Kafka
import PushStatistics
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of one input partition: it counts the events of the devices that are at home there, each event
/// once.
///
/// Every device has a home partition, which follows from its id. Only this partition remembers which events
/// of the device were counted, so the task sends events of other devices on to their homes.
final class ArrivalTask: StreamTask {
    private let partition: Int32
    private let settings: PushArrivalSettings
    private let metrics: PushMetrics
    private let ledger: ArrivalLedger
    private let results: ResultWriter
    private var batch: ForwardBatch?

    init(
        _ partition: Int32,
        _ settings: PushArrivalSettings,
        cluster: StreamCluster,
        metrics: PushMetrics
    ) {
        self.partition = partition
        self.settings = settings
        self.metrics = metrics
        self.spread = settings.spread(in: cluster.partitionCounts)
        self.spreadOfParts = settings.spreadOfParts(in: cluster.partitionCounts)
        self.ledger = ArrivalLedger(
            source: partition,
            rules: settings.rules,
            pace: settings.pace.ofParts,
            seed: .random(in: .min ... .max)
        )
        self.results = ResultWriter(settings, cluster, metrics: metrics)
        self.batch = settings.forwardBatch.map {
            ForwardBatch(
                topic: settings.topics.forward,
                limit: $0,
                bytesLimit: min(settings.kafka.messageBytesLimit, RecordPayload.bytesLimit)
            )
        }
    }

    deinit { self.metrics.forget(self.partition) }

    private static let tooManyMessages = Reason(
        "message_id.too_many",
        "The app has more new messages that a single device tells of than push.new_messages allows, or memory is "
            + "short, and neither a sent nor five devices tell of this one: in no statistics."
    )

    /// The spread of the devices over the partitions of the changelog. If the input topic gets more partitions,
    /// devices keep their homes.
    private let spread: StateSpread
    private var homes: Int32 { self.spread.homes }
    private let spreadOfParts: StateSpread

    /// Whether this partition can be the home of devices. A partition beyond those of the changelog remembers
    /// nothing, so it must not count anything either.
    private var isHome: Bool { self.partition < self.homes }

    // MARK: - State

    var memory: StreamMemory {
        self.isHome
            ? .changelog(TopicPartition(topic: self.settings.topics.changelog, partition: self.partition))
            : .none
    }

    func restore(_ record: InboundRecord, at now: Moment) {
        guard let change = record.value.flatMap({ CohortSnapshot($0) }) else { return }
        self.ledger.restore(change)
    }

    func restored(at now: Moment) { self.ledger.restored(now: now.wall) }

    var nextDue: Int64? { self.ledger.nextDue }

    var byteCount: Int { self.ledger.byteCount }

    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {
        self.batch?.flush(to: output)
        self.ledger.collect(now: now.wall, progress: progress) { change in
            for piece in change.pieces(ofDevices: self.settings.devicesPerRecord) {
                output.send(
                    OutboundRecord(
                        topic: self.settings.topics.changelog,
                        key: change.key.recordKey,
                        value: piece.encoded(),
                        headers: [self.spread.recordHeader],
                        partition: self.partition
                    )
                )
            }
        } part: { part in
            let key = part.key.recordKey
            output.send(
                OutboundRecord(
                    topic: self.settings.topics.parts,
                    // The key contains partition and term, so that compaction keeps the last part of each
                    // term of each partition.
                    key: key + Array("#\(part.source)#\(part.term)".utf8),
                    value: part.encoded(),
                    headers: [self.spreadOfParts.recordHeader],
                    // The partition follows from the message alone, so that one task gets all parts of a
                    // message.
                    partition: Partitioner.murmur2.partition(of: key, among: self.spreadOfParts.homes)
                )
            )
        }
        self.metrics.held(
            devices: self.ledger.deviceCount,
            messages: self.ledger.cohortCount,
            by: self.partition
        )
    }

    // MARK: - Events

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.ledger.isCrowded = output.isCrowded
        let origin = EventOrigin(of: record)
        do throws(PushEvent.Fault) {
            var event = try PushEvent(decoding: record, now: now.wall, paths: self.settings.paths)
            event.appBundle = self.settings.apps.app(of: event.appBundle)
            guard !self.sendHome(event, record, from: origin, to: output) else { return }
            self.count(event, record, from: origin, at: now, to: output)
        } catch {
            switch error {
            case .record(let fault):
                self.metrics.counted("dead_lettered")
                self.results.bury(record, origin, as: fault.kind, because: fault.reason, at: now, to: output)
            case .refused(let reason, var header):
                let isCountedElsewhere = reason.code == PushEvent.missingDevice && !self.isHome
                if isCountedElsewhere, self.passOn(record, origin, to: output) { return }
                header.appBundle = self.settings.apps.app(of: header.appBundle)
                if reason.code == PushEvent.missingDevice, self.isHome {
                    self.ledger.count(withoutDevice: header, now: now.wall)
                }
                self.metrics.counted("rejected")
                self.results.reject(record, origin, because: reason, header: header, at: now, to: output)
            }
        }
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.counted("dead_lettered")
        self.results.bury(
            record,
            EventOrigin(of: record),
            as: .rejected,
            because: .crashLoop,
            at: now,
            to: output
        )
    }

    /// Sends an event to the home partition of its device, because only there a repeated event is recognised.
    ///
    /// - Returns: false if the event is to be counted here: this is its home, or it was sent on too often.
    private func sendHome(
        _ event: PushEvent,
        _ record: borrowing InboundRecord,
        from origin: EventOrigin,
        to output: StreamOutput
    ) -> Bool {
        let home = self.settings.partitioner.partition(of: event.deviceID.utf8.span, among: self.homes)
        guard home != self.partition, origin.hops < EventOrigin.hopsLimit || !self.isHome else {
            return false
        }
        var moved = OutboundRecord(
            topic: self.settings.topics.input,
            key: record.key,
            value: event.encoded(),
            headers: origin.headers(afterHopOf: record),
            partition: home,
            timestamp: record.timestamp
        )
        moved.omitKey(beyond: self.settings.kafka.messageBytesLimit)
        output.send(moved)
        self.metrics.sentHome()
        return true
    }

    /// Sends on an event without a device from a partition that remembers nothing. Any partition with a
    /// changelog may count such an event.
    ///
    /// - Returns: false, and nothing is sent, if the record would be too large with the header that names its
    ///   origin.
    private func passOn(
        _ record: borrowing InboundRecord,
        _ origin: EventOrigin,
        to output: StreamOutput
    ) -> Bool {
        var copy = OutboundRecord(
            topic: self.settings.topics.input,
            key: record.key,
            value: record.value,
            headers: origin.headers(afterCopyOf: record),
            partition: self.partition % self.homes,
            timestamp: record.timestamp
        )
        copy.omitKey(beyond: self.settings.kafka.messageBytesLimit)
        guard copy.encodedBytesBound <= self.settings.kafka.messageBytesLimit else { return false }
        output.send(copy)
        self.metrics.sentHome()
        return true
    }

    /// Counts an event at its home, and publishes its result.
    private func count(
        _ event: PushEvent,
        _ record: borrowing InboundRecord,
        from origin: EventOrigin,
        at now: Moment,
        to output: StreamOutput
    ) {
        let judgement = self.ledger.count(event, now: now.wall)
        guard !judgement.isBeyondLimit else {
            self.metrics.counted("beyond_limit")
            return self.results.reject(
                record,
                origin,
                because: Self.tooManyMessages,
                header: PushEventHeader(of: event),
                at: now,
                to: output
            )
        }
        self.metrics.counted(judgement.standing)
        self.results.settle(record, origin, event: event, judgement: judgement, at: now, to: output)
        if judgement.standing == .accepted, event.kind == .arrived {
            self.batch?.add(event, PushTime(of: event, sentMS: judgement.sent), to: output)
        }
    }
}
