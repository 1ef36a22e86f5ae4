import Harness
import Records
import ServiceKit

/// The push events of a chaos run with an adversary.
///
/// Honest devices tell that a push was sent to them and that it has arrived. One hostile device tells of a message that
/// does not exist in each of its events.
struct PushInputs: LoadSource {
    static let bundleID = "com.example.chaos"
    /// The number of keys of honest devices. One more key is the hostile device's.
    static let honestDevices = 500
    static let keys = honestDevices + 1
    /// The percentage of events of the hostile device. It is far above `newMessages`.
    private static let flood = 50
    /// The value of `push.new_messages` of the workers: new messages of one device that a partition takes up in a second.
    /// After a quiet time it takes up 100 times as many.
    static let newMessages = 1

    /// The number of invented messages from which on one must be rejected, also if kills let the workers begin anew often.
    static let floodedFrom = 1_000

    private let topic: String
    private var honest = 0
    private var invented = 0

    init(topic: String) { self.topic = topic }

    mutating func next(at time: Duration, using random: inout SplitMix64) -> LoadInput {
        guard Int.random(in: 0..<100, using: &random) >= Self.flood else {
            self.invented += 1
            let record = self.record("arrived", of: "invented-\(self.invented)", on: Self.honestDevices)
            return LoadInput(
                record: record,
                kind: .inventedMessage,
                key: Self.honestDevices,
                isHonest: false
            )
        }
        defer { self.honest += 1 }
        // Two events in a row are about one device, and each push goes to every device.
        let (push, device) = (self.honest / 2).quotientAndRemainder(dividingBy: Self.honestDevices)
        let type = self.honest.isMultiple(of: 2) ? "sent" : "arrived"
        let record = self.record(type, of: "push-\(push)", on: device)
        return LoadInput(record: record, kind: .pushEvent, key: device, isHonest: true)
    }

    /// - Parameter device: the number of the device, which is that of its key.
    private func record(_ type: String, of message: String, on device: Int) -> OutboundRecord {
        let device = String(decoding: ChaosAudit.key(device), as: UTF8.self)
        let now = Moment.now.wall
        let value =
            #"{"type":"\#(type)","messageId":"\#(message)","deviceId":"\#(device)","appBundle":"\#(Self.bundleID)","#
            + #""serverMs":\#(now),"sentMs":\#(now),"status":"accepted"}"#
        return OutboundRecord(topic: self.topic, value: Array(value.utf8))
    }
}
