import Foundation
import Records
import SwiftProtobuf
import WireFormats
import WireMessages

@testable import PushArrivalPages

typealias PushStatistics = Flotilla_Pusharrival_V1_PushStatistics

/// Statistics to look at.
enum Samples {
    static let topic = "push-arrival.stats"
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// Text from the public internet that means harm.
    static let hostile = [
        "<script>window.hurt=1</script>", "\"><img src=x onerror=window.hurt=1>", "'onfocus='window.hurt=1",
        "{{frame.title}}", "{{{evil}}}", "&lt;b&gt;", "\u{1B}[2J\u{1B}]0;owned\u{7}",
        "a\u{202E}b\u{200B}c\r\nd",
        "</table></title></textarea><svg/onload=window.hurt=1>", "javascript:window.hurt=1",
        "../../etc/passwd?x=1&id=2#3",
        String(repeating: "<b>", count: 3_400), " spaces ", "日本語 🇩🇪",
    ]

    /// A campaign that went well, as the worker publishes it.
    static func message(
        _ id: String = "spring-sale-0412",
        version: Int64 = 1,
        accepted: Int64 = 118_240,
        arrived: Int64 = 96_310,
        updatedAt: Int64 = now
    ) -> PushStatistics {
        var message = PushStatistics()
        message.provider = "apns"
        message.appBundle = "com.example.shop"
        message.messageID = id
        message.campaignID = "spring-sale"
        message.window = "cohort"
        message.version = version
        message.sent = accepted + 1_760
        message.accepted = accepted
        message.rejected = 1_760
        message.rejectedReasons = ["Unregistered": 1_612, "BadDeviceToken": 131, "TooManyRequests": 17]
        message.eligible = accepted - accepted / 40
        message.arrived = arrived
        message.shown = arrived - arrived / 30
        message.opened = arrived / 13
        message.dismissed = arrived / 5
        message.duplicates = arrived / 24
        message.lateDropped = 12
        message.ineligible = 3
        message.unknownDevice = 41
        message.skewAdjusted = arrived / 90
        message.sentMs = updatedAt - 5_400_000
        message.firstArrivalMs = updatedAt - 5_399_200
        message.lastArrivalMs = updatedAt - 1_500
        message.updatedMs = updatedAt
        self.addLags(to: &message)
        return message
    }

    /// The pushes that were sent to a segment on one day.
    ///
    /// - Parameters:
    ///   - day: the first instant of the day, in milliseconds since 1970.
    ///   - early: the arrivals that were reported within an hour.
    ///   - late: the arrivals that were reported later.
    static func segment(
        _ name: String,
        by dimension: String,
        on day: Int64,
        eligible: Int64,
        early: Int64,
        late: Int64
    ) -> PushStatistics {
        var statistics = PushStatistics()
        (statistics.provider, statistics.appBundle) = ("apns", "com.example.shop")
        (statistics.messageID, statistics.window, statistics.day) = ("all", "segment", TimesQuery.text(day))
        (statistics.segmentBy, statistics.segment, statistics.version) = (dimension, name, 1)
        (statistics.accepted, statistics.eligible) = (eligible + 7, eligible)
        (statistics.arrived, statistics.early) = (early + late, early)
        return statistics
    }

    /// Most within seconds, and a tail of those whose telephones were off.
    private static func addLags(to message: inout PushStatistics) {
        let arrived = Double(message.arrived)
        var sum: Int64 = 0
        for index in Int32(150)...Int32(480) {
            let place = Double(index)
            let quick = exp(-pow((place - 205) / 26, 2) / 2) / 65
            let slow = exp(-pow((place - 380) / 55, 2) / 2) / 138
            let count = Int64(arrived * (0.78 * quick + 0.22 * slow))
            guard count > 0 else { continue }
            message.lagSketchIndex.append(index)
            message.lagSketchCount.append(count)
            sum += count
        }
        message.lagUnknown = max(0, message.arrived - sum)
        message.clearLagP50Ms()
        var seen: Int64 = 0
        for (index, count) in zip(message.lagSketchIndex, message.lagSketchCount) {
            let lag = Int64(pow(1.04, Double(index) - 0.5))
            if seen * 2 < sum, (seen + count) * 2 >= sum { message.lagP50Ms = lag }
            if seen * 10 < sum * 9, (seen + count) * 10 >= sum * 9 { message.lagP90Ms = lag }
            seen += count
        }
    }

    static func statistics(
        _ message: PushStatistics = message(),
        as contentType: String? = "application/json"
    ) throws -> PushStatisticsRecord {
        let outbound = try Self.record(message, as: contentType)
        return try PushStatisticsRecord(
            decoding: InboundRecord(
                topic: Self.topic,
                partition: 0,
                offset: 0,
                value: outbound.value,
                headers: outbound.headers
            )
        )
    }

    /// - Parameter contentType: nil for a record that does not say it; then it is JSON.
    static func record(
        _ message: PushStatistics,
        as contentType: String? = "application/json"
    ) throws -> OutboundRecord {
        OutboundRecord(
            topic: Self.topic,
            key: Array("\(message.provider)|\(message.appBundle)|\(message.messageID)|\(message.day)".utf8),
            value: contentType?.contains("protobuf") == true
                ? try message.serializedBytes() : try message.jsonUTF8Bytes(),
            headers: contentType.map { [RecordHeader("content-type", $0)] } ?? []
        )
    }
}
