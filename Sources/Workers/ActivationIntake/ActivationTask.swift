import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of a partition of the activations: it sends each one to the home of its device.
///
/// A record that cannot be read, or says that nothing is to be reported, goes on as it is: the worker that
/// reports activations decides about it, and writes its outcome.
final class ActivationTask: StreamTask {
    private let writer: IntakeWriter
    private let metrics: IntakeMetrics
    private let uploads: UploadTask

    init(_ writer: IntakeWriter, _ metrics: IntakeMetrics) {
        self.writer = writer
        self.metrics = metrics
        self.uploads = UploadTask(writer, metrics)
    }

    var memory: StreamMemory { .none }
    var nextDue: Int64? { nil }
    var byteCount: Int { 0 }

    func restore(_ record: InboundRecord, at now: Moment) {}
    func restored(at now: Moment) {}
    func collect(at now: Moment, progress: Int64, _ output: StreamOutput) {}

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        if record.header(SDKUploadRequest.targetHeader) != nil {
            guard self.writer.settings.takesUploads else { return self.buryUpload(record, at: now, output) }
            return self.uploads.process(record, at: now, output)
        }
        let headers =
            HomeRecord.foreignHeaders(of: record) + [RecordHeader(RecordOrigin.header, record.place)]
        if let activation = try? Activation(decoding: record) {
            let isSent = self.writer.sendHome(
                activation,
                value: record.value,
                headers: headers,
                timestamp: record.timestamp,
                to: output
            )
            // It must not go on unjudged, or its size would lead past the window of duplicates.
            guard isSent else { return self.buryTooLarge(record, at: now, to: output) }
            return self.metrics.counted("activation", "taken")
        }
        let copy = OutboundRecord(
            topic: self.writer.settings.topics.due,
            key: record.key,
            value: record.value,
            headers: headers,
            timestamp: record.timestamp
        )
        guard self.writer.sendDue(copy, to: output) else {
            return self.buryTooLarge(record, at: now, to: output)
        }
        self.metrics.counted("activation", "passed_on")
    }

    private func buryTooLarge(_ record: borrowing InboundRecord, at now: Moment, to output: StreamOutput) {
        self.metrics.counted("activation", "dead_lettered")
        self.writer.buryTooLarge(record, at: now, to: output)
    }

    private static let uploadsNotConfigured = Reason(
        "upload.not_configured",
        "The record is an upload of an SDK, and this intake takes none: set sdk.apps or sdk.events_topic."
    )

    /// Buries an upload where none are taken. Its outcome is in the topic of those of activations: the topic of
    /// those of uploads is not used then, and may not exist.
    private func buryUpload(_ record: borrowing InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.counted("upload", "dead_lettered")
        self.writer.bury(
            record,
            as: .invalid,
            because: Self.uploadsNotConfigured,
            resultTopic: self.writer.settings.topics.result,
            at: now,
            to: output
        )
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.counted("activation", "dead_lettered")
        self.writer.bury(
            record,
            as: .rejected,
            because: .crashLoop,
            resultTopic: self.writer.settings.topics.result,
            at: now,
            to: output
        )
    }
}
