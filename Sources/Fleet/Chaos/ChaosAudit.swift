import Kafka
import Records
import UpstreamSimulator
import WireFormats
import WireMessages
import WorkerKit

/// Every input of a chaos run and what came of it, in little room: some tens of bytes each.
///
/// It is told what was sent, what the upstream heard and what stands in the topics, and knows nothing of the workers.
struct ChaosAudit {
    struct Input {
        var kind: InputKind
        var key: Int32
        var partition: Int32 = -1
        var offset: Int64 = -1
        var hasBeenCalledFor = false
        /// GDT has said its last word about it.
        var hasFinalAnswer = false
        /// When it was sent, in wall-clock milliseconds; nil unless the time that it takes is judged.
        var sentAt: Int64?
        var outcomes: UInt16 = 0
        var letters: UInt16 = 0

        var isDelivered: Bool { self.offset >= 0 }
    }

    /// What is found about a dead letter, which few inputs have.
    private struct Letter {
        /// Of the record that was sent: key, value and headers.
        var fingerprint: Int
        /// As the letter itself says, and as the outcome does.
        var id: String?
        var idInOutcome: String?
    }

    let delivery: EngineSettings.Delivery
    private(set) var inputs: [Input] = []
    /// The numbers of those that are poison.
    private(set) var poison: [Int] = []
    private(set) var findings = ChaosFindings()
    private let topic: String
    private let results: any WorkerResult.Type
    /// Input numbers by partition and offset; 0 where there is none.
    private var numbers: [[UInt32]] = []
    private var letters: [Int: Letter] = [:]
    /// The inputs that were ever put aside, and whether they still are.
    private(set) var tickets: [Int: Bool] = [:]
    /// What the records of honest users took from their sending to their first outcome, in milliseconds.
    private(set) var waits: [Int64] = []
    private var keys: [KeyOrder] = []

    /// The inputs of one key, in the order in which they were sent.
    private struct KeyOrder {
        /// Those that GDT hears of.
        var calls: [UInt32] = []
        /// How many of them, from the first on, have their last word from GDT.
        var answered = 0
        /// The last input whose first outcome was read.
        var lastOutcome = 0
        /// The last input that the broker has.
        var lastOffset: Int64 = -1
    }

    /// - Parameter results: what the workers write.
    init(
        topic: String,
        keys: Int,
        delivery: EngineSettings.Delivery,
        results: any WorkerResult.Type = Flotilla_Activation_V1_ActivationResult.self
    ) {
        self.topic = topic
        self.results = results
        self.delivery = delivery
        self.keys = [KeyOrder](repeating: KeyOrder(), count: keys)
    }

    // MARK: - Inputs

    /// A record is about to be sent.
    ///
    /// - Parameter sentAt: in wall-clock milliseconds, if the time that it takes is judged.
    /// - Returns: its number, the first being 1.
    mutating func sent(_ record: OutboundRecord, _ kind: InputKind, key: Int, at sentAt: Int64? = nil) -> Int
    {
        self.inputs.append(Input(kind: kind, key: Int32(clamping: key), sentAt: sentAt))
        let number = self.inputs.count
        if kind == .poison { self.poison.append(number) }
        if kind.isCalledFor { self.keys[key].calls.append(UInt32(clamping: number)) }
        if kind.fate == .deadLettered {
            let fingerprint = Self.fingerprint(record.key, record.value, record.headers)
            self.letters[number] = Letter(fingerprint: fingerprint)
        }
        return number
    }

    mutating func delivered(_ number: Int, to partition: Int32, at offset: Int64) {
        guard self.inputs.indices.contains(number - 1), partition >= 0, offset >= 0 else { return }
        if !self.inputs[number - 1].isDelivered { self.deliveredCount += 1 }
        self.inputs[number - 1].partition = partition
        self.inputs[number - 1].offset = offset
        while self.numbers.count <= Int(partition) { self.numbers.append([]) }
        while self.numbers[Int(partition)].count <= Int(offset) { self.numbers[Int(partition)].append(0) }
        self.numbers[Int(partition)][Int(offset)] = UInt32(clamping: number)
        let key = Int(self.inputs[number - 1].key)
        if offset < self.keys[key].lastOffset {
            self.findings.note(.misordered, "input \(number) stands before an earlier one of its key")
        }
        self.keys[key].lastOffset = max(self.keys[key].lastOffset, offset)
    }

    mutating func notDelivered(_ number: Int, because reason: String) {
        self.findings.note(.undelivered, "input \(number) was not delivered: \(reason)")
    }

    private(set) var deliveredCount = 0

    /// The end of each partition of the input topic, as far as it is known.
    var ends: [Int64] { self.numbers.map { Int64($0.count) } }

    // MARK: - Calls

    /// Takes an entry of the upstream's journal, in its order.
    ///
    /// The first call for a record may come only after every earlier one of its key that is called for has had its last
    /// word from GDT. Whatever comes after the first call is a repeat, and no violation.
    mutating func noted(_ entry: CallJournal.Entry) {
        guard let number = Self.number(in: entry.clickID), self.inputs.indices.contains(number - 1),
            self.inputs[number - 1].kind.isCalledFor
        else {
            return self.findings.note(.strangeCall, "a call for \(entry.clickID), which nobody asked for")
        }
        let key = Int(self.inputs[number - 1].key)
        if entry.isCall {
            self.findings.calls += 1
            if self.inputs[number - 1].hasFinalAnswer { self.findings.repeatedCalls += 1 }
            guard !self.inputs[number - 1].hasBeenCalledFor else { return }
            self.inputs[number - 1].hasBeenCalledFor = true
            guard let first = self.keys[key].calls.dropFirst(self.keys[key].answered).first else {
                let what = "input \(self.name(number)) was called for after its answer"
                return self.findings.note(.callOutOfOrder, what)
            }
            guard Int(first) != number else { return }
            self.findings.note(
                .callOutOfOrder,
                "input \(self.name(number)) was called for before \(self.name(Int(first))) had its answer"
            )
        } else if let ret = entry.ret, self.inputs[number - 1].kind.isFinal(ret) {
            self.inputs[number - 1].hasFinalAnswer = true
            while self.keys[key].answered < self.keys[key].calls.count,
                self.inputs[Int(self.keys[key].calls[self.keys[key].answered]) - 1].hasFinalAnswer
            {
                self.keys[key].answered += 1
            }
        }
    }

    mutating func journalLost(_ entries: Int) {
        if entries > 0 {
            self.findings.note(.strangeCall, "\(entries) entries of the journal of calls were lost")
        }
    }

    private static func number(in clickID: String) -> Int? {
        clickID.lastIndex(of: "-").flatMap { Int(clickID[clickID.index(after: $0)...]) }
    }

    // MARK: - Topics

    /// Takes a record of the result topic, in the order of its partition.
    mutating func foundOutcome(_ record: InboundRecord) {
        guard let sighting = Sighting(record, as: self.results), let number = self.number(at: sighting.place)
        else {
            return self.findings.note(
                .riddle,
                "\(record.topic)/\(record.partition)/\(record.offset) is no outcome"
            )
        }
        let input = self.inputs[number - 1]
        self.inputs[number - 1].outcomes = input.outcomes &+ 1
        self.findings.outcomes += 1
        self.findings.fates[sighting.fate, default: 0] += 1
        if sighting.fate != input.kind.fate.rawValue || !input.kind.mayEnd(because: sighting.reason) {
            let reason = sighting.reason.map { " because of \($0)" } ?? ""
            self.findings.note(.wrongFate, "input \(self.name(number)) is \(sighting.fate)\(reason)")
        }
        if sighting.key != Self.key(Int(input.key)) {
            self.findings.note(.wrongFate, "input \(self.name(number)) has an outcome under another key")
        }
        if let id = sighting.deadLetterID { self.letters[number]?.idInOutcome = id }
        if input.outcomes > 0 {
            self.findings.note(.repeatedOutcome, "input \(self.name(number)) has one more outcome")
            return
        }
        if let sentAt = input.sentAt, let written = record.timestamp { self.waits.append(written - sentAt) }
        let key = Int(input.key)
        if number < self.keys[key].lastOutcome {
            self.findings.note(
                .outcomeOutOfOrder,
                "input \(self.name(number)) has its outcome after \(self.name(self.keys[key].lastOutcome))"
            )
        }
        self.keys[key].lastOutcome = max(self.keys[key].lastOutcome, number)
    }

    /// Takes a record of the dead-letter topic.
    mutating func foundLetter(_ record: InboundRecord) {
        guard let place = record.deadLetterPlace, let number = self.number(at: place) else {
            return self.findings.note(
                .riddle,
                "\(record.topic)/\(record.partition)/\(record.offset) is no dead letter"
            )
        }
        self.findings.letters += 1
        let reason = record.text("dlq.reason") ?? ""
        guard let letter = self.letters[number] else {
            return self.findings.note(.strayLetter, "input \(self.name(number)) is dead because of \(reason)")
        }
        if self.inputs[number - 1].letters > 0 {
            self.findings.note(.repeatedLetter, "input \(self.name(number)) has one more dead letter")
            if record.text("dlq.id") != letter.id {
                self.findings.note(
                    .wrongLetter,
                    "input \(self.name(number)) has dead letters with different ids"
                )
            }
        }
        self.inputs[number - 1].letters &+= 1
        self.letters[number]?.id = record.text("dlq.id")
        if !self.inputs[number - 1].kind.mayEnd(because: reason) {
            self.findings.note(.strayLetter, "input \(self.name(number)) is dead because of \(reason)")
        }
        let own = record.headers.filter { !$0.name.hasPrefix("dlq.") && !$0.name.hasPrefix("__dlq.") }
        if Self.fingerprint(record.key, record.value, own) != letter.fingerprint {
            self.findings.note(
                .wrongLetter,
                "input \(self.name(number)) has a dead letter that differs from it"
            )
        }
    }

    /// Takes a record of the parking topic, in the order of its partition.
    mutating func foundTicket(_ record: InboundRecord) {
        let offset = String(decoding: record.key ?? [], as: UTF8.self)
        let name = "\(self.topic)/\(record.partition)/\(offset)"
        guard let number = self.number(at: name) else {
            let place = "\(record.topic)/\(record.partition)/\(record.offset)"
            return self.findings.note(.riddle, "\(place) is no ticket")
        }
        self.tickets[number] = record.value != nil
    }

    /// Adds what somebody else has found.
    mutating func object(_ matter: ChaosFindings.Matter, _ sentence: String) {
        self.findings.note(matter, sentence)
    }

    /// Everything has been read: what is missing is missing.
    mutating func conclude() {
        self.waits.sort()
        if let wait = self.wait(at: 0.99), .milliseconds(wait) > ChaosAdversary.bound {
            self.findings.note(
                .late,
                "one in a hundred honest records of \(self.topic) took \(wait) ms or more"
            )
        }
        for number in 1...max(1, self.inputs.count) where number <= self.inputs.count {
            let input = self.inputs[number - 1]
            guard input.isDelivered else { continue }
            if self.tickets[number] == true {
                self.findings.note(.parked, "the ticket of input \(self.name(number)) was never taken back")
            }
            if input.outcomes == 0 {
                self.findings.note(.lost, "input \(self.name(number)), \(input.kind), has no outcome")
            }
            guard let letter = self.letters[number], input.outcomes > 0 else { continue }
            if letter.id == nil || letter.id != letter.idInOutcome {
                self.findings.note(
                    .wrongLetter,
                    "input \(self.name(number)) has an outcome without its dead letter"
                )
            }
        }
    }

    /// What so large a share of the honest users' records took at most, in milliseconds; nil if there were none. To be
    /// asked when all is concluded.
    func wait(at share: Double) -> Int64? {
        self.waits.isEmpty
            ? nil : self.waits[min(self.waits.count - 1, Int(Double(self.waits.count) * share))]
    }

    // MARK: - Names

    /// The key that the inputs of this number have.
    static func key(_ number: Int) -> [UInt8] { Array("customer-\(number)".utf8) }

    private func name(_ number: Int) -> String {
        let input = self.inputs[number - 1]
        return
            "\(number) (\(self.topic)/\(input.partition)/\(input.offset), \(String(decoding: Self.key(Int(input.key)), as: UTF8.self)))"
    }

    private func number(at place: String) -> Int? {
        guard let place = InputPlace(place, in: self.topic),
            self.numbers.indices.contains(Int(place.partition)),
            let offset = Int(exactly: place.offset),
            self.numbers[Int(place.partition)].indices.contains(offset)
        else { return nil }
        let number = Int(self.numbers[Int(place.partition)][offset])
        return number > 0 ? number : nil
    }

    private static func fingerprint(_ key: [UInt8]?, _ value: [UInt8]?, _ headers: [RecordHeader]) -> Int {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(value)
        hasher.combine(headers)
        return hasher.finalize()
    }
}

/// Where an input stands, as its outcome says.
struct InputPlace: Hashable {
    var partition: Int32
    var offset: Int64

    /// Nil unless it reads `topic/partition/offset` with this topic.
    init?(_ text: String, in topic: String) {
        guard text.hasPrefix("\(topic)/") else { return nil }
        let parts = text.dropFirst(topic.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = Int32(parts[0]), partition >= 0, let offset = Int64(parts[1]),
            offset >= 0
        else { return nil }
        self.partition = partition
        self.offset = offset
    }
}
