import Testing
import WebPages
import WireFormats
import WireMessages

@testable import PushArrivalPages

/// The list: which messages a rate covers, their order, and campaigns.
struct ListTests {
    private static func message(
        _ id: String,
        accepted: Int64,
        arrived: Int64,
        opened: Int64 = 0,
        rejected: Int64 = 0,
        sentAt: Int64? = nil,
        campaign: String = ""
    ) -> PushStatistics {
        var message = PushStatistics()
        message.messageID = id
        message.provider = "apns"
        message.window = "cohort"
        message.campaignID = campaign
        (message.accepted, message.arrived, message.opened) = (accepted, arrived, opened)
        message.rejected = rejected
        if let sentAt { message.sentMs = sentAt }
        message.updatedMs = PageReader.now - 1_000
        return message
    }

    private static func words(_ query: String, _ messages: [PushStatistics]) throws -> String {
        PageReader.words(PageReader.page("/", query, of: try PageReader.pages(messages)))
    }

    /// The ids of the listed messages from top to bottom.
    private static func ids(_ query: String, _ messages: [PushStatistics]) throws -> [String] {
        let page = PageReader.page("/", query, of: try PageReader.pages(messages))
        return page.matches(of: /<th scope="row"><a href="[^"]*"[^>]*>([^<]*)<\/a>/).map {
            String($0.output.1)
        }
    }

    // MARK: Rates

    /// 121.4 % of the accepted devices were shown once, because arrivals of messages without any report of
    /// their sending stood in the numerator alone.
    @Test func theHeadlineLeavesOutWhatIsKnownFromOneSideOnly() throws {
        let messages = [
            Self.message("whole", accepted: 100, arrived: 80, opened: 8),
            Self.message("unreported", accepted: 0, arrived: 40, opened: 4),
            Self.message("behind", accepted: 10, arrived: 30, opened: 3, rejected: 1),
            Self.message("unseen", accepted: 50, arrived: 1, opened: 5),
        ]
        let words = try Self.words("", messages)
        #expect(words.contains("Arrived, of accepted 54.0 % 81 of 150"))
        #expect(words.contains("Opened, of arrived 10.0 % 15 of 150"))
        #expect(
            words.contains(
                "Not in the arrival rate: 1 message with 40 arrivals whose sending has not been reported. Show them"
            )
        )
        #expect(
            words.contains("Not in the arrival rate: 1 message with 20 more arrivals than accepted devices")
        )
        #expect(words.contains("Not in the open rate: 1 message with 4 more opens than reported arrivals."))
        #expect(words.contains("unreported apns counting – 0 – 40 sending not reported"))
        #expect(words.contains("behind apns counting – 10 – 30 reports of sending behind"))
        #expect(try Self.ids("reports=missing", messages) == ["unreported"])
        #expect(try Self.ids("reports=behind", messages) == ["behind"])
        #expect(try Self.words("reports=known", messages).contains("Not in the arrival rate") == false)
    }

    @Test func aListWithoutAnyReportOfSendingHasNoRate() throws {
        let words = try Self.words("", [Self.message("m", accepted: 0, arrived: 7)])
        #expect(words.contains("Arrived, of accepted – 0 of 0"))
        #expect(!words.contains("inf") && !words.contains("nan"))
    }

    // MARK: Order and range

    private static let day: Int64 = 86_400_000
    /// 2026-09-20, 00:00 UTC.
    private static let sunday: Int64 = 1_789_862_400_000

    private static let sorted = [
        message("b", accepted: 100, arrived: 50, opened: 5, sentAt: sunday),
        message("a", accepted: 300, arrived: 90, opened: 45, sentAt: sunday + day),
        message("c", accepted: 200, arrived: 190, sentAt: sunday + day - 1),
        message("none", accepted: 0, arrived: 5),
    ]

    @Test(arguments: [
        ("sort=message", ["a", "b", "c", "none"]), ("sort=message&order=desc", ["none", "c", "b", "a"]),
        ("sort=sent", ["a", "c", "b", "none"]), ("sort=sent&order=asc", ["b", "c", "a", "none"]),
        ("sort=accepted", ["a", "c", "b", "none"]), ("sort=arrived", ["c", "b", "a", "none"]),
        ("sort=arrived&order=asc", ["a", "b", "c", "none"]),
    ])
    func aColumnOrdersTheList(query: String, order: [String]) throws {
        #expect(try Self.ids(query, Self.sorted) == order)
    }

    @Test(arguments: [
        ("from=2026-09-20&to=2026-09-20", ["b", "c"]), ("from=2026-09-21", ["a"]),
        ("to=2026-09-19", []), ("to=2026-09-21", ["a", "b", "c"]),
    ])
    func daysOfSendingNarrowTheList(query: String, ids: [String]) throws {
        #expect(try Self.ids(query + "&sort=message", Self.sorted) == ids)
    }

    /// Upper and lower case do not differ, in ASCII and in other texts.
    @Test(arguments: [
        ("SALE", ["Sale-1", "presale"]), ("sale-1", ["Sale-1"]), ("e-1", ["Sale-1"]), ("[x]", ["[x]"]),
        ("{x}", []),
        ("été", ["ÉTÉ"]), ("ÉTÉ", ["ÉTÉ"]), ("sale-1-and-more", []),
        ("apns", ["Sale-1", "presale", "[x]", "ÉTÉ"]),
    ])
    func aTextNarrowsTheList(text: String, ids: [String]) throws {
        let messages = ["Sale-1", "presale", "[x]", "ÉTÉ"].map { Self.message($0, accepted: 1, arrived: 1) }
        var query = FormFields()
        query.add("text", text)
        #expect(Set(try Self.ids(query.text, messages)) == Set(ids))
    }

    @Test func aHeadingTurnsItsOwnOrderAround() throws {
        let pages = try PageReader.pages(Self.sorted)
        let page = PageReader.page("/", "sort=sent&app=", of: pages)
        #expect(page.contains("aria-sort=\"descending\"><a href=\"/?sort=sent&amp;order=asc\">Sent</a>"))
        #expect(page.contains("aria-sort=\"none\"><a href=\"/?sort=message&amp;order=asc\">Message</a>"))
    }

    @Test(arguments: [
        "from=yesterday", "to=2026-13-01", "sort=size", "order=up", "state=gone", "reports=all",
    ])
    func aFieldThatCannotBeReadIsNamedAndFiltersNothing(query: String) throws {
        let page = PageReader.page("/", query, of: try PageReader.pages(Self.sorted))
        let name = query.prefix { $0 != "=" }
        #expect(page.contains("role=\"alert\">The field \(name) is n"))
        #expect(try Self.ids(query, Self.sorted).count == 4)
    }

    // MARK: Campaigns

    private static let campaigns = [
        message("s1", accepted: 100, arrived: 50, campaign: "spring"),
        message("s2", accepted: 100, arrived: 90, campaign: "spring"),
        message("d1", accepted: 10, arrived: 9, campaign: "digest"),
        message("x", accepted: 0, arrived: 4),
    ]

    @Test func campaignsAreAddedUpAndUnfold() throws {
        let folded = try Self.words("group=campaign", Self.campaigns)
        #expect(folded.contains("spring 2 messages Compare variants 2 counting – 200 70.0 % 140"))
        #expect(folded.contains("No campaign 1 message 1 counting – 0 – 4 without 1 message"))
        #expect(
            try Self.ids("group=campaign&sort=accepted", Self.campaigns) == [
                "spring", "digest", "No campaign",
            ]
        )
        #expect(
            try Self.ids("group=campaign&sort=accepted&open=spring&open=-", Self.campaigns) == [
                "spring", "s1", "s2", "digest", "No campaign", "x",
            ]
        )
        let page = PageReader.page(
            "/",
            "group=campaign&open=spring",
            of: try PageReader.pages(Self.campaigns)
        )
        // The link of an unfolded campaign folds it, and that of another one unfolds it, too.
        #expect(page.contains("<a href=\"/?group=campaign\" aria-expanded=\"true\">spring</a>"))
        #expect(
            page.contains(
                "<a href=\"/?group=campaign&amp;open=spring&amp;open=digest\" aria-expanded=\"false\">digest</a>"
            )
        )
    }

    @Test func aLongQueryGivesNoLongLinks() throws {
        let open = (0..<400).map { "&open=\($0)-" + String(repeating: "c", count: 900) }.joined()
        let query = "group=campaign&text=" + String(repeating: "x", count: 9_000) + open
        #expect(PageReader.page("/", query, of: try PageReader.pages(Self.campaigns)).utf8.count < 80_000)
    }
}
