import Foundation
import Records

/// Events of a campaign as backends publish them, and what must be told of them in the end.
///
/// The expected numbers are counted here from the records alone, by nothing that the worker has a part in.
struct PushEvents {
    struct Expected: Hashable {
        var sent = 0
        var accepted = 0
        var rejected = 0
        var arrived = 0
        var shown = 0
        var opened = 0
        var dismissed = 0
        var duplicates = 0
        var histogram = [0, 0, 0, 0, 0, 0]
    }

    private(set) var records: [OutboundRecord] = []
    private(set) var expected: [String: Expected] = [:]
    /// How many results of each kind there must be.
    private(set) var accepted = 0
    private(set) var duplicates = 0

    static let start: Int64 = 1_716_595_200_000
    private static let edges: [Int64] = [60, 300, 3_600, 21_600, 86_400].map { $0 * 1_000 }

    /// - Parameters:
    ///   - count: of events; one in five repeats an earlier one.
    ///   - messages: of different messages.
    init(_ count: Int, messages: Int, to topic: String, seed: UInt64) {
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var lines: [(device: String, json: String)] = []
        var number = 0
        while lines.count < count {
            if lines.count % 5 == 4 {
                // The repeated event is of any age: repeats come at once and much later.
                let line = lines[random(lines.count)]
                lines.append(line)
                self.note(line, isRepeat: true)
                continue
            }
            let line = Self.line(number, messages)
            number += 1
            lines.append(line)
            self.note(line, isRepeat: false)
        }
        for (index, line) in lines.enumerated() {
            // Every third has a key that does not lead to its device's partition.
            let key = index % 3 == 0 ? "other-\(index % 1_000)" : line.device
            self.records.append(
                OutboundRecord(topic: topic, key: Array(key.utf8), value: Array(line.json.utf8))
            )
        }
    }

    /// The n-th event that there is: each (message, device, kind) once.
    private static func line(_ number: Int, _ messages: Int) -> (device: String, json: String) {
        let kind = ["sent", "arrived", "opened", "shown", "dismissed"][number % 5]
        let pair = number / 5
        let message = pair % messages
        let device = pair / messages
        let lag = Int64(device * 7_919 % 100_000_000)
        var members = [
            #""type":"\#(kind)""#, #""messageId":"m\#(message)""#, #""deviceId":"d\#(device)""#,
            #""appBundle":"com.example.app""#,
        ]
        if kind == "sent" {
            members += [
                #""serverMs":\#(Self.start)"#, #""status":"\#(device % 10 == 0 ? "rejected" : "accepted")""#,
            ]
        } else {
            members += [
                #""serverMs":"\#(Self.start + lag + 500)""#, #""deviceMs":\#(lag + 77)"#,
                #""uploadMs":\#(lag + 577)"#,
                #""sentMs":\#(Self.start)"#,
            ]
        }
        return ("d\(device)", "{\(members.joined(separator: ","))}")
    }

    private mutating func note(_ line: (device: String, json: String), isRepeat: Bool) {
        guard let event = (try? JSONSerialization.jsonObject(with: Data(line.json.utf8))) as? [String: Any],
            let message = event["messageId"] as? String, let kind = event["type"] as? String
        else { return }
        guard !isRepeat else {
            self.expected[message, default: Expected()].duplicates += 1
            return self.duplicates += 1
        }
        self.accepted += 1
        switch kind {
        case "sent":
            self.expected[message, default: Expected()].sent += 1
            if event["status"] as? String == "accepted" {
                self.expected[message]?.accepted += 1
            } else {
                self.expected[message]?.rejected += 1
            }
        case "arrived":
            self.expected[message, default: Expected()].arrived += 1
            guard let device = Int(line.device.dropFirst()) else { return }
            let lag = Int64(device * 7_919 % 100_000_000)
            self.expected[message]?.histogram[Self.edges.firstIndex { lag <= $0 } ?? 5] += 1
        case "opened": self.expected[message, default: Expected()].opened += 1
        case "shown": self.expected[message, default: Expected()].shown += 1
        default: self.expected[message, default: Expected()].dismissed += 1
        }
    }
}
