import Foundation
import NotificationServiceExtension
import Records
import Testing
import WireFormats
import WorkerTestSupport

/// The sample extension of `Schemas/examples` posts what this gateway takes, and loses nothing that it could post later.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ExtensionTests {
    private static let app = "com.example.app"
    private static var payloads: [(userInfo: [AnyHashable: Any], id: String?)] {
        [
            (
                [
                    "aps": ["alert": "Hello"], "mid": "spring-17", "cid": "spring",
                    "st": Int64(1_763_962_600_000),
                    "seg": ["appVersion": "3.2.1", "osVersion": "17.5", "country": "DE"],
                ], "spring-17"
            ),
            (["aps": ["alert": "Hello"], "_j_msgid": Int64(29_273_432_613_945_685)], "29273432613945685"),
            (["gcm.message_id": "1566515531287827", "google.c.a.ts": "1763962600"], "1566515531287827"),
            (["aps": ["alert": "Hello"]], nil), (["mid": ""], nil),
        ]
    }

    private static func reports(_ folder: TemporaryFolder, limit: Int = 500) throws -> KeptReports {
        try KeptReports(in: folder.url, limit: limit)
    }

    private static func keep(_ reports: KeptReports) throws -> Int {
        let device = try reports.installation()
        let made = Self.payloads.compactMap {
            PushReport(.arrived, of: $0.userInfo, app: Self.app, device: device)
        }
        for report in made { try reports.keep(report) }
        return made.count
    }

    private static func reporter(_ stage: Stage, _ reports: KeptReports) throws -> PushReporter {
        PushReporter(
            url: try #require(URL(string: "http://127.0.0.1:\(stage.port)/push-arrivals")),
            reports: reports
        )
    }

    @Test func whatWasKeptIsPostedOnce() async throws {
        let folder = try TemporaryFolder()
        let reports = try Self.reports(folder)
        #expect(try Self.keep(reports) == 3, "a push without an id says nothing")
        // Port 1 has no listener, so everything stays.
        let nobody = PushReporter(
            url: try #require(URL(string: "http://127.0.0.1:1/push-arrivals")),
            reports: reports
        )
        #expect(try await nobody.post(within: 0.5) == 3)
        try await Stage.run { stage async throws in
            let reporter = try Self.reporter(stage, reports)
            #expect(try await reporter.post(within: 60) == 0)
            #expect(try await reporter.post(within: 60) == 0)
            let records = try await stage.records(on: "push-arrival")
            #expect(records.count == 3)
            let device = try reports.installation()
            var ids: [String] = []
            for record in records {
                #expect(record.keyText == device)
                #expect(!record.text.contains("Hello"), "no text of the push goes on")
                let event = try PushEvent(decoding: record, now: Int64(Date().timeIntervalSince1970 * 1_000))
                #expect(event.kind == .arrived)
                let isNamed = event.messageID == "spring-17"
                #expect(event.segments.appVersion == (isNamed ? "3.2.1" : ""))
                #expect(
                    event.segments.osVersion == (isNamed ? "17.5" : "") && event.segments.deviceModel.isEmpty
                )
                ids.append(event.messageID)
            }
            #expect(ids.sorted() == Self.payloads.compactMap(\.id).sorted())
        }
    }

    /// A report that the gateway refuses keeps no other from being posted.
    @Test func oneBadReportIsForgottenAlone() async throws {
        let folder = try TemporaryFolder()
        let reports = try Self.reports(folder)
        #expect(try Self.keep(reports) == 3)
        var bad = try #require(
            PushReport(
                .opened,
                of: ["mid": "x"],
                app: Self.app,
                device: "d",
                now: Date(timeIntervalSince1970: 1)
            )
        )
        bad.campaignId = String(repeating: "x", count: 70_000)
        try reports.keep(bad)
        try Data("no report".utf8).write(to: reports.folder.appendingPathComponent("0-broken.json"))
        try await Stage.run(gateway: ["body_limit: 60000"]) { stage async throws in
            let reporter = try Self.reporter(stage, reports)
            #expect(try await reporter.post(within: 60) == 0)
            #expect(try await stage.records(on: "push-arrival").count == 3)
        }
    }

    /// While the cluster does not take records, the gateway says 503, and the reports stay.
    @Test func nothingIsForgottenWhileTheClusterIsDown() async throws {
        let folder = try TemporaryFolder()
        let reports = try Self.reports(folder)
        let kept = try Self.keep(reports)
        try await Stage.run(topics: ["sdk-upload"], isReady: false) { stage async throws in
            #expect(try await Self.reporter(stage, reports).post(within: 60) == kept)
        }
    }

    @Test func theOldestReportsGoFirst() throws {
        let folder = try TemporaryFolder()
        let reports = try Self.reports(folder, limit: 5)
        for second in 0..<9 {
            let time = Date(timeIntervalSince1970: 1_763_962_600 + Double(second))
            try reports.keep(
                #require(PushReport(.shown, of: ["mid": "\(second)"], app: Self.app, device: "d", now: time))
            )
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: reports.folder.path).sorted()
        #expect(left.map { $0.prefix(13) } == (4..<9).map { "\(1_763_962_600 + $0)000" })
    }
}
