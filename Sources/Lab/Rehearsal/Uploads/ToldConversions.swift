import Foundation
import Harness
import Records

/// The events of uploads, and the outcomes of their activations, as the topics tell them.
struct ToldConversions {
    /// An event by its phone and its number there.
    struct Event: Hashable {
        var deviceID: String
        var sequence: Int
        var type: String
    }

    /// The outcome of an activation of an upload.
    struct Outcome {
        /// The place of the upload.
        var upload: String
        var told: ToldUpload
        /// The topic that tells it.
        var topic: String
    }

    private struct EventRecord: Decodable {
        struct Event: Decodable {
            var deviceId: String
            var eventSequenceId: Int
            var eventType: String
        }

        var event: Event
    }

    /// The number of records for each event.
    private(set) var events: [Event: Int] = [:]
    private(set) var outcomes: [Outcome] = []
    /// The places of records that are neither.
    private(set) var riddles: [String] = []

    mutating func take(_ record: InboundRecord) {
        guard record.topic == UploadDemo.events else { return self.takeOutcome(record) }
        guard let value = record.value,
            let told = try? JSONDecoder().decode(EventRecord.self, from: Data(value)).event
        else { return self.riddles.append("\(record.topic)/\(record.partition)/\(record.offset)") }
        self.events[
            Event(deviceID: told.deviceId, sequence: told.eventSequenceId, type: told.eventType),
            default: 0
        ] += 1
    }

    private mutating func takeOutcome(_ record: InboundRecord) {
        guard let told = ToldUpload(record) else {
            return self.riddles.append("\(record.topic)/\(record.partition)/\(record.offset)")
        }
        // The other activation worker of the demo writes to the same topic.
        guard record.text("flotilla.event_id") != nil || told.event != nil else { return }
        let upload = record.text("flotilla.origin") ?? told.outcome.id
        self.outcomes.append(Outcome(upload: upload, told: told, topic: record.topic))
    }

    /// The outcomes of the activations of an upload at this place.
    func outcomes(of place: String?) -> [Outcome] { self.outcomes.filter { $0.upload == place } }

    /// Lines about the report of an upload's activation, and about the duplicate of it.
    func lines(about upload: PhoneTraffic.Upload, again: PhoneTraffic.Upload?) -> [String] {
        let reports = self.outcomes.filter { $0.told.outcome.fate == "succeeded" }
        let duplicates = self.outcomes.filter { $0.told.outcome.reason?.code == "activation.duplicate" }
        var lines: [String] = []
        if let duplicate = duplicates.first, let message = duplicate.told.outcome.reason?.message,
            let report = reports.first(where: { message.contains($0.upload) })
        {
            lines = [
                "  its activation is reported: \(report.topic) says \(report.told.outcome.fate) of \(report.upload)",
                "  sent again, it is activation.duplicate: \(duplicate.upload) repeats \(report.upload)",
            ]
        }
        return lines
    }
}
