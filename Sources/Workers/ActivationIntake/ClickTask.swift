import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of a partition of the click feed: it sends each click to the home of its device and to the home of
/// its id, because an activation can name either.
///
/// Everybody who knows the address of the feed can send a click, so a click that cannot be read has a final
/// outcome. A click that can be read has none: it is knowledge, and no work.
final class ClickTask: StreamTask {
    private let writer: IntakeWriter
    private let metrics: IntakeMetrics

    init(_ writer: IntakeWriter, _ metrics: IntakeMetrics) {
        self.writer = writer
        self.metrics = metrics
    }

    var memory: StreamMemory { .none }
    var nextDue: Int64? { nil }
    var byteCount: Int { 0 }

    func restore(_ record: InboundRecord, at now: Moment) {}
    func restored(at now: Moment) {}
    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {}

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        do throws(AdClick.Fault) {
            let click = try self.click(record, at: now)
            let value = Array(ClickTrail.Click(click).line.utf8)
            let names = [
                click.muid.map(HomeRecord.Name.device), click.clickID.map(HomeRecord.Name.click),
            ]
            for case let name? in names {
                // A click has a bounded size, far below the broker's limit.
                _ = self.writer.send(
                    home: .click,
                    named: name,
                    value: value,
                    headers: [],
                    timestamp: record.timestamp,
                    to: output
                )
            }
            self.metrics.counted("click", "taken")
        } catch {
            self.reject(record, because: error.reason, at: now, to: output)
        }
    }

    /// The longest time by which the clock of the feed may be ahead of ours, in seconds.
    private static let futureLimit: Int64 = 300

    /// Reads a click. A stranger can send one too, and an activation with a callback that the worker refuses would
    /// not be reported at all, so the click is taken without it. A click of the future would push out clicks that lead
    /// to activations. The clock here may be behind, and then the record's own time is the later one.
    private func click(_ record: borrowing InboundRecord, at now: Moment) throws(AdClick.Fault) -> AdClick {
        var click = try AdClick(query: record.value ?? [])
        let latest = max(now.wall, record.timestamp ?? .min)
        guard click.clickedAt <= (latest / 1_000).addingClamped(Self.futureLimit) else { throw .time }
        let rules = self.writer.settings.callbacks
        if let callback = click.callback, (try? CallbackURL(callback, rules)) == nil { click.callback = nil }
        return click
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.reject(record, because: .crashLoop, at: now, to: output)
    }

    private func reject(
        _ record: borrowing InboundRecord,
        because reason: Reason,
        at now: Moment,
        to output: StreamOutput
    ) {
        self.metrics.counted("click", "rejected")
        self.writer.settle(
            record,
            .rejected,
            because: reason,
            topic: self.writer.settings.topics.result,
            at: now,
            to: output
        )
    }
}
