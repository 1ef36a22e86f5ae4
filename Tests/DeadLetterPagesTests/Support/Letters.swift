import Foundation
import Records
import WireFormats

/// Dead letters to look at.
enum Letters {
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// A letter as our workers write them, of a record that stood at this offset.
    static func letter(
        offset: Int64,
        reason: String = "gdt.-12",
        kind: String = "exhausted",
        replayable: String = "yes",
        key: [UInt8]? = Array("device-1".utf8),
        value: [UInt8]? = Array(Self.activation.utf8),
        at time: Int64? = nil,
        headers: [RecordHeader] = []
    ) -> OutboundRecord {
        OutboundRecord(
            topic: Stage.letterTopic,
            key: key,
            value: value,
            headers: headers + [
                RecordHeader("content-type", "application/json"),
                RecordHeader("__dlq.errors.topic", Stage.originalTopic),
                RecordHeader("__dlq.errors.partition", "0"),
                RecordHeader("__dlq.errors.offset", String(offset)),
                RecordHeader("__dlq.errors.group", "activation-worker"),
                RecordHeader("__dlq.errors.message", "gdt refused it with code -12"),
                RecordHeader("dlq.class", kind), RecordHeader("dlq.reason", reason),
                RecordHeader("dlq.attempts", "6"), RecordHeader("dlq.worker", "activation-worker"),
                RecordHeader("dlq.worker_version", "1.4.0"), RecordHeader("dlq.replayable", replayable),
                RecordHeader("dlq.upstream", "gdt"), RecordHeader("dlq.upstream_status", "200"),
            ],
            timestamp: time
        )
    }

    /// A person's data: it stands in the payload, and nobody may see it without a reason.
    static let secret = "1E2DFA89-496A-47FD-9941-DF1FC4E6484A"

    static let activation = """
        {"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE",\
        "deviceId":"\(Self.secret)","convertedAt":"2026-11-21T08:00:00Z","clientIp":"10.11.12.13"}
        """

    /// As a worker publishes it to `activation.result`.
    static func outcome(of replayed: InboundRecord, _ fate: String, reason: String? = nil) -> OutboundRecord {
        let why = reason.map { "\"reason\":{\"code\":\"\($0)\"}," } ?? ""
        let text = """
            {"outcome":{"id":"activation/\(replayed.partition)/\(replayed.offset)","topic":"activation",\
            "partition":\(replayed.partition),"offset":"\(replayed.offset)","fate":"\(fate)",\(why)"attempts":1,\
            "settledAt":"\(RFC3339.string(Self.now))","worker":"activation-worker","workerVersion":"1.4.0"}}
            """
        return OutboundRecord(
            topic: Stage.originalTopic + ".result",
            key: replayed.key,
            value: Array(text.utf8),
            headers: [
                RecordHeader("content-type", "application/json"),
                RecordHeader("dlq.replay_id", replayed.header("dlq.replay_id")),
            ]
        )
    }
}
