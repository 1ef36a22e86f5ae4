import Kafka
import Records
import ServiceKit
import StreamKit
import WireFormats

/// The task of a partition of the uploads: it takes each upload apart.
///
/// Every event goes to the home of its phone, where repeats are recognised, and each activation to the home of
/// its device. A phone chose every byte of an upload, so an upload that cannot be read has a final outcome. A
/// record without the header of an upload was written wrongly by its publisher and is a dead letter.
final class UploadTask: StreamTask {
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

    private static let noTarget = Reason(
        "upload.no_target",
        "The record has no header upload.target, or no value: it is no upload of an SDK."
    )
    private static let eventTooLarge = Reason(
        "upload.event_too_large",
        "The event is larger than a record may be."
    )

    /// The most activations of one upload that are passed on. A phone starts an app for the first time once, so more come
    /// from somebody who invents phones.
    private static var activationsLimit: Int { 10 }

    private var resultTopic: String { self.writer.settings.topics.uploadResult }

    func process(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        guard let request = SDKUploadRequest(of: record) else {
            self.metrics.counted("upload", "dead_lettered")
            return self.writer.bury(
                record,
                as: .invalid,
                because: Self.noTarget,
                resultTopic: self.resultTopic,
                at: now,
                to: output
            )
        }
        do throws(SDKUploadFault) {
            let upload = try SDKUpload(decoding: request, ciphers: self.writer.settings.ciphers)
            var counts = SDKUploadResult.Counts()
            counts.events = upload.events.count
            counts.dropped = upload.dropped
            var seen: Set<String> = []
            for event in upload.events {
                let id = event.id
                // An activation may come again with what it did not know before, under the same id.
                let isFirst = seen.insert(id).inserted
                guard isFirst || event.type == .activate else { continue }
                let role = Role(isFirst: isFirst, mayActivate: counts.activations < Self.activationsLimit)
                if self.take(event, id: id, as: role, of: upload, record, at: now, to: output) {
                    counts.activations += 1
                }
            }
            self.metrics.counted("upload", "taken")
            self.writer.settle(
                record,
                .succeeded,
                because: nil,
                counts: counts,
                topic: self.resultTopic,
                at: now,
                to: output
            )
        } catch {
            self.metrics.counted("upload", "rejected")
            self.writer.settle(
                record,
                .rejected,
                because: error.reason,
                topic: self.resultTopic,
                at: now,
                to: output
            )
        }
    }

    /// The part of an event in its upload.
    private struct Role {
        /// Whether it is the first of its id. An id has one outcome at most, so that readers can tell outcomes apart.
        var isFirst: Bool
        /// Whether the upload may bring another activation.
        var mayActivate: Bool
    }

    /// Sends on an event and its activation.
    ///
    /// - Returns: whether an activation was sent on.
    private func take(
        _ event: SDKEvent,
        id: String,
        as role: Role,
        of upload: SDKUpload,
        _ record: borrowing InboundRecord,
        at now: Moment,
        to output: StreamOutput
    ) -> Bool {
        func reject(_ reason: Reason) {
            guard role.isFirst else { return }
            self.writer.reject(event: id, event.type, of: record, because: reason, at: now, to: output)
        }
        if self.writer.settings.topics.events != nil,
            !self.send(event, id: id, of: upload, in: record, to: output)
        {
            self.metrics.counted("event", "too_large")
            reject(Self.eventTooLarge)
            return false
        }
        guard let activation = SDKActivation(event, account: upload.account) else { return false }
        do throws(SDKApp.NothingToReport) {
            guard let app = SDKApp.app(of: activation, in: self.writer.settings.apps) else {
                throw .unknownApp
            }
            let conversion = try app.conversion(activation, clientIP: upload.clientIP)
            guard role.mayActivate else { throw .tooMany }
            self.metrics.counted("activation", "uploaded")
            // An activation has a bounded size, far below the broker's limit.
            return self.writer.sendHome(
                conversion,
                value: conversion.json,
                headers: [
                    RecordHeader("content-type", ValueFormat.json.contentType),
                    RecordHeader(RecordOrigin.header, record.place),
                    RecordHeader(RecordOrigin.eventHeader, id),
                ],
                timestamp: record.timestamp,
                to: output
            )
        } catch {
            self.metrics.counted("activation", error.rawValue)
            reject(error.reason)
            return false
        }
    }

    private func send(
        _ event: SDKEvent,
        id: String,
        of upload: SDKUpload,
        in record: borrowing InboundRecord,
        to output: StreamOutput
    ) -> Bool {
        self.writer.send(
            home: .event,
            named: HomeRecord.Name.phone(event.text(.deviceId) ?? ""),
            value: event.record(
                id: id,
                account: upload.account,
                upload: record.place,
                receivedAt: record.timestamp,
                clientIP: upload.clientIP
            ),
            headers: [RecordHeader(RecordOrigin.eventHeader, id)],
            timestamp: record.timestamp,
            to: output
        )
    }

    func bury(_ record: consuming InboundRecord, at now: Moment, _ output: StreamOutput) {
        self.metrics.counted("upload", "dead_lettered")
        self.writer.bury(
            record,
            as: .rejected,
            because: .crashLoop,
            resultTopic: self.resultTopic,
            at: now,
            to: output
        )
    }
}
