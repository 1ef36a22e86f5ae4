import Foundation
import Testing
import WebPages
import WireMessages

@testable import PushArrivalPages

/// The variants of a campaign side by side: on the page and in the read API.
struct ComparisonTests {
    private static let day: Int64 = 86_400_000

    private static func message(
        _ id: String,
        opened: Int64,
        of accepted: Int64 = 20_000,
        arrived: Int64? = nil,
        age: Int64 = day,
        complete: Bool = false,
        provider: String = "apns",
        campaign: String = "spring"
    ) -> PushStatistics {
        var message = PushStatistics()
        (message.provider, message.appBundle, message.messageID) = (provider, "com.example.shop", id)
        (message.window, message.campaignID, message.complete) = ("cohort", campaign, complete)
        (message.accepted, message.opened) = (accepted, opened)
        message.arrived = arrived ?? accepted * 4 / 5
        message.sentMs = PageReader.now - age
        message.updatedMs = PageReader.now - 1_000
        return message
    }

    private static func words(_ query: String, _ messages: [PushStatistics]) throws -> String {
        PageReader.words(PageReader.page("/compare", query, of: try PageReader.pages(messages)))
    }

    private static func document(_ query: String, _ messages: [PushStatistics]) throws -> [String: Any] {
        let answer = PageReader.get("/api/v1/comparison", query, of: try PageReader.pages(messages))
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private static func comparisons(_ query: String, _ messages: [PushStatistics]) throws -> [[String: Any]] {
        try #require(try Self.document(query, messages)["comparisons"] as? [[String: Any]])
    }

    /// The verdict on the one variant beside the base.
    private static func verdict(_ messages: [PushStatistics], _ query: String = "") throws -> String {
        let all = try Self.comparisons("campaign=spring&\(query)", messages)
        #expect(all.count == 1)
        let reason = all.first?["reason"] as? String
        return (all.first?["verdict"] as? String ?? "none") + (reason.map { " \($0)" } ?? "")
    }

    // MARK: Verdicts

    @Test func aVerdictIsPlain() throws {
        let base = Self.message("a", opened: 1_000)
        #expect(try Self.verdict([base, Self.message("b", opened: 1_250)]) == "better")
        #expect(try Self.verdict([base, Self.message("b", opened: 800)]) == "worse")
        #expect(try Self.verdict([base, Self.message("b", opened: 1_050)]) == "undecided")
        #expect(try Self.verdict([base, Self.message("b", opened: 1_050)], "margin=2") == "same")
        #expect(try Self.verdict([base, Self.message("b", opened: 19)]) == "waiting few-devices")
    }

    @Test func thePageSaysHowManyDevicesAreMissing() throws {
        let messages = [Self.message("a", opened: 1_000), Self.message("b", opened: 1_100)]
        let words = try Self.words("campaign=spring", messages)
        #expect(words.contains("a still counting sent 2026-09-20 14:13:20 UTC 5.0 % 1,000 of 20,000 base"))
        let sentence = "undecided Not decided yet: about 40,000 more devices needed."
        #expect(words.contains("1,100 of 20,000 +0.50 points −0.19 to +1.19 \(sentence)"), "\(words)")
        let more = try Self.comparisons("campaign=spring", messages).first?["moreDevices"] as? Int
        #expect(more == 40_000)
    }

    @Test func aVariantThatHadMoreTimeIsNotJudged() throws {
        let base = Self.message("a", opened: 1_000)
        let hour: Int64 = 3_600_000
        let later = Self.message("b", opened: 500, age: Self.day - hour)
        #expect(try Self.verdict([base, later]) == "waiting unequal-age")
        // A gap of a hundredth of the age is none.
        let soon = Self.message("b", opened: 500, age: Self.day - Self.day / 102)
        #expect(try Self.verdict([base, soon]) == "worse")
        var complete = [base, later]
        for place in 0..<2 { complete[place].complete = true }
        #expect(try Self.verdict(complete) == "worse")
        var unknown = later
        unknown.clearSentMs()
        #expect(try Self.verdict([base, unknown]) == "waiting unequal-age")
    }

    @Test func aVariantWhoseSendingIsNotKnownIsNotJudged() throws {
        let base = Self.message("a", opened: 1_000)
        let behind = Self.message("b", opened: 1_250, of: 10_000, arrived: 16_000)
        #expect(try Self.verdict([base, behind]) == "waiting sending")
        #expect(try Self.verdict([base, behind], "measure=opened-of-arrived") == "better")
        #expect(try Self.verdict([base, behind], "measure=arrived") == "waiting sending")
    }

    @Test func severalVariantsMakeEachIntervalWider() throws {
        let three = [
            Self.message("a", opened: 1_000), Self.message("b", opened: 1_250),
            Self.message("c", opened: 1_250),
        ]
        func width(_ messages: [PushStatistics]) throws -> Double {
            let pair = try #require(try Self.comparisons("campaign=spring", messages).first)
            return try #require(pair["high"] as? Double) - (try #require(pair["low"] as? Double))
        }
        #expect(try width(three) > width(Array(three.prefix(2))) * 1.05)
    }

    // MARK: Variants

    @Test func oneMessageOverTwoChannelsIsOneVariant() throws {
        let messages = [
            Self.message("a", opened: 1_000), Self.message("a", opened: 500, provider: "fcm"),
            Self.message("b", opened: 1_250), Self.message("x", opened: 9, campaign: "spring-2"),
        ]
        let document = try Self.document("campaign=spring", messages)
        let variants = try #require(document["variants"] as? [[String: Any]])
        #expect(variants.map { $0["messageId"] as? String } == ["a", "b"])
        #expect(variants.map { $0["accepted"] as? Int } == [40_000, 20_000])
        #expect(variants.map { $0["messages"] as? Int } == [2, 1])
        let none = try Self.document("campaign=spring&app=com.example", messages)
        #expect(none["faults"] as? [String] == ["The dashboard has no message of that campaign."])
    }

    @Test func variantsAndBaseAreChosen() throws {
        let messages = (0..<12).map {
            Self.message("m-\($0)", opened: 1_000, age: Self.day - Int64($0) * 1_000)
        }
        let usual = try Self.document("campaign=spring", messages)
        #expect((usual["variants"] as? [Any])?.count == 8 && usual["leftOut"] as? Int == 4)
        #expect(usual["base"] as? String == "m-4")
        let chosen = try Self.document("campaign=spring&variant=m-1&variant=m-9&base=m-9", messages)
        #expect(chosen["base"] as? String == "m-9" && (chosen["comparisons"] as? [Any])?.count == 1)
        let page = PageReader.page(
            "/compare",
            "campaign=spring&variant=m-1&variant=m-9&base=m-9",
            of: try PageReader.pages(messages)
        )
        #expect(page.contains("name=\"base\" value=\"m-9\" checked>"))
        #expect(page.contains("name=\"variant\" value=\"m-1\" checked>"))
        #expect(page.contains("name=\"variant\" value=\"m-2\">"))
        #expect(page.contains("10 messages of the campaign not compared here."))
    }

    @Test(arguments: ["measure=clicks", "margin=0", "margin=x", "base=nobody", "variant=nobody"])
    func aFieldThatCannotBeReadIsNamed(query: String) throws {
        let messages = [Self.message("a", opened: 1_000), Self.message("b", opened: 1_250)]
        let faults = try Self.document("campaign=spring&\(query)", messages)["faults"] as? [String]
        let start = "The field \(query.prefix { $0 != "=" }) "
        #expect(faults?.first?.hasPrefix(start) == true)
        let page = PageReader.page(
            "/compare",
            "campaign=spring&\(query)",
            of: try PageReader.pages(messages)
        )
        #expect(page.contains("role=\"alert\">\(start)"))
    }

    // MARK: Ways to the page

    @Test func aCampaignWithTwoMessagesIsOffered() throws {
        let messages = [
            Self.message("a", opened: 10), Self.message("b", opened: 10),
            Self.message("alone", opened: 10, campaign: "single"),
        ]
        let pages = try PageReader.pages(messages)
        let link = "href=\"/compare?campaign=spring\""
        let offer = PageReader.page("/compare", of: pages)
        #expect(offer.contains("\(link)>spring</a>") && !offer.contains("campaign=single"))
        let list = PageReader.page("/", "group=campaign", of: pages)
        #expect(list.contains(link) && !list.contains("campaign=single\">Compare"))
        let detail = PageReader.page("/message", PageReader.address(messages[0]), of: pages)
        #expect(detail.contains("href=\"/compare?campaign=spring&amp;app=com.example.shop\""))
        // A page with a form is not loaded anew while somebody fills it in.
        #expect(!offer.contains("http-equiv=\"refresh\"") && list.contains("http-equiv=\"refresh\""))
        #expect(try Self.words("campaign=single", messages).contains("A comparison needs two variants"))
        #expect(try Self.words("campaign=gone", messages).contains("no message of that campaign"))
        #expect(try Self.words("", []).contains("No campaign has two messages yet."))
    }
}
