import Foundation
import Testing
import WorkerTestSupport

/// `plan`, `interpret` and `check-config` of the routes to Tencent's living interfaces, run as processes.
@Suite(.timeLimit(.minutes(10)))
struct MarketingCommandTests {
    private static let settings = SettingsText(
        """
        kafka:
          brokers: localhost:9092
        gdt:
          apps:
            - app_id: 112233
              advertiser_id: 10000
              route: marketing_api
              user_action_set_id: 77
              access_token: s3cr3t
              callbacks: true

        """
    )
    private static let now = ["--config", "{settings}", "--now", "\(PlanCommandTests.convertedAt)"]

    private static func record(callback: String) -> String {
        String(PlanCommandTests.good.dropLast()) + #","callback":"\#(callback)"}"#
    }

    private static func plan(_ record: String, _ options: [String] = []) throws -> NSDictionary {
        let command = try WorkerCommand(
            ["plan"] + Self.now + options,
            settings: Self.settings,
            input: Array(record.utf8)
        )
        #expect(command.status == 0)
        return try #require(command.objects.first)
    }

    @Test func planShowsTheRequestWithoutTheToken() throws {
        let line = try Self.plan(PlanCommandTests.good)
        #expect(
            line["method"] as? String == "POST" && line["lane"] as? String == "112233/10000/marketing_api"
        )
        let url = try #require(line["url"] as? String)
        #expect(
            url == "https://api.e.qq.com/v3.0/user_actions/add?access_token=masked"
                + "&timestamp=\(PlanCommandTests.convertedAt)&nonce=\(String(repeating: "0", count: 32))"
        )
        let body = try #require(line["body"] as? String)
        #expect(
            body.hasPrefix(#"{"account_id":10000,"user_action_set_id":77,"actions":[{"outer_action_id":""#)
        )
        #expect(body.contains(#""hash_imei":"masked""#) && body.contains(#""ip":"masked""#))
        let revealed = try Self.plan(PlanCommandTests.good, ["--reveal"])
        #expect((revealed["url"] as? String)?.contains("access_token=s3cr3t&") == true)
    }

    /// A phone chooses its user agent, and quotation marks in it.
    @Test func planMasksEveryIDAndTheUserAgent() throws {
        let more =
            #","hashOaid":"83e9158a4fb54c0e1ef0b238639a23ae","hashAndroidId":"b496ec1169770ea274a2b4f42ca4fb71","#
            + #""caid":"507b36cb","caidVersion":"1005","userAgent":"a\"\\\",\"x\":\"Secret"}"#
        let line = try Self.plan(String(PlanCommandTests.good.dropLast()) + more)
        let body = try #require(line["body"] as? String)
        for name in ["hash_oaid", "hash_android_id", "caid", "user_agent"] {
            #expect(body.contains(#""\#(name)":"masked""#), "\(body)")
        }
        for secret in ["83e9158a", "b496ec11", "507b36cb", "Secret"] { #expect(!body.contains(secret)) }
        #expect(body.contains(#""caid_version":"1005""#) && body.hasSuffix(#""user_agent":"masked"}}]}"#))
    }

    @Test func planShowsTheCallback() throws {
        let record = Self.record(
            callback: "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3Da%252Bb%26conv_id%3D1"
        )
        #expect(try Self.plan(record)["url"] as? String == "http://tracking.e.qq.com/conv?masked")
        let refused = try Self.plan(Self.record(callback: "http%3A%2F%2F169.254.169.254%2Flatest"))
        #expect(
            refused["reason"] as? String == "callback.host" && refused["outcome"] as? String == "rejected"
        )
    }

    @Test func interpretShowsTheVerdict() throws {
        let cases = [(0, "answer"), (11_017, "retry"), (11_002, "hold"), (31_001, "reject")]
        let lines = cases.map { code, _ in
            #"{"record":\#(PlanCommandTests.good),"body":{"code":\#(code),"message":"m"}}"#
        }
        let command = try WorkerCommand(
            ["interpret"] + Self.now,
            settings: Self.settings,
            input: Array(lines.joined(separator: "\n").utf8)
        )
        #expect(command.objects.map { $0["verdict"] as? String } == cases.map(\.1))
        #expect(command.objects[1]["after_ms"] as? Int == 60_000)
        #expect(command.objects[3]["outcome"] as? String == "rejected")
        #expect(command.output.contains(#""route":"marketing_api""#))
    }
}
