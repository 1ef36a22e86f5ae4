import Harness
import Kafka
import Records
import UpstreamSimulator
import WireFormats
import WireMessages
import WorkerKit

/// Every input of a chaos run and its result, in some tens of bytes per input.
///
/// The audit learns which records were sent, which calls the upstream received, and which records are in the
/// topics. It does not ask the workers.
struct ChaosAudit {
    /// One input and its state so far.
    struct Input {
        var kind: InputKind
        var key: Int32
        var partition: Int32 = -1
        var offset: Int64 = -1
        /// Whether the upstream has received a call for the input.
        var hasBeenCalledFor = false
        /// Whether GDT has given its final answer for the input.
        var hasFinalAnswer = false
        /// The time of sending in wall-clock milliseconds; nil unless the waiting time of the input is
        /// checked.
        var sentAt: Int64?
        /// The number of outcomes that were found.
        var outcomes: UInt16 = 0
        /// The number of dead letters that were found.
        var letters: UInt16 = 0

        /// Whether the broker has acknowledged the input.
        var isDelivered: Bool { self.offset >= 0 }
    }

    /// The findings about a dead letter. They are stored apart from the inputs, because few inputs have a
    /// dead letter.
    private struct Letter {
        /// The record that was sent.
        var print: LetterPrint
        /// The id in the dead letter itself.
        var id: String?
        /// The id of the dead letter that the outcome states.
        var idInOutcome: String?
    }

    let delivery: EngineSettings.Delivery
    private(set) var inputs: [Input] = []
    /// The numbers of the inputs that need others beside them.
    private(set) var needingCompany: [Int] = []
    private(set) var findings = ChaosFindings()
    private let topic: String
    private let results: any WorkerResult.Type
    /// The number of the input at each partition and offset; 0 if there is none.
    private var numbers: [[UInt32]] = []
    private var letters: [Int: Letter] = [:]
    /// The inputs that were ever parked, and whether they still are.
    private(set) var tickets: [Int: Bool] = [:]
    /// The times of honest records from sending to the first outcome, in milliseconds. They are sorted once
    /// `conclude` has been called.
    private(set) var waits: [Int64] = []
    private var keys: [KeyOrder] = []
    private(set) var newPartitions: NewPartitions
    /// The longest time that an honest record may take, at the 99th percentile.
    let bound: Duration
    private(set) var movedBack = MovedRecords()

    /// The inputs of one key, in the order in which they were sent.
    private struct KeyOrder {
        /// The inputs for which GDT must receive a call.
        var calls: [UInt32] = []
        /// The number of those inputs, counted from the first, that have their final answer from GDT.
        var answered = 0
        /// The number of the latest input whose first outcome was read.
        var lastOutcome = 0
        /// The offset of the latest input that the broker has acknowledged.
        var lastOffset: Int64 = -1
    }

    /// - Parameters:
    ///   - lateAfter: the longest time that an honest record may take, at the 99th percentile.
    ///   - results: the message type of the result topic.
    init(
        topic: String,
        keys: Int,
        delivery: EngineSettings.Delivery,
        lateAfter bound: Duration = ChaosOptions.usualBound,
        results: any WorkerResult.Type = Flotilla_Activation_V1_ActivationResult.self
    ) {
        self.topic = topic
        self.bound = bound
        self.newPartitions = NewPartitions(after: ChaosCluster.partitions, lateAfter: bound)
        self.results = results
        self.delivery = delivery
        self.keys = [KeyOrder](repeating: KeyOrder(), count: keys)
    }

    // MARK: - Inputs

    /// Registers a record that is about to be sent.
    ///
    /// - Parameter sentAt: the time of sending in wall-clock milliseconds, if the waiting time of the record
    ///   is checked.
    /// - Returns: the number of the input; the first is 1.
    mutating func sent(_ record: OutboundRecord, _ kind: InputKind, key: Int, at sentAt: Int64? = nil) -> Int
    {
        self.inputs.append(Input(kind: kind, key: Int32(clamping: key), sentAt: sentAt))
        let number = self.inputs.count
        if kind.needsCompany { self.needingCompany.append(number) }
        if kind.isCalledFor { self.keys[key].calls.append(UInt32(clamping: number)) }
        if kind.fate == .deadLettered {
            self.letters[number] = Letter(print: LetterPrint(record))
        }
        return number
    }

    /// Registers the broker's acknowledgement of an input, and checks the order of offsets within its key.
    mutating func delivered(_ number: Int, to partition: Int32, at offset: Int64) {
        guard self.inputs.indices.contains(number - 1), partition >= 0, offset >= 0 else { return }
        if !self.inputs[number - 1].isDelivered { self.deliveredCount += 1 }
        self.inputs[number - 1].partition = partition
        self.inputs[number - 1].offset = offset
        while self.numbers.count <= Int(partition) { self.numbers.append([]) }
        while self.numbers[Int(partition)].count <= Int(offset) { self.numbers[Int(partition)].append(0) }
        let earlier = Int(self.numbers[Int(partition)][Int(offset)])
        if earlier > 0, earlier != number {
            let what = "input \(number) was acknowledged at the place of \(self.name(earlier))"
            self.findings.note(.riddle, what)
        }
        self.numbers[Int(partition)][Int(offset)] = UInt32(clamping: number)
        let key = Int(self.inputs[number - 1].key)
        if offset < self.keys[key].lastOffset {
            self.findings.note(.misordered, "input \(number) stands before an earlier one of its key")
        }
        self.keys[key].lastOffset = max(self.keys[key].lastOffset, offset)
        if let sentAt = self.inputs[number - 1].sentAt { self.newPartitions.sent(to: partition, at: sentAt) }
    }

    /// Registers that the group's position was moved back. Each record that the workers read again may have one more
    /// outcome and one more dead letter, also with exactly-once. A record that counted as finished must have had its
    /// outcome or its ticket before.
    mutating func moved(_ move: GroupMove) { self.movedBack.add(move) }

    /// Registers an input that the broker has not accepted. This is an objection.
    mutating func notDelivered(_ number: Int, because reason: String) {
        self.findings.note(.undelivered, "input \(number) was not delivered: \(reason)")
    }

    /// The number of inputs that the broker has acknowledged.
    private(set) var deliveredCount = 0

    /// The end offset of each partition of the input topic, as far as acknowledgements have shown it.
    var ends: [Int64] { self.numbers.map { Int64($0.count) } }

    // MARK: - Calls

    /// Checks an entry of the upstream's journal. Entries must be passed in the journal's order.
    ///
    /// The first call for a record is allowed only after every earlier record of its key that needs a call
    /// has had its final answer from GDT. Later calls for the same record are repeats, and no violation.
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

    /// Registers journal entries that were dropped before they were read. The order of calls is then not
    /// proven.
    mutating func journalLost(_ entries: Int) {
        if entries > 0 {
            self.findings.note(.strangeCall, "\(entries) entries of the journal of calls were lost")
        }
    }

    private static func number(in clickID: String) -> Int? {
        clickID.lastIndex(of: "-").flatMap { Int(clickID[clickID.index(after: $0)...]) }
    }

    // MARK: - Topics

    /// Checks a record of the result topic. Records must be passed in the order of their partition.
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
        if !input.kind.mayEnd(as: sighting) {
            let reason =
                (sighting.word.map { " (\($0))" } ?? "") + (sighting.reason.map { " because of \($0)" } ?? "")
            self.findings.note(.wrongFate, "input \(self.name(number)) is \(sighting.fate)\(reason)")
        }
        if !input.kind.mayHaveOutcome(record, under: sighting.key, number: Int(input.key)) {
            self.findings.note(.wrongFate, "input \(self.name(number)) has an outcome under another key")
        }
        if let id = sighting.deadLetterID { self.letters[number]?.idInOutcome = id }
        if input.outcomes > 0 {
            if !self.movedBack.excuse(input.partition, input.offset, afterOthers: Int(input.outcomes)) {
                self.findings.note(.repeatedOutcome, "input \(self.name(number)) has one more outcome")
            }
            return
        }
        if let written = record.timestamp {
            self.movedBack.foundFirstOutcome(
                of: number,
                at: (input.partition, input.offset),
                written: written
            )
        }
        if let sentAt = input.sentAt, let written = record.timestamp {
            self.waits.append(written - sentAt)
            self.newPartitions.settled(in: input.partition, at: written)
        }
        let key = Int(input.key)
        if number < self.keys[key].lastOutcome {
            self.findings.note(
                .outcomeOutOfOrder,
                "input \(self.name(number)) has its outcome after \(self.name(self.keys[key].lastOutcome))"
            )
        }
        self.keys[key].lastOutcome = max(self.keys[key].lastOutcome, number)
    }

    /// Checks a record of the dead-letter topic.
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
        let input = self.inputs[number - 1]
        if input.letters > 0 {
            if !self.movedBack.allows(input.partition, input.offset, afterOthers: Int(input.letters)) {
                self.findings.note(.repeatedLetter, "input \(self.name(number)) has one more dead letter")
            }
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
        if !letter.print.fits(record) {
            self.findings.note(
                .wrongLetter,
                "input \(self.name(number)) has a dead letter that differs from it"
            )
        }
    }

    /// Checks a record of the parking topic. Records must be passed in the order of their partition, since a
    /// tombstone ends the parking of an earlier record.
    mutating func foundTicket(_ record: InboundRecord) {
        let offset = String(decoding: record.key ?? [], as: UTF8.self)
        if record.value == nil, offset == String(ParkingTicket.clockOffset) { return }
        let name = "\(self.topic)/\(record.partition)/\(offset)"
        guard let number = self.number(at: name) else {
            let place = "\(record.topic)/\(record.partition)/\(record.offset)"
            return self.findings.note(.riddle, "\(place) is no ticket")
        }
        self.tickets[number] = record.value != nil
        self.movedBack.foundTicket(of: number, written: record.timestamp ?? .min)
    }

    /// Adds an objection that another part of the run has found.
    mutating func object(_ matter: ChaosFindings.Matter, _ sentence: String) {
        self.findings.note(matter, sentence)
    }

    /// Searches for missing outcomes and remaining tickets. Must be called once, after all topics have been
    /// read to their ends.
    mutating func conclude() {
        self.waits.sort()
        if let wait = self.wait(at: 0.99), .milliseconds(wait) > self.bound {
            self.findings.note(
                .late,
                "one in a hundred honest records of \(self.topic) took \(wait) ms or more"
            )
        }
        for sentence in self.newPartitions.lateOnes {
            self.findings.note(.notTakenUp, "\(self.topic): \(sentence)")
        }
        let invented = self.inputs.count { $0.kind == .inventedMessage }
        if invented >= PushInputs.floodedFrom, self.findings.fates[Outcome.Fate.rejected.rawValue] == nil {
            self.findings.note(.harmNotDone, "none of \(invented) invented messages was one too many")
        }
        for number in self.movedBack.hidden {
            self.findings.note(
                .lost,
                "input \(self.name(number)) counted as finished when the group was moved, and had no outcome"
            )
        }
        for number in 1...max(1, self.inputs.count) where number <= self.inputs.count {
            let input = self.inputs[number - 1]
            guard input.isDelivered else { continue }
            if self.tickets[number] == true {
                self.findings.note(.parked, "the ticket of input \(self.name(number)) was never taken back")
            }
            if input.outcomes == 0 {
                self.findings.note(
                    .lost,
                    "input \(self.name(number)), \(input.kind), has no outcome\(self.traces(of: number))"
                )
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

    /// The longest waiting time among this share of the honest records, in milliseconds; nil if there were
    /// none. Valid only after `conclude`.
    func wait(at share: Double) -> Int64? {
        self.waits.isEmpty
            ? nil : self.waits[min(self.waits.count - 1, Int(Double(self.waits.count) * share))]
    }

    // MARK: - Names

    /// The record key with this number.
    static func key(_ number: Int) -> [UInt8] { Array("customer-\(number)".utf8) }

    /// The steps that an input without an outcome has gone, as far as calls and tickets show them.
    private func traces(of number: Int) -> String {
        (self.inputs[number - 1].hasBeenCalledFor ? ", although it was called for" : "")
            + (self.tickets[number] == nil ? "" : ", and was parked")
    }

    /// A description of an input for an objection: its number, its place and its key.
    private func name(_ number: Int) -> String {
        let input = self.inputs[number - 1]
        return
            "\(number) (\(self.topic)/\(input.partition)/\(input.offset), \(String(decoding: Self.key(Int(input.key)), as: UTF8.self)))"
    }

    /// The number of the input at `topic/partition/offset`; nil if there is none.
    private func number(at place: String) -> Int? {
        guard let place = InputPlace(place, in: self.topic),
            self.numbers.indices.contains(Int(place.partition)),
            let offset = Int(exactly: place.offset),
            self.numbers[Int(place.partition)].indices.contains(offset)
        else { return nil }
        let number = Int(self.numbers[Int(place.partition)][offset])
        return number > 0 ? number : nil
    }
}
