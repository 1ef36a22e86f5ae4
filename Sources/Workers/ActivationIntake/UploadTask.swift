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
            counts.activations = self.take(upload, record, at: now, to: output)
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

    /// Sends on the events of an upload and their activations. Each id has one outcome at most, so that readers can
    /// tell outcomes apart: that of its report, or here the first reason why it has none.
    ///
    /// - Returns: the number of activations that were sent on.
    private func take(
        _ upload: SDKUpload,
        _ record: borrowing InboundRecord,
        at now: Moment,
        to output: StreamOutput
    ) -> Int {
        var (seen, activated): (Set<String>, Set<String>) = ([], [])
        var refusals: [(id: String, type: SDKEventType, reason: Reason)] = []
        for event in upload.events {
            let id = event.id
            let isFirst = seen.insert(id).inserted
            // An activation may come again with what it did not know before, under the same id.
            guard isFirst || event.type == .activate && !activated.contains(id) else { continue }
            do throws(Refusal) {
                let mayActivate = activated.count < Self.activationsLimit
                if try self.take(event, id: id, mayActivate: mayActivate, of: upload, record, to: output) {
                    activated.insert(id)
                }
            } catch {
                if isFirst { refusals.append((id, event.type, error.reason)) }
            }
        }
        for (id, type, reason) in refusals where !activated.contains(id) {
            self.writer.reject(event: id, type, of: record, because: reason, at: now, to: output)
        }
        return activated.count
    }

    /// An event that is not passed on, or an activation that is not reported.
    private struct Refusal: Error {
        let reason: Reason
    }

    /// Sends on an event and its activation.
    ///
    /// - Parameter mayActivate: whether the upload may bring another activation.
    /// - Returns: whether an activation was sent on.
    private func take(
        _ event: SDKEvent,
        id: String,
        mayActivate: Bool,
        of upload: SDKUpload,
        _ record: borrowing InboundRecord,
        to output: StreamOutput
    ) throws(Refusal) -> Bool {
        if self.writer.settings.topics.events != nil,
            !self.send(event, id: id, of: upload, in: record, to: output)
        {
            self.metrics.counted("event", "too_large")
            throw Refusal(reason: Self.eventTooLarge)
        }
        guard let activation = SDKActivation(event, account: upload.account) else { return false }
        do throws(SDKApp.NothingToReport) {
            guard let app = SDKApp.app(of: activation, in: self.writer.settings.apps) else {
                throw .unknownApp
            }
            let conversion = try app.conversion(activation, clientIP: upload.clientIP)
            guard mayActivate else { throw .tooMany }
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
            throw Refusal(reason: error.reason)
        }
    }

    private func send(
        _ event: SDKEvent,
        id: String,
        of upload: SDKUpload,
        in record: borrowing InboundRecord,
        to output: StreamOutput
    ) -> Bool {
        guard event.hasReadableNames else { return false }
        return self.writer.send(
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
