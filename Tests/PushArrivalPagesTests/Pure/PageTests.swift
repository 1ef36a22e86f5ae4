import Testing
import WebPages
import WireFormats
import WireMessages

@testable import PushArrivalPages

/// The pages as they are rendered, without a server.
struct PageTests {
    // MARK: Texts on the pages

    @Test func theDetailTellsAStory() throws {
        let message = Samples.message(updatedAt: PageReader.now - 2_000)
        let words = PageReader.words(
            PageReader.page("/message", PageReader.address(message), of: try PageReader.pages([message]))
        )
        for sentence in [
            "still counting 96,310 devices of 118,240 reported that the notification arrived: 81.5 %.",
            "Half of them had it within 4.5 s, nine of ten within 52 min.",
            "7,408 opened it: 7.7 % of those.",
            "Sent Devices it was meant for 120,000 – –",
            "Accepted Taken by the push service 118,240 98.5 % of sent 100.0 %",
            "Eligible Can report an arrival at all 115,284 97.5 % of accepted 97.5 %",
            "Arrived Reported by the device 96,310 83.5 % of eligible 81.5 %",
            "Shown Seen on the screen 93,100 96.7 % of arrived 78.7 %",
            "Opened Tapped 7,408 8.0 % of shown 6.3 %",
            "Dismissed Swiped away 19,262 20.0 % of arrived 16.3 %",
            "Unregistered 1,612 1.3 %", "BadDeviceToken 131 0.1 %",
            "TooManyRequests 17 <0.1 %".replacing("<", with: "&lt;"),
            "Duplicates An event that its device has reported before. 4,012 no",
            "Clock corrected Arrivals whose time by the device&#39;s clock cannot be right. 1,070 yes",
            "Too late Reported after the time that is allowed for it. 12 no",
            "No device Reported without saying by which device. 41 no", "half within 4.5 s",
            "The times are exact to 2 %, and", "within 1 s 9,034 9.6 % within 10 s 65,068 69.0 %",
            "within 3 days 94,363 100.0 %",
            "Last update 2026-09-21 14:13:18 UTC, 2 s ago",
        ] { #expect(words.contains(sentence), "\(sentence)") }
    }

    @Test func theTableOfLagsEndsWhereAllHaveArrived() throws {
        var message = Samples.message()
        // 1.04^100 ms is 50 ms, 1.04^250 ms is 18 s.
        message.lagSketchIndex = [100, 250]
        message.lagSketchCount = [3, 1]
        let words = PageReader.words(
            PageReader.page("/message", PageReader.address(message), of: try PageReader.pages([message]))
        )
        #expect(words.contains("within 1 s 3 75.0 % within 10 s 3 75.0 % within 1 min 4 100.0 %"))
        #expect(!words.contains("within 5 min"))
    }

    @Test func theMostFrequentReasonsAreShown() throws {
        var message = Samples.message()
        let reasons = (0..<500).map { ("r-\($0)", Int64($0)) }
        message.rejectedReasons = Dictionary(uniqueKeysWithValues: reasons)
        let words = PageReader.words(
            PageReader.page("/message", PageReader.address(message), of: try PageReader.pages([message]))
        )
        #expect(words.contains("Of sent r-499 499 0.4 % r-498 498"))
        #expect(words.contains("r-450 450") && !words.contains("r-449"))
    }

    @Test func whatIsCompleteSaysSo() throws {
        var message = Samples.message()
        message.complete = true
        let pages = try PageReader.pages([message])
        #expect(
            PageReader.words(PageReader.page("/message", PageReader.address(message), of: pages)).contains(
                "complete 96,310 devices"
            )
        )
        #expect(!PageReader.page("/", of: pages).contains("counting</span>"))
    }

    @Test func zeroOfZeroIsNoRate() throws {
        var message = PushStatistics()
        message.messageID = "m"
        message.window = "cohort"
        let pages = try PageReader.pages([message])
        let detail = PageReader.words(PageReader.page("/message", PageReader.address(message), of: pages))
        #expect(
            detail.contains("Nothing has been accepted by the push service yet, and nothing has arrived.")
        )
        #expect(
            detail.contains("Nothing has arrived yet.")
                && detail.contains("Arrived Reported by the device 0 – of accepted –")
        )
        #expect(!detail.contains("nan") && !detail.contains("inf"))
        #expect(PageReader.words(PageReader.page("/", of: pages)).contains("Arrived, of accepted –"))
    }

    @Test func arrivalsBeforeTheirSendingAreToldAsTheyAre() throws {
        var message = PushStatistics()
        message.messageID = "m"
        message.window = "cohort"
        message.arrived = 5
        let early = PageReader.words(
            PageReader.page("/message", PageReader.address(message), of: try PageReader.pages([message]))
        )
        #expect(
            early.contains(
                "5 devices reported that the notification arrived; how many were accepted nobody has said"
            )
        )
        #expect(early.contains("It is not known when these notifications were sent."))
        message.accepted = 4
        let more = PageReader.words(
            PageReader.page("/message", PageReader.address(message), of: try PageReader.pages([message]))
        )
        #expect(more.contains("5 devices reported that the notification arrived."))
        #expect(
            more.contains("more than the 4 that are known to be accepted: the sender&#39;s own reports are")
        )
        #expect(!more.contains("125"))
    }

    @Test func theLargestNumbersBreakNothing() throws {
        var messages: [PushStatistics] = []
        // So many that their sum is too large for a number.
        for id in 0..<1_100 {
            var message = PushStatistics()
            message.messageID = "\(id)"
            message.window = "cohort"
            for path in [
                \PushStatistics.accepted, \.rejected, \.arrived, \.opened, \.version, \.duplicates,
                \.lagP50Ms,
            ] {
                message[keyPath: path] = 1 << 53
            }
            message.updatedMs = RFC3339.range.upperBound
            message.sentMs = RFC3339.range.lowerBound
            message.lagSketchIndex = (0...Int32(LagSketch.lastIndex)).map { $0 }
            message.lagSketchCount = message.lagSketchIndex.map { _ in 1 << 53 }
            messages.append(message)
        }
        let pages = try PageReader.pages(messages)
        #expect(PageReader.page("/", of: pages).contains("9,223,372,036,854,775,807"))
        #expect(PageReader.get("/message", PageReader.address(messages[0]), of: pages).status == .ok)
    }

    @Test func eventsWithoutAMessageHaveAPageForEachDay() throws {
        var message = Samples.message("unknown")
        message.window = "day"
        message.day = "2026-11-22"
        let pages = try PageReader.pages([message])
        #expect(PageReader.page("/", of: pages).contains("No message id, 2026-11-22"))
        #expect(
            PageReader.page("/message", PageReader.address(message), of: pages).contains(
                "<h1>No message id, 2026-11-22</h1>"
            )
        )
        message.day = "2026-11-21"
        #expect(PageReader.get("/message", PageReader.address(message), of: pages).status == .notFound)
    }

    // MARK: Finding

    private static func many() -> [PushStatistics] {
        (0..<120).map { place in
            var message = Samples.message("m-\(place)", updatedAt: PageReader.now - Int64(place) * 1_000)
            message.appBundle = place % 2 == 0 ? "com.example.shop" : "com.example.news"
            message.provider = place % 3 == 0 ? "fcm" : "apns"
            message.campaignID = place < 10 ? "Launch" : ""
            return message
        }
    }

    @Test(arguments: [
        ("", 120), ("app=SHOP", 60), ("provider=fcm", 40), ("app=shop&provider=fcm", 20),
        ("campaign=laun", 10),
        ("text=launch", 10), ("text=m-11", 11), ("text=news", 60), ("app=nothing", 0), ("app=+&text=++", 120),
    ])
    func theListIsNarrowedByWhatItIsAskedFor(query: String, count: Int) throws {
        let page = PageReader.page("/", query, of: try PageReader.pages(Self.many()))
        #expect(page.contains("<dd>\(count)</dd>") == (count > 0))
        #expect(page.contains("None of the 120 messages is like that.") == (count == 0))
        #expect(page.split(separator: "<th scope=\"row\">").count - 1 == min(50, count))
    }

    @Test func theListIsPagedWithTheNewestFirst() throws {
        let pages = try PageReader.pages(Self.many())
        let first = PageReader.page("/", "app=com", of: pages)
        #expect(first.contains("Page 1 of 3") && first.contains("href=\"/?app=com&amp;page=2\""))
        #expect(first.contains(">m-0</a>") && first.contains(">m-49</a>") && !first.contains(">m-50</a>"))
        let last = PageReader.page("/", "app=com&page=3", of: pages)
        #expect(last.contains(">m-119</a>") && !last.contains("rel=\"next\""))
        let beyond = PageReader.page("/", "app=com&page=77", of: pages)
        #expect(
            beyond.contains("There are no more messages.") && beyond.contains("href=\"/?app=com&amp;page=3\"")
        )
        for query in ["page=0", "page=-1", "page=x", "page=99999999999999999999"] {
            #expect(PageReader.page("/", query, of: pages).contains(">m-0</a>"), "\(query)")
        }
    }

    @Test func aFragmentIsTheLivingPartOfThePage() throws {
        let message = Samples.message()
        let pages = try PageReader.pages([message])
        for (path, query) in [
            ("/", ""), ("/message", PageReader.address(message)), ("/compare", "campaign=spring-sale"),
            ("/time", ""),
        ] {
            let fragment = String(
                decoding: PageReader.get(path, query, of: pages, fragment: true).body,
                as: UTF8.self
            )
            #expect(fragment.hasPrefix("<div id=\"live\"") && !fragment.contains("<html"))
            #expect(PageReader.page(path, query, of: pages).contains(fragment))
        }
    }

    // MARK: How the reading stands

    @Test func anEmptyBoardSaysWhatItWaitsFor() throws {
        func words(_ note: (ReadingStanding) -> Void) throws -> String {
            PageReader.words(PageReader.page("/", of: try PageReader.pages([], note)))
        }
        #expect(try words { _ in }.contains("Looking for the cluster"))
        #expect(
            try words { _ = $0.heard(at: PageReader.now) }
                .contains("Waiting for the topic push-arrival.stats, which is not there yet")
        )
        let reading = try words {
            $0.became(.catchingUp(atMost: 5_000))
            $0.read(1_234, unreadable: 1, at: PageReader.now)
        }
        #expect(reading.contains("Reading the statistics: 1,234 records so far, of at most 5,000"))
        #expect(
            reading.contains("1 record of push-arrival.stats is no statistics, and not in these numbers.")
        )
        #expect(try words { $0.became(.live) }.contains("Live No message has statistics yet."))
    }

    @Test func anAbsentClusterIsToldWithItsAge() throws {
        let page = PageReader.words(
            PageReader.page(
                "/",
                of: try PageReader.pages([Samples.message()]) {
                    $0.became(.live)
                    _ = $0.heard(at: PageReader.now - 300_000)
                    _ = $0.failed(because: "<b>all brokers are down</b>")
                }
            )
        )
        #expect(
            page.contains(
                "The cluster does not answer It was last heard of 5 min ago, and nothing newer is shown."
            )
        )
        #expect(page.contains("&lt;b&gt;all brokers are down") && page.contains("spring-sale-0412"))
    }

    @Test func aMessageThatIsNotThereIsNoFault() throws {
        let pages = try PageReader.pages([Samples.message()])
        for query in ["", "id=", "id=nobody", "provider=apns&app=com.example.shop", "id=spring-sale-0412"] {
            #expect(PageReader.get("/message", query, of: pages).status == .notFound, "\(query)")
        }
        let early = try PageReader.pages([]) { _ in }
        #expect(PageReader.page("/message", "id=m", of: early).contains("it may turn up in a moment"))
    }

    // MARK: Text from outside

    @Test(arguments: Samples.hostile)
    func textIsNeverAPartOfThePage(text: String) throws {
        func pages(_ text: String) throws -> (PushStatistics, Pages) {
            var message = Samples.message(text, updatedAt: PageReader.now)
            message.provider = text
            message.appBundle = text
            message.campaignID = text
            message.rejectedReasons = [text: 5]
            let pages = try PageReader.pages([message]) { _ = $0.failed(because: text) }
            return (message, pages)
        }
        let ((hostile, hostilePages), (harmless, harmlessPages)) = (try pages(text), try pages("x"))
        let found = PageReader.get("/message", PageReader.address(hostile), of: hostilePages)
        #expect(found.status == .ok)
        let (one, other) = (
            String(decoding: found.body, as: UTF8.self),
            PageReader.page("/message", PageReader.address(harmless), of: harmlessPages)
        )
        try Self.expectSameTags(one, other, links: text.utf8.count < 1_000)
        let question = "campaign=\(FormFields.encode(text))"
        let comparison = PageReader.page("/compare", question, of: hostilePages)
        try Self.expectSameTags(comparison, PageReader.page("/compare", "campaign=x", of: harmlessPages))
        let filter = "app=\(FormFields.encode(text))"
        let list = PageReader.page("/", filter, of: hostilePages)
        try Self.expectSameTags(
            list,
            PageReader.page("/", "app=x", of: harmlessPages),
            links: text.utf8.count < 1_000
        )
        for page in [one, list, comparison] {
            #expect(page.utf8.count < 60_000 && !page.contains("window.hurt=1>"))
        }
    }

    /// - Parameter links: false where the texts are too long to be a part of an address, and a choice.
    private static func expectSameTags(_ hostile: String, _ harmless: String, links: Bool = true) throws {
        for sign in links ? ["<", ">", "\"", "'"] : ["'", "<script", "<img", "<b", "onerror"] {
            #expect(self.count(sign, in: hostile) == self.count(sign, in: harmless), "\(sign)")
        }
        #expect(
            !hostile.unicodeScalars.contains {
                $0.value < 0x20 && $0 != "\n" || [0x202E, 0x200B].contains($0.value)
            }
        )
    }

    private static func count(_ sign: String, in text: String) -> Int {
        text.split(separator: sign, omittingEmptySubsequences: false).count
    }

    @Test func anIDThatIsTooLongForAnAddressHasNoLink() throws {
        let message = Samples.message(String(repeating: "ü", count: 10_000))
        let page = PageReader.page("/", of: try PageReader.pages([message]))
        #expect(!page.contains("href=\"/message") && page.contains("ü…"))
        #expect(page.utf8.count < 14_000)
    }

    // MARK: Templates

    @Test(arguments: Templates.Name.allCases)
    func noTemplateAsksForAnythingUnescapedOrInline(name: Templates.Name) {
        let text = Templates.text(name)
        #expect(!text.contains("{{{") && !text.contains("{{&"))
        #expect(
            !text.contains("style=") && !text.contains("<style") && text.firstMatch(of: /\son\w+=/) == nil
        )
        #expect(
            text.split(separator: "<script").dropFirst().allSatisfy {
                $0.hasPrefix(" src=\"/assets/script.js\"")
            }
        )
        // A value in an attribute without quotes could begin another attribute.
        #expect(text.firstMatch(of: /\s[\w-]+=[^"\s]/) == nil)
        // Nothing is loaded from elsewhere.
        #expect(!text.contains("//"))
    }
}
