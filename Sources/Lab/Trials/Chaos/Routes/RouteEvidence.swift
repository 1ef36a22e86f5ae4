import Foundation
import Harness
import Records

/// The contents of all topics of a chaos run with uploads, as a reader of committed records finds them.
struct RouteEvidence {
    /// An event of an upload, by the input and its number among the input's events.
    struct Event: Hashable {
        var input: Int
        var sequence: Int
    }

    /// The outcomes of a conversion.
    struct Report {
        var count = 0
        /// The place of the publisher's record.
        var origin: String
        /// The fate, or the code of the reason.
        var word: String
        /// The first outcome that says something else, as a word and a place.
        var contradiction: String?
    }

    private let topics: RouteProcesses.Topics
    /// The number of records of each event.
    private(set) var events: [Event: Int] = [:]
    /// The input of each event that is an activation, by the event's id.
    private(set) var activations: [String: Int] = [:]
    /// The outcomes of reports, by the id of the event, or by the place of the publisher's record.
    private(set) var reports: [String: Report] = [:]
    /// The reasons in the result topic of the intake, with their numbers.
    private(set) var refusals: [String: Int] = [:]
    /// The number of outcomes for each upload, by its place.
    private(set) var uploads: [String: Int] = [:]
    private(set) var letters = 0
    /// The end of each partition of each topic, as far as it was read.
    private(set) var ends: [String: [Int64]] = [:]
    /// Whether each offset that was ever parked still is.
    private(set) var tickets: [String: Bool] = [:]
    private(set) var objections: [String] = []

    init(_ topics: RouteProcesses.Topics) { self.topics = topics }

    /// Takes the next record of a topic.
    mutating func found(_ record: InboundRecord) {
        let partition = Int(record.partition)
        var ends = self.ends[record.topic, default: []]
        while ends.count <= partition { ends.append(0) }
        ends[partition] = max(ends[partition], record.offset + 1)
        self.ends[record.topic] = ends
        switch record.topic {
        case self.topics.uploads:
            self.uploads["\(record.topic)/\(record.partition)/\(record.offset)", default: 0] += 0
        case self.topics.uploadResults: self.foundUpload(record)
        case self.topics.events: self.foundEvent(record)
        case self.topics.reports: self.foundReport(record)
        case self.topics.refusals: self.foundRefusal(record)
        case self.topics.parked:
            let offset = String(decoding: record.key ?? [], as: UTF8.self)
            self.tickets["\(record.partition)/\(offset)"] = record.value != nil
        case let topic where self.topics.letters.contains(topic):
            self.letters += 1
            self.object("\(topic)/\(record.partition)/\(record.offset): \(record.text("dlq.reason") ?? "–")")
        default: break
        }
    }

    private mutating func object(_ sentence: String) { self.objections.append(sentence) }

    private mutating func foundUpload(_ record: InboundRecord) {
        guard let told = ToldUpload(record), told.event == nil else {
            return self.object(
                "\(record.topic)/\(record.partition)/\(record.offset) is no outcome of an upload"
            )
        }
        self.uploads[told.outcome.id, default: 0] += 1
        if told.outcome.fate != "succeeded" || told.upload?.activations != 1 {
            self.object("the upload \(told.outcome.id) is \(told.outcome.reason?.code ?? told.outcome.fate)")
        }
    }

    private struct EventRecord: Decodable {
        struct Event: Decodable {
            var deviceId: String
            var eventSequenceId: Int
            var eventType: String
        }

        var id: String
        var event: Event
    }

    private mutating func foundEvent(_ record: InboundRecord) {
        guard let value = record.value,
            let told = try? JSONDecoder().decode(EventRecord.self, from: Data(value)),
            let input = RouteInput.number(ofDevice: told.event.deviceId)
        else { return self.object("\(record.topic)/\(record.partition)/\(record.offset) is no event") }
        self.events[Event(input: input, sequence: told.event.eventSequenceId), default: 0] += 1
        if told.event.eventType == "ACTIVATE" { self.activations[told.id] = input }
    }

    private mutating func foundReport(_ record: InboundRecord) {
        guard let sighting = Sighting(record) else {
            return self.object("\(record.topic)/\(record.partition)/\(record.offset) is no outcome")
        }
        let word = sighting.reason ?? sighting.fate
        let name = record.text("flotilla.event_id") ?? sighting.place
        var report = self.reports[name] ?? Report(origin: sighting.place, word: word)
        report.count += 1
        if report.contradiction == nil, report.word != word || report.origin != sighting.place {
            report.contradiction = "\(word) for \(sighting.place)"
        }
        self.reports[name] = report
    }

    private mutating func foundRefusal(_ record: InboundRecord) {
        let told = ToldUpload(record)
        self.refusals[told?.outcome.reason?.code ?? "no outcome", default: 0] += 1
    }
}
