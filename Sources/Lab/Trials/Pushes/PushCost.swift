import Foundation
import Harness
import PushStatistics
import Records
import ServiceKit
import WireFormats

/// Measures the cost of counting an event and the memory that is kept for it, in one process, on one thread
/// and without Kafka.
package struct PushCost {
    /// The measurements for one number of pairs.
    package struct Line {
        package var pairs: Int
        package var nanosecondsPerEvent: Double
        package var nanosecondsOfCounting: Double
        package var bytesPerPair: Double
        package var restoreSeconds: Double
        package var changelogBytesPerPair: Double
    }

    /// The number of different messages.
    package var messages = 100
    /// The number of events that are measured after the pairs are in memory. Half of them are new pairs.
    package var sample = 400_000

    package init() {}

    /// Measures with this number of (message, device) pairs in memory.
    package func measure(pairs: Int) -> Line {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let events = MadeUpEvents(messages: self.messages, sent: now - 200_000)
        let ledger = Self.ledger()
        var changelog: [[UInt8]] = []
        for index in 0..<pairs {
            _ = ledger.count(events.event(index), now: now)
            if index % 50_000 == 49_999 { Self.collect(ledger, now, into: &changelog) }
        }
        Self.collect(ledger, now, into: &changelog)
        let bytes = Double(ledger.byteCount) / Double(max(1, pairs))
        let (all, counting) = self.time(ledger, events, pairs: pairs, now: now)
        return Line(
            pairs: pairs,
            nanosecondsPerEvent: all,
            nanosecondsOfCounting: counting,
            bytesPerPair: bytes,
            restoreSeconds: Self.restore(changelog, now),
            changelogBytesPerPair: Double(changelog.reduce(0) { $0 + $1.count }) / Double(max(1, pairs))
        )
    }

    private static func ledger() -> ArrivalLedger {
        ArrivalLedger(source: 0, rules: CohortRules(), pace: EmissionPace(), seed: .random(in: .min ... .max))
    }

    private static func collect(_ ledger: ArrivalLedger, _ now: Int64, into changelog: inout [[UInt8]]) {
        ledger.collect(now: now, progress: now) {
            changelog.append($0.encoded())
        } part: { _ in
        }
    }

    /// The nanoseconds for an event from its bytes to the bytes of its result, and the part of them for
    /// counting.
    private func time(
        _ ledger: ArrivalLedger,
        _ events: MadeUpEvents,
        pairs: Int,
        now: Int64
    ) -> (all: Double, counting: Double) {
        var random = SplitMix64(seed: 1)
        let values = (0..<self.sample).map { number in
            let isNew = number % 2 == 0
            let index = isNew ? pairs + number : Int(random.next() % UInt64(pairs))
            return events.event(index).encoded()
        }
        var written = 0
        var counting: Duration = .zero
        let clock = ContinuousClock()
        let all = clock.measure {
            for (offset, value) in values.enumerated() {
                let record = InboundRecord(
                    topic: "push-arrival",
                    partition: 0,
                    offset: Int64(offset),
                    timestamp: now,
                    value: value,
                    headers: []
                )
                guard let event = try? PushEvent(decoding: record, now: now) else { continue }
                let start = clock.now
                let judgement = ledger.count(event, now: now)
                counting += clock.now - start
                written += Self.result(record, event, judged: judgement, now: now).count
            }
        }
        precondition(written > 0, "nothing was counted")
        let count = Double(self.sample)
        return (all / .nanoseconds(1) / count, counting / .nanoseconds(1) / count)
    }

    private static func result(
        _ record: InboundRecord,
        _ event: PushEvent,
        judged judgement: Judgement,
        now: Int64
    ) -> [UInt8] {
        let outcome = Outcome(
            topic: record.topic,
            partition: 0,
            offset: record.offset,
            fate: .succeeded,
            reason: nil,
            attempts: 0,
            deadLetterID: nil,
            receivedAt: now,
            settledAt: now,
            worker: "push-arrival-worker",
            workerVersion: WorkerIdentity.version
        )
        let time = PushTime(of: event, sentMS: judgement.sent)
        return PushArrivalResult.encode(outcome, .event(event, judgement.standing, time), as: .protobuf)
    }

    /// The seconds for restoring the state from a changelog.
    private static func restore(_ changelog: [[UInt8]], _ now: Int64) -> Double {
        let ledger = Self.ledger()
        let elapsed = ContinuousClock().measure {
            for bytes in changelog {
                guard let change = CohortSnapshot(bytes) else { continue }
                ledger.restore(change)
            }
            ledger.restored(now: now)
        }
        return elapsed / .seconds(1)
    }
}
