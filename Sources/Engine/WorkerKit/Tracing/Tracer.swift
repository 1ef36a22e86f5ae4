import Glibc
package import Records
import ServiceKit
package import WireFormats

/// Decides which records are traced, and begins their spans. Only the engine's thread may use the object.
///
/// A record that comes with a context is traced if its publisher traces it and its trace id is among the share
/// that is sampled, so that all workers of a chain choose the same traces. A record without a context begins a
/// trace of its own.
package final class Tracer {
    private let queue: SpanQueue
    private let surroundings: RecordSpans.Surroundings
    /// The least randomness of a trace that is sampled, as OpenTelemetry's consistent sampling has it.
    private let threshold: UInt64
    private let clock: @Sendable () -> Int64
    private var random: SplitMix64

    /// - Parameters:
    ///   - ratio: The share of the records that are traced, from 0 to 1.
    ///   - clock: Nanoseconds since 1970; nil for the system's clock.
    package init(
        _ queue: SpanQueue,
        ratio: Double,
        settings: EngineSettings,
        seed: UInt64,
        clock: (@Sendable () -> Int64)? = nil
    ) {
        self.queue = queue
        self.surroundings = RecordSpans.Surroundings(
            group: settings.groupID,
            upstream: settings.upstream,
            input: settings.inputTopic
        )
        let share = min(1, max(0, ratio))
        self.threshold = UInt64((1 - share) * Double(TraceContext.randomnessEnd))
        self.clock = clock ?? Self.systemClock
        self.random = SplitMix64(seed: seed)
    }

    private static let systemClock: @Sendable () -> Int64 = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns the spans of a record that was just taken in; nil if it is not sampled.
    package func begin(_ record: InboundRecord, _ context: TraceContext?) -> RecordSpans? {
        if let context {
            guard context.isSampled, context.randomness >= self.threshold else { return nil }
            return self.spans(of: record, context, parent: context)
        }
        let low = self.random.next()
        guard low % TraceContext.randomnessEnd >= self.threshold else { return nil }
        let root = TraceContext(traceHigh: self.random.next(), low: low)
        return self.spans(of: record, root, parent: nil)
    }

    private func spans(
        of record: InboundRecord,
        _ trace: TraceContext,
        parent: TraceContext?
    ) -> RecordSpans {
        RecordSpans(
            record,
            trace: trace,
            parent: parent,
            surroundings: self.surroundings,
            queue: self.queue,
            seed: self.random.next(),
            clock: self.clock
        )
    }
}
