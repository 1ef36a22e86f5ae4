import ActivationIntake
import Kafka
import Records
import ServiceKit
import WireFormats

/// Judges what readers of committed records see of intakes: each input has its end once, each event is published
/// once and each conversion is reported once, and nothing that a phone chose is a dead letter.
final class IntakeJudge {
    /// The things about an honest phone that have to happen in time.
    enum Due: Int32, CaseIterable {
        case outcome
        case report
        case event
    }

    private unowned let cluster: SimulatedCluster
    private let topics: IntakeTopics
    private let honest: HonestJudge
    private let isTight: Bool
    private let matchesClicks: Bool
    /// The code that each input without an end must get, by its place; "" for success.
    private var expected: [String: String] = [:]
    private var ended: Set<String> = []
    /// The uploads with an activation, and those of them whose activation is reported or refused.
    private var activating: Set<String> = []
    private var decided: Set<String> = []
    /// The records whose publisher has to mend them, if anybody, so that they may be dead letters.
    private var published: Set<String> = []
    /// The numbers of the honest phones by their muids and by the place of their first upload.
    private var phones: [String: Int64] = [:]
    private var uploads: [String: Int64] = [:]
    /// The honest phones that are reported.
    private var reported: Set<String> = []
    /// The keys in the changelog of the events that are published and of the conversions that are reported, as
    /// long as their home remembers them.
    private var remembered: Set<[UInt8]> = []
    private var seen: Set<RecordName> = []

    init(
        _ cluster: SimulatedCluster,
        _ streams: StreamTopics,
        settings: IntakeSettings,
        honest: HonestJudge,
        plan: IntakePlan
    ) {
        self.cluster = cluster
        self.topics = settings.topics
        self.honest = honest
        self.isTight = plan.isTight
        self.matchesClicks = plan.matchesClicks
        streams.judge = { [unowned self] records, _ in for record in records { self.judge(record) } }
    }

    private func complain(_ complaint: String) { self.cluster.violations.append(complaint) }

    // MARK: - What is published

    /// Notes an input that has to end with this code.
    func expect(_ code: String, at place: String) {
        self.expected[place] = code
        // A publisher has left out a header.
        if code == "upload.no_target" { self.published.insert(place) }
    }

    /// Notes an upload whose activation has to be reported or refused, once.
    ///
    /// - Parameter byPublisher: whether it is a publisher's record, and not a phone's upload.
    func expectActivation(of place: String, byPublisher: Bool = false) {
        self.activating.insert(place)
        if byPublisher { self.published.insert(place) }
    }

    private func decided(_ place: String) {
        guard self.activating.contains(place) else { return }
        if !self.decided.insert(place).inserted { self.complain("the activation of \(place) has two ends") }
    }

    /// Notes the first upload of an honest phone, published now.
    func expect(_ phone: SimulatedPhone, number: Int64, at place: String) {
        self.phones[phone.muid] = number
        self.uploads[place] = number
        for due in Due.allCases {
            self.honest.recordPublished(Self.name(due, number), at: self.cluster.clock.now.monotonic)
        }
    }

    private static func name(_ due: Due, _ number: Int64) -> RecordName {
        RecordName(partition: due.rawValue, offset: number)
    }

    /// Notes that something about an honest phone has happened.
    private func happened(_ due: Due, _ number: Int64) {
        let name = Self.name(due, number)
        guard self.seen.insert(name).inserted else { return }
        let outcome = Outcome(
            topic: "honest",
            partition: name.partition,
            offset: name.offset,
            fate: .succeeded,
            reason: nil,
            attempts: 0,
            deadLetterID: nil,
            receivedAt: 0,
            settledAt: 0,
            worker: "simulated",
            workerVersion: "1"
        )
        let now = self.cluster.clock.now.monotonic
        if let complaint = self.honest.outcomeSeen(SimulatedOutcome(outcome, "\(due)"), at: now) {
            self.complain(complaint)
        }
    }

    /// Whether every input has its end, and every activation.
    var isEverythingSettled: Bool {
        self.ended.count == self.expected.count && self.decided.count == self.activating.count
    }

    /// The places of inputs that have no end, or whose activation has none.
    var unsettled: [String] {
        self.expected.keys.filter { !self.ended.contains($0) }.sorted()
            + self.activating.subtracting(self.decided).sorted().map { "the activation of \($0)" }
    }

    // MARK: - What is seen

    private func judge(_ record: OutboundRecord) {
        switch record.topic {
        case self.topics.uploadResult, self.topics.result: self.judgeOutcome(record)
        case self.topics.due: self.judgeReport(record)
        case self.topics.events: self.judgeEvent(record)
        case self.topics.changelog: self.judgeMemory(record)
        case self.topics.deadLetter: self.judgeLetter(record)
        default: break
        }
    }

    private func judgeOutcome(_ record: OutboundRecord) {
        let text = String(decoding: record.value ?? [], as: UTF8.self)
        func member(_ name: String) -> String { Self.member(name, in: text) ?? "" }
        let (id, fate, code) = (member("id"), member("fate"), member("code"))
        // The outcomes of a single event, and of an activation that is not reported, have other names.
        let isAboutEvent = text.contains(#""event":{"#)
        guard !isAboutEvent, self.expected[id] != nil else {
            return self.judgeRefusal(code, of: isAboutEvent ? id : Self.origin(of: record) ?? id)
        }
        guard self.ended.insert(id).inserted else { return self.complain("\(id) has two outcomes") }
        let wanted = self.expected[id] ?? ""
        if code != wanted || (fate == "succeeded") != wanted.isEmpty {
            self.complain("\(id) is \(fate) \(code), and not \(wanted)")
        }
        if let number = self.uploads[id] { self.happened(.outcome, number) }
    }

    /// Returns the text of the first member of this name.
    private static func member(_ name: String, in text: String) -> String? {
        text.firstRange(of: "\"\(name)\":\"").map { range in
            String(text[range.upperBound...].prefix { $0 != "\"" })
        }
    }

    /// An honest activation must not be refused, save for its repetition.
    ///
    /// - Parameter origin: the place of the record that it comes from.
    private func judgeRefusal(_ code: String, of origin: String) {
        self.decided(origin)
        guard self.uploads[origin] != nil, code != "activation.duplicate" else { return }
        self.complain("the honest upload \(origin) is refused: \(code)")
    }

    /// The place of the record that this one comes from; nil if no header tells.
    private static func origin(of record: OutboundRecord) -> String? {
        Self.text(RecordOrigin.header, of: record)
    }

    private static func text(_ header: String, of record: OutboundRecord) -> String? {
        record.headers.last { $0.name == header }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    private func judgeLetter(_ letter: OutboundRecord) {
        let place = ["topic", "partition", "offset"]
            .map { Self.text("__dlq.errors.\($0)", of: letter) ?? "" }.joined(separator: "/")
        guard !self.published.contains(Self.origin(of: letter) ?? place) else { return }
        self.complain("a phone's choice is a dead letter: \(letter.summary)")
    }

    /// Notes a thing that a home lets happen once as long as it remembers it. Returns whether this is the first
    /// time, or the first since the home has forgotten it.
    private func isNew(_ kind: RememberedKind, named name: String) -> Bool {
        self.remembered.insert(RememberedKey(kind, named: name).bytes).inserted
    }

    /// A home forgets things before their time only where memory is tight. An activation that has waited is no such thing.
    private func judgeMemory(_ record: OutboundRecord) {
        guard record.value == nil, let key = record.key, key.first != RememberedKind.waiting.rawValue else {
            return
        }
        if !self.isTight { self.complain("a home forgets although it has memory") }
        self.remembered.remove(key)
    }

    private func judgeReport(_ record: OutboundRecord) {
        let muid = String(decoding: record.key ?? [], as: UTF8.self)
        let number = self.phones[muid]
        let origin = Self.origin(of: record) ?? ""
        self.decided(origin)
        // A large one has no key, and one that cannot be read has no device.
        guard !self.published.contains(origin) else { return }
        let conversion = "\(SimulatedPhone.account)/\(muid)/\(ConversionType.activation.rawValue)"
        let isNew = self.isNew(.conversion, named: conversion)
        guard let number else {
            if !isNew { self.complain("\(muid) is reported twice") }
            return
        }
        // A flood must not push out honest phones before they come back.
        if !self.reported.insert(muid).inserted { self.complain("the honest \(muid) is reported twice") }
        let value = String(decoding: record.value ?? [], as: UTF8.self)
        if self.matchesClicks, !value.contains(#""clickId":"click-"#) {
            self.complain("the honest \(muid) is reported without its click")
        }
        self.happened(.report, number)
    }

    private func judgeEvent(_ record: OutboundRecord) {
        let text = String(decoding: record.value ?? [], as: UTF8.self)
        let device = Self.member("idfa", in: text).flatMap { try? MUID(deviceID: $0, of: .ios) }
        let number = device.flatMap { self.phones[String(decoding: $0.text, as: UTF8.self)] }
        let id = String(decoding: record.key ?? [], as: UTF8.self)
        if !self.isNew(.event, named: id) { self.complain("the event \(id) is published twice") }
        if let number { self.happened(.event, number) }
    }
}
