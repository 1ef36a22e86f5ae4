import Records
import ServiceKit
import UpstreamHTTP
import WireFormats
import WorkerKit

// The harmful publishers, and the upstream's answers to their records.
extension AdversaryStorm {
    private typealias Reply = SimulatedUpstream.Reply

    /// A record of a harmful publisher.
    private struct Piece {
        var value: String?
        var key: String?
        var lane = "a"
        var isForTheSide = false
        var bulk = 0
        /// The timestamp of the record in milliseconds since 1970, chosen by the publisher; nil for the
        /// broker's time.
        var timestamp: Int64?
        /// The time of the header `not-before`, in milliseconds since 1970; nil without it.
        var notBefore: Int64?
    }

    func planPublishers() {
        // The kinds are taken in the order of their declaration, because the order of a set differs from run
        // to run.
        for kind in AdversaryKind.allCases where self.plan.kinds.contains(kind) { self.planPublisher(kind) }
    }

    private func planPublisher(_ kind: AdversaryKind) {
        switch kind {
        case .poison:
            let way = ["503", "cut", "page", "large", "any"].randomElement(using: &self.random) ?? "503"
            // A steady publisher adds a quarter to the honest records. More cannot be told from an upstream
            // that is ill for all.
            let isSteady = self.chance(0.3)
            let count =
                isSteady
                ? self.plan.perSecond * Int(self.plan.length / .seconds(1)) / 4
                : self.count(of: [3, 12, 40, 100, 400])
            self.flood(count, isSteady: isSteady) { Piece(value: "poison \(way)", key: $0) }
        case .malformed:
            let value = ["undecodable", "wrong", "refused"].randomElement(using: &self.random) ?? "wrong"
            let lane = self.chance(0.5) ? "a" : "careless"
            self.flood(self.count(of: [20, 60, 150])) { Piece(value: value, key: $0, lane: lane) }
        case .suspects: self.flood(self.count(of: [3, 10, 30])) { Piece(value: "suspect", key: $0) }
        case .sizes:
            let large = String(repeating: "v", count: AdversaryPlan.messageLimit - 600)
            self.flood(self.count(of: [3, 10, 30])) { [unowned self] in
                Piece(value: [nil, "", large].randomElement(using: &self.random) ?? nil, key: $0)
            }
        case .longKeys:
            self.flood(self.count(of: [1, 3])) { [unowned self] _ in
                let length = AdversaryPlan.messageLimit - Int.random(in: 150...500, using: &self.random)
                let value = ["much", "undecodable", "plain"].randomElement(using: &self.random)
                return Piece(value: value, key: String(repeating: "k", count: length))
            }
        case .largeAnswers: self.flood(self.count(of: [1, 5, 20])) { Piece(value: "much", key: $0) }
        case .farTimes: self.planFarTimes()
        case .slow:
            let count = Int(self.plan.length / .seconds(1)) * Int.random(in: 1...6, using: &self.random)
            self.flood(count, isSteady: true) { Piece(value: "side", key: $0, isForTheSide: true) }
        case .dead:
            let bulk = Int.random(in: 200...80_000, using: &self.random)
            self.flood(self.count(of: [50, 200, 500])) {
                Piece(value: "side", key: $0, isForTheSide: true, bulk: bulk)
            }
        case .crowd:
            self.flood(self.count(of: [100, 400, 900])) { Piece(value: "side", key: $0, isForTheSide: true) }
        case .held:
            let bulk = self.chance(0.5) ? Int.random(in: 200...20_000, using: &self.random) : 0
            self.flood(self.count(of: [20, 200, 600])) {
                Piece(value: "held", key: $0, lane: "misconfigured", bulk: bulk)
            }
        // Some records must be unfinished, since otherwise a commit has nothing to remember.
        case .offsets: self.flood(self.count(of: [10, 40]), isSteady: true) { Piece(value: "late", key: $0) }
        case .deadly: self.flood(self.count(of: [1, 2])) { Piece(value: "deadly", key: $0) }
        case .hangs:
            self.flood(self.plan.hangs, isSteady: true) { Piece(value: "hangs", key: $0) }
        case .markers: self.planMarkers()
        case .delays: self.planDelays()
        case .growth, .clocks, .kills, .freezes, .outages, .invented, .madeAnew, .truncated, .badUploads,
            .bombs,
            .inventedPhones, .unmatchedClicks, .oneClient, .lateTickets:
            break
        }
    }

    /// Appends marks of transactions between the records of every partition, and after the last of them.
    private func planMarkers() {
        let mark = { [unowned self] in
            for partition in 0..<Int32(self.cluster.partitions) { self.appendMarker(to: partition) }
        }
        self.flood(self.count(of: [10, 100]), isSteady: true) { _ in mark() }
        self.timeline.after(self.plan.publishing + Self.tail, mark)
    }

    /// Publishes records that may be worked on when the honest publishers are through, and some with a nearer time.
    private func planDelays() {
        let end = self.timeline.clock.now.wall + self.plan.publishing.wholeMilliseconds
        let bulk = self.chance(0.5) ? Int.random(in: 200...20_000, using: &self.random) : 0
        var dueAtTheEnd = 0
        // They are as good as all others, and come all at once: 15 ms of the workers' time for each of them.
        self.timeline.after(self.plan.publishing) { [unowned self] in
            self.excuse(.milliseconds(15 * dueAtTheEnd))
        }
        self.flood(self.count(of: [50, 300, 900])) { [unowned self] in
            let now = self.timeline.clock.now.wall
            let soon = now + Int64.random(in: 0...30_000, using: &self.random)
            let time = self.chance(0.2) ? soon : max(soon, end)
            if time == end { dueAtTheEnd += 1 }
            return Piece(value: "delayed \(time)", key: $0, bulk: bulk, notBefore: time)
        }
    }

    private func planFarTimes() {
        self.flood(self.count(of: [3, 10])) { [unowned self] in
            let day: Int64 = 86_400_000
            let now = self.timeline.clock.now.wall
            let times = [0, -1, .max, .min, now + day, now + 600_000, now + 36_500 * day, now - day]
            return Piece(value: "far", key: $0, timestamp: times.randomElement(using: &self.random))
        }
        self.flood(self.count(of: [1, 5])) { Piece(value: "far off", key: $0) }
    }

    /// Publishes several records.
    ///
    /// - Parameter piece: makes the next record, of the key that it is given.
    private func flood(_ count: Int, isSteady: Bool? = nil, _ piece: @escaping (String?) -> Piece) {
        self.flood(count, isSteady: isSteady) { [unowned self] key in self.publish(piece(key)) }
    }

    private func publish(_ piece: Piece) {
        var headers = self.plan.headers(lane: piece.lane)
        if piece.isForTheSide {
            headers.append(RecordHeader("side", ""))
            if self.plan.isMoody { headers.append(RecordHeader("once", "")) }
        }
        if piece.bulk > 0 { headers.append(RecordHeader("bulk", [UInt8](repeating: 0, count: piece.bulk))) }
        if let time = piece.notBefore {
            headers.append(RecordHeader(NotBefore.header, RFC3339.string(time)))
        }
        let partition = Int32.random(in: 0..<Int32(self.cluster.partitions), using: &self.random)
        self.cluster.append(
            piece.value,
            key: piece.key,
            to: partition,
            timestamp: piece.timestamp,
            headers: headers
        )
    }

    /// No record is worked on before its time, unless the clock of a worker is wrong.
    private func judgeDelay(of call: SimulatedUpstream.Call) {
        let words = call.value.split(separator: " ")
        guard words.first == "delayed", let time = words.last.flatMap({ Int64($0) }),
            !self.plan.kinds.contains(.clocks), self.timeline.clock.now.wall < time
        else { return }
        self.complaints.append("\(call.name) is called for before its time")
    }

    // MARK: - The upstream

    func setReplies() {
        self.simulation.reply = { [unowned self] in self.reply(to: $0) }
    }

    private func reply(to call: SimulatedUpstream.Call) -> Reply {
        self.judgeDelay(of: call)
        let latency = self.milliseconds(1...80)
        if call.endpoint == .side, !self.isCalm {
            switch self.plan.side {
            case .dead: return .failure(.connect, mayHaveBeenSent: false, after: latency)
            case .slow where self.plan.isMoody:
                return self.chance(0.15) ? Reply(200, after: latency) : .timeout(after: .seconds(40))
            case .slow where self.chance(0.3): return .timeout(after: .seconds(10))
            case .slow: return Reply(200, after: self.milliseconds(8_000...10_000))
            default: break
            }
        }
        if self.isDown, call.endpoint == .main { return Reply(503, after: latency) }
        if call.lane == "misconfigured", !self.isCalm { return Reply(401, after: latency) }
        switch call.value {
        case "suspect" where !self.isCured: return Reply(403, after: latency)
        case "hangs" where !self.isCalm: return .timeout(after: .seconds(10))
        case "wrong": return Reply(422, after: latency)
        case "much": return Reply(207, after: latency)
        case "deadly":
            self.timeline.after(latency) { [unowned self] in self.die(of: call) }
            return Reply(200, after: latency)
        case "late" where !self.isCalm && self.chance(0.7): return Reply(409, after: latency, retryAfter: 20)
        case "far off" where !self.isCured:
            return Reply(409, after: latency, retryAfter: self.chance(0.5) ? 3_600 : 1_000_000_000)
        default: break
        }
        guard call.value.hasPrefix("poison"), !self.isCured else { return Reply(200, after: latency) }
        return self.poisonedReply(String(call.value.dropFirst("poison ".count)), after: latency)
    }

    private func poisonedReply(_ way: String, after latency: Duration) -> Reply {
        let ways = ["503", "cut", "page", "large"]
        switch way == "any" ? ways.randomElement(using: &self.random) ?? way : way {
        case "cut": return .failure(.cut, mayHaveBeenSent: true, after: latency)
        case "page": return Reply(200, after: latency, body: "<html>no</html>")
        case "large": return .failure(.tooLarge, mayHaveBeenSent: true, after: latency)
        default: return Reply(503, after: latency)
        }
    }
}
