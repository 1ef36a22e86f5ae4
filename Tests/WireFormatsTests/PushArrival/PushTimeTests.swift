import Foundation
import TestMaterial
import Testing

@testable import WireFormats

@Suite struct PushTimeTests {
    static let sent = PushEventDraft.sent
    /// Received a minute after it was sent.
    static let server = Self.sent + 60_000

    static func event(
        _ device: Int64?,
        _ upload: Int64?,
        sent: Int64? = nil,
        server: Int64 = PushTimeTests.server,
        kind: PushEvent.Kind = .arrived
    ) -> PushEvent {
        PushEvent(
            kind,
            deviceID: "d",
            sentMS: sent,
            deviceMS: device,
            uploadMS: upload,
            serverMS: server
        )
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var device: Int64?
        var upload: Int64?
        var sent: Int64?
        /// After the sending of all rows.
        var corrected: Int64
        var isAdjusted: Bool

        init(
            _ name: String,
            _ device: Int64?,
            _ upload: Int64?,
            sent: Int64? = PushTimeTests.sent,
            _ corrected: Int64,
            isAdjusted: Bool = false
        ) {
            (self.name, self.device, self.upload, self.sent) = (name, device, upload, sent)
            (self.corrected, self.isAdjusted) = (corrected, isAdjusted)
        }

        var testDescription: String { self.name }
    }

    static let rows = [
        Row("a good clock", sent + 50_000, sent + 60_000, 50_000),
        Row("at once", sent + 60_000, sent + 60_000, 60_000),
        Row("a day fast", sent + 86_450_000, sent + 86_460_000, 50_000),
        Row("in 1970", 1_000, 11_000, 50_000), Row("in 2100", 4_102_444_800_000, 4_102_444_810_000, 50_000),
        Row("before 1970", -11_000, -1_000, 50_000),
        Row("at the very moment of sending", sent, sent + 60_000, 0),
        Row("before it was sent", sent - 1, sent + 60_000, 0, isAdjusted: true),
        Row("reported before it happened", sent + 60_001, sent + 60_000, 60_000, isAdjusted: true),
        Row("without its time", nil, sent + 60_000, 60_000, isAdjusted: true),
        Row("without the time of the report", sent + 50_000, nil, 60_000, isAdjusted: true),
        Row("without a clock", nil, nil, 60_000, isAdjusted: true),
        Row("as early as can be said", .min, .max, 0, isAdjusted: true),
        Row("as late as can be said", .max, .min, 60_000, isAdjusted: true),
        Row("at both ends alike", .max, .max, 60_000), Row("at the other end alike", .min, .min, 60_000),
        Row("early by what overflows", .min, 0, 0, isAdjusted: true),
        Row("late by what overflows", 0, .min, 60_000, isAdjusted: true),
        // The time of sending is not known.
        Row("unsent, a good clock", sent + 50_000, sent + 60_000, sent: nil, 50_000),
        Row("unsent, long before", sent - 86_400_000, sent + 60_000, sent: nil, -86_400_000),
        Row("unsent, set right in between", 0, sent + 60_000, sent: nil, 60_000, isAdjusted: true),
        Row(
            "unsent, the first moment of 2015",
            1_420_070_400_000,
            server,
            sent: nil,
            1_420_070_400_000 - sent
        ),
        Row("unsent, before", 1_420_070_399_999, server, sent: nil, 60_000, isAdjusted: true),
        Row("unsent, as early as can be said", .min, .max, sent: nil, 60_000, isAdjusted: true),
        // The sender's clock is ahead of the edge's.
        Row(
            "received before it was sent",
            sent + 50_000,
            sent + 60_000,
            sent: server + 5_000,
            65_000,
            isAdjusted: true
        ),
        Row("sent at no time at all", sent + 50_000, sent + 60_000, sent: .min, 50_000),
        Row(
            "sent at the end of time",
            sent + 50_000,
            sent + 60_000,
            sent: .max,
            .max - sent,
            isAdjusted: true
        ),
    ]

    @Test(arguments: rows)
    func isCorrected(row: Row) {
        let corrected = Self.sent + row.corrected
        for kind in PushEvent.Kind.allCases where kind != .sent {
            let own = PushTime(of: Self.event(row.device, row.upload, sent: row.sent, kind: kind))
            #expect(own.correctedMS == corrected && own.isAdjusted == row.isAdjusted)
            #expect(own.sentMS == row.sent)
            let lag = row.sent.map { $0 == .min ? Int64.max : corrected - $0 }
            #expect(own.lagMS == lag)
            // A time of sending from a better source than the event has the last word.
            let told = Self.event(row.device, row.upload, sent: Self.sent - 7, kind: kind)
            if let sent = row.sent { #expect(PushTime(of: told, sentMS: sent) == own) }
        }
    }

    @Test func ofASendingIsThatOfTheServer() {
        let known = PushTime(of: Self.event(5, nil, sent: Self.sent, kind: .sent), sentMS: Self.sent - 9)
        #expect(known.correctedMS == Self.sent && known.sentMS == Self.sent - 9)
        #expect(!known.isAdjusted && known.lagMS == nil)
        #expect(PushTime(of: Self.event(nil, nil, kind: .sent)).correctedMS == Self.server)
    }

    @Test(
        arguments: [
            (0, 0, false), (259_200_000, 259_200_000, false), (259_200_001, 259_200_000, true),
            (-1, 0, false), (1, 0, true),
            (.max, .max, false),
        ] as [(Int64, Int64, Bool)]
    )
    func isLateOnlyAfterTheLastMoment(age: Int64, allowed: Int64, isLate: Bool) {
        let event = Self.event(nil, nil, sent: 0, server: age)
        #expect(PushTime.isLate(event, sentMS: nil, allowedMS: allowed) == isLate)
        #expect(PushTime.isLate(Self.event(nil, nil, server: age), sentMS: 0, allowedMS: allowed) == isLate)
    }

    @Test func lateDoesNotOverflow() {
        let last = Self.event(nil, nil, server: .max)
        #expect(PushTime.isLate(last, sentMS: .min, allowedMS: .max))
        let first = Self.event(nil, nil, server: .min)
        #expect(!PushTime.isLate(first, sentMS: .max, allowedMS: 0))
        #expect(!PushTime.isLate(last, sentMS: nil, allowedMS: 0))
    }

    @Test func plausibleDoesNotOverflow() {
        #expect(PushTime.isPlausible(.max, asOf: .max) && PushTime.isPlausible(.max, asOf: .max - 1))
        #expect(!PushTime.isPlausible(.max, asOf: 0) && !PushTime.isPlausible(0, asOf: .max))
        #expect(!PushTime.isPlausible(.min, asOf: .min))
    }

    /// The vectors state lags, lateness and adjustment, which are checked here without the machine that
    /// counts.
    @Test func agreesWithTheVectors() throws {
        let rows: [PushStatisticsRow] = VectorFile.rows("push_statistics")
        #expect(rows.count == 4)
        for row in rows {
            var histogram = [Int](repeating: 0, count: row.config.lag_edges_s.count + 1)
            var (late, adjusted) = (0, 0)
            for event in row.events where event.type == "arrived" {
                let sent = row.events.first { $0.type == "sent" }?.server_ms
                let known = PushEvent(
                    .arrived,
                    messageID: event.message_id,
                    deviceID: event.device_id,
                    sentMS: event.sent_ms,
                    deviceMS: event.device_ms,
                    uploadMS: event.upload_ms,
                    serverMS: event.server_ms
                )
                let allowed = row.config.allowed_lateness_s * 1_000
                guard !PushTime.isLate(known, sentMS: sent, allowedMS: allowed) else {
                    late += 1
                    continue
                }
                let time = PushTime(of: known, sentMS: sent)
                adjusted += time.isAdjusted ? 1 : 0
                let lag = try #require(time.lagMS)
                let edge = row.config.lag_edges_s.firstIndex { lag <= $0 * 1_000 }
                histogram[edge ?? histogram.count - 1] += 1
            }
            let expected = try #require(row.expected.first)
            #expect(histogram == expected.lag_hist && late == expected.late_dropped, "\(row.name)")
            #expect(adjusted == expected.skew_adjusted)
        }
    }
}

/// A row of `push_statistics.jsonl`, as far as times go.
struct PushStatisticsRow: Decodable, Sendable {
    struct Config: Decodable, Sendable {
        var lag_edges_s: [Int64]
        var allowed_lateness_s: Int64
    }

    struct Event: Decodable, Sendable {
        var type: String
        var message_id: String
        var device_id: String
        var sent_ms: Int64?
        var device_ms: Int64?
        var upload_ms: Int64?
        var server_ms: Int64
    }

    struct Expected: Decodable, Sendable {
        var late_dropped: Int
        var skew_adjusted: Int
        var lag_hist: [Int]
    }

    var name: String
    var config: Config
    var events: [Event]
    var expected: [Expected]
}
