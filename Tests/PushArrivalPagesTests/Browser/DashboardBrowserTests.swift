import EmbeddedBroker
import Records
import Testing
import WireMessages
import WorkerTestSupport

@testable import PushArrivalPages

/// The dashboard in a real browser, before a real broker. Deploy/test-pages runs it; without a driver it is skipped.
@Suite(.serialized, .enabled(if: BrowserSetting.driver != nil), .timeLimit(.minutes(5)))
struct DashboardBrowserTests {
    private static func publish(_ messages: [PushStatistics], to broker: EmbeddedBroker) async throws {
        try await Stage.publish(try messages.map { try Samples.record($0) }, to: broker)
    }

    @Test func showsMessagesAndWhatBecomesOfThem() async throws {
        try await Stage.withBroker { broker in
            try await Stage.run(reading: broker) { stage in
                let home = "http://localhost:\(stage.port)"
                try await Browser.drive { browser in
                    try await self.seeTheListFill(browser, home, broker)
                    try await self.seeAMessageGrow(browser, home, broker)
                    try await self.seeOddMessages(browser, home)
                    try await self.seeVariants(browser, home)
                    try await self.seeTimes(browser, home)
                    try await self.seeSegments(browser, home, broker)
                    #expect(try await browser.evaluate("return window.hurt === undefined") as? Bool == true)
                    #expect(try await browser.complaints() == [])
                }
            }
        }
    }

    private func seeTheListFill(_ browser: Browser, _ home: String, _ broker: EmbeddedBroker) async throws {
        try await browser.open(home + "/")
        let empty = "No message has statistics yet"
        #expect(try await browser.text(of: "#live", once: { $0.contains(empty) }).contains(empty))
        #expect(try await browser.photograph("30-dashboard-empty") == [])
        try await browser.markPage()
        let messages = Campaigns.messages()
        try await Self.publish(messages, to: broker)
        let listed = try await browser.text(of: "#live", once: { $0.contains("Messages\n\(messages.count)") })
        #expect(listed.contains("spring-sale-0412"))
        let rows = try await browser.evaluate("return document.querySelectorAll('.messages tbody tr').length")
        #expect(rows as? Int == messages.count)
        #expect(try await browser.wasReloaded() == false)
        #expect(try await browser.photograph("31-dashboard-list") == [])
    }

    private func seeAMessageGrow(_ browser: Browser, _ home: String, _ broker: EmbeddedBroker) async throws {
        try await browser.click("a[href*='spring-sale-0412']")
        let id = "spring-sale-0412"
        #expect(try await browser.text(of: "h1", once: { $0 == id }) == id)
        let arrived = try await browser.text(of: "table.funnel", once: { $0.contains("96,310") })
        #expect(arrived.contains("96,310"))
        let mark = try await browser.evaluate("return document.querySelector('svg.curve .mark').textContent")
        #expect((mark as? String)?.hasPrefix("half within") == true)
        #expect(try await browser.photograph("32-dashboard-message") == [])
        try await browser.markPage()
        var next = Samples.message(version: 2, arrived: 101_000)
        next.complete = true
        try await Self.publish([next], to: broker)
        let funnel = try await browser.text(of: "table.funnel", once: { $0.contains("101,000") })
        #expect(funnel.contains("101,000"))
        #expect(try await browser.text(of: ".lead .tag") == "complete")
        #expect(try await browser.wasReloaded() == false)
    }

    private func seeOddMessages(_ browser: Browser, _ home: String) async throws {
        for (name, query) in [
            ("33-dashboard-early", "provider=fcm&app=com.example.news&id=early"),
            ("34-dashboard-nothing", "provider=&app=&id=nothing"),
            ("35-dashboard-day", "provider=umeng&app=com.example.shop&id=unknown&day=2026-11-22"),
        ] {
            try await browser.open(home + "/message?" + query)
            #expect(try await browser.text(of: "#live").contains("From the sender to the person"))
            #expect(try await browser.photograph(name) == [])
        }
    }

    /// By keyboard and mouse, from the list of campaigns to a comparison with another base.
    private func seeVariants(_ browser: Browser, _ home: String) async throws {
        try await browser.open(home + "/?group=campaign&text=summer")
        try await browser.click("a.compare")
        let verdict = "about 52,000 more devices needed"
        #expect(
            try await browser.text(of: "table.variants", once: { $0.contains(verdict) }).contains(verdict)
        )
        #expect(try await browser.photograph("37-dashboard-compare") == [])
        #expect(try await browser.contrastFaults() == [])
        try await browser.click("input[name=base][value=summer-c]")
        #expect(try await browser.tab(to: "form.filter button") != nil)
        try await browser.press(.enter)
        let turned = try await browser.text(of: "table.variants", once: { $0.contains("Behind the base") })
        #expect(turned.contains("Behind the base"))
        try await browser.open(home + "/compare")
        #expect(try await browser.text(of: "ul.campaigns").contains("summer"))
        #expect(try await browser.photograph("38-dashboard-campaigns") == [])
    }

    private func seeTimes(_ browser: Browser, _ home: String) async throws {
        try await browser.open(home + "/time?campaign=digest")
        let week = try await browser.text(of: "table.times")
        #expect(week.contains("so far"))
        #expect(try await browser.photograph("39-dashboard-time") == [])
        #expect(try await browser.contrastFaults() == [])
        try await browser.click("#day-before")
        #expect(
            try await browser.text(of: ".totals", once: { !$0.contains("so far") }).contains("On this day")
        )
        try await browser.open(home + "/message?provider=apns&app=com.example.shop&id=spring-sale-0412")
        try await browser.click("#d-minutes summary")
        // The numbers stay open when the page takes new ones.
        let later = "return new Promise((done) => setTimeout(() => done(live.innerText), 4000))"
        #expect((try await browser.evaluate(later) as? String)?.contains("minute 60") == true)
        #expect(try await browser.contrastFaults() == [])
    }

    private func seeSegments(_ browser: Browser, _ home: String, _ broker: EmbeddedBroker) async throws {
        try await browser.open(home + "/time")
        try await browser.click("nav a[href='/segments']")
        let empty = "No sender has named the segments"
        #expect(try await browser.text(of: "#live", once: { $0.contains(empty) }).contains(empty))
        try await browser.markPage()
        try await Self.publish(Campaigns.segments(), to: broker)
        let fall = try await browser.text(of: "p.fall", once: { $0.contains("3.2.1") })
        #expect(fall.contains("three standard errors are"))
        #expect(try await browser.wasReloaded() == false)
        #expect(try await browser.text(of: "table.segments").contains("has fallen"))
        #expect(try await browser.photograph("43-dashboard-segments") == [])
        #expect(try await browser.contrastFaults() == [])
        try await browser.click("#day-before")
        let before = try await browser.text(of: "#live", once: { !$0.contains("has fallen") })
        #expect(before.contains("By version of iOS"))
    }

    @Test func saysThatTheClusterIsAway() async throws {
        try await Stage.withBroker { broker in
            try await Self.publish(Campaigns.messages(), to: broker)
            try await Stage.run(reading: broker) { stage in
                try await Browser.drive { browser in
                    try await browser.open("http://localhost:\(stage.port)/?app=shop")
                    _ = try await browser.text(of: ".standing", once: { $0 == "Live" })
                    var faults = BrokerFaults()
                    faults.refusesConnections = true
                    try await broker.setFaults(faults)
                    try await broker.cutConnections()
                    let away = "The cluster does not answer"
                    #expect(try await browser.text(of: ".standing", once: { $0 == away }) == away)
                    #expect(try await browser.photograph("36-dashboard-away") == [])
                    #expect(try await browser.complaints() == [])
                }
            }
        }
    }

    @Test func needsNoMouseAndHoldsStillWhenAsked() async throws {
        try await Stage.run { stage in
            for message in Campaigns.messages() { stage.board.take(try Samples.statistics(message)) }
            stage.standing.becameLive()
            try await Browser.drive { browser in
                try await browser.open("http://localhost:\(stage.port)/")
                #expect(try await browser.tab(to: "a.skip") == 1)
                #expect(try await browser.tab(to: "#pause") == 5)
                try await browser.press(.space)
                #expect(try await browser.text(of: "#pause[aria-pressed=true]") == "Pause")
                stage.board.take(try Samples.statistics(Samples.message(version: 2, arrived: 66_666)))
                // Longer than it takes to the next look.
                let later = "return new Promise((done) => setTimeout(() => done(live.innerText), 4000))"
                let held = try await browser.evaluate(later) as? String ?? ""
                #expect(held.contains("96,310") && !held.contains("66,666"))
                try await browser.press(.space)
                #expect(
                    try await browser.text(of: "#live", once: { $0.contains("66,666") }).contains("66,666")
                )
                #expect(try await browser.tab(to: "#f-campaign") != nil)
                try await browser.type("spring")
                try await browser.press(.enter)
                let found = try await browser.text(of: "table.messages", once: { !$0.contains("weekly") })
                #expect(found.contains("spring-sale-0412") && !found.contains("weekly"))
                #expect(try await browser.tab(to: "table.messages tbody a") != nil)
                let outline = try await browser.evaluate(
                    "return getComputedStyle(document.activeElement).outlineStyle + document.activeElement.href"
                )
                #expect((outline as? String)?.hasPrefix("solid") == true)
                // The focus outlives a refresh that changes the very row that it is in.
                try await browser.markPage()
                stage.board.take(try Samples.statistics(Samples.message(version: 3, arrived: 77_777)))
                #expect(
                    try await browser.text(of: "#live", once: { $0.contains("77,777") }).contains("77,777")
                )
                let address = try await browser.evaluate("return document.activeElement.href")
                #expect((address as? String)?.contains("spring-sale-0412") == true)
                try await browser.press(.enter)
                #expect(
                    try await browser.text(of: "h1", once: { $0.contains("spring") }) == "spring-sale-0412"
                )
                #expect(try await browser.complaints() == [])
            }
        }
    }

    @Test func saysSoWhenTheDashboardIsGone() async throws {
        try await Browser.drive { browser in
            try await Stage.run { stage in
                stage.board.take(try Samples.statistics())
                try await browser.open("http://localhost:\(stage.port)/")
                #expect(try await browser.text(of: "#lost:not([hidden])") == "")
            }
            let lost = try await browser.text(of: "#lost:not([hidden])", once: { !$0.isEmpty })
            #expect(lost.contains("does not get through to the dashboard"))
            #expect(try await browser.text(of: "table.messages").contains("spring-sale-0412"))
        }
    }
}

extension Browser {
    /// Leaves a mark that is gone when the page is loaded again.
    fileprivate func markPage() async throws { _ = try await self.evaluate("window.isTheSame = true") }

    fileprivate func wasReloaded() async throws -> Bool {
        try await self.evaluate("return window.isTheSame !== true") as? Bool ?? true
    }
}

extension ReadingStanding {
    /// As after a reader that has found nothing.
    fileprivate func becameLive() { self.became(.live) }
}

/// A week of an app's notifications, and somebody who means harm.
private enum Campaigns {
    private static let minute: Int64 = 60_000

    static func messages() -> [PushStatistics] {
        let now = Samples.now
        var messages = [Samples.message(updatedAt: now - 4_000)]
        for (place, id) in ["weekly-digest-47", "weekly-digest-46", "weekly-digest-45"].enumerated() {
            let age = Int64(place) * 7 * 1_440 * Self.minute + 50 * Self.minute
            var message = Samples.message(
                id,
                accepted: 48_000 - Int64(place) * 1_730,
                arrived: 40_100 - Int64(place) * 2_950,
                updatedAt: now - age
            )
            message.appBundle = "com.example.news"
            message.provider = "fcm"
            message.campaignID = "digest"
            message.complete = place > 0
            message.eligible = message.accepted
            message.shown = 0
            let hour = Int32((now - age) / 3_600_000)
            message.arrivalHour = (0..<30).reversed().map { hour - $0 }
            message.arrivalHourCount = (0..<30).map { (message.arrived / 60) * ($0 % 7 + 1) / 4 }
            messages.append(message)
        }
        return messages + Self.variants(now) + [Self.early(now), Self.nothing(now), Self.day(now)]
            + Self.hostile(now)
    }

    /// A release of an app that reports hardly any arrivals, among segments that do.
    static func segments() -> [PushStatistics] {
        let day = SegmentTrend.newestDay(asOf: Samples.now)
        return (Int64(0)...8).flatMap { back in
            let time = day - back * HourlyArrivals.millisecondsOfDay
            func segment(_ name: String, by dimension: String, _ eligible: Int64, _ share: Double)
                -> PushStatistics
            {
                let early = Int64(Double(eligible) * (share - Double(back % 3) / 100))
                return Samples.segment(
                    name,
                    by: dimension,
                    on: time,
                    eligible: eligible,
                    early: early,
                    late: eligible / 9
                )
            }
            return [
                segment("3.2.1", by: "app_version", 12_040, back == 0 ? 0.31 : 0.72),
                segment("3.3.0", by: "app_version", back == 0 ? 5_000 : 12, 0.02),
                segment("3.2.0", by: "app_version", 30_500, 0.71),
                segment("3.1.9", by: "app_version", 61, 0.7),
                segment("18.1", by: "os_version", 38_000, 0.69),
                segment("17.5", by: "os_version", 4_600, 0.7),
                segment("iPhone", by: "device_model", 41_200, 0.7),
                segment("iPad", by: "device_model", 1_400, 0.66),
                segment("DE", by: "country", 20_000, 0.7), segment("FR", by: "country", 22_600, 0.71),
            ]
        }
    }

    /// A test of three texts.
    private static func variants(_ now: Int64) -> [PushStatistics] {
        ([("a", 1_000), ("b", 1_100), ("c", 1_400)] as [(String, Int64)]).map { name, opened in
            var message = Samples.message(
                "summer-\(name)",
                accepted: 20_000,
                arrived: 16_000,
                updatedAt: now - 90_000
            )
            (message.campaignID, message.opened) = ("summer", opened)
            return message
        }
    }

    /// Arrivals are there before the sender's report.
    private static func early(_ now: Int64) -> PushStatistics {
        var message = Samples.message("early", accepted: 150, arrived: 211, updatedAt: now - 9_000)
        message.appBundle = "com.example.news"
        message.provider = "fcm"
        message.campaignID = ""
        message.rejectedReasons = [:]
        return message
    }

    private static func nothing(_ now: Int64) -> PushStatistics {
        var message = PushStatistics()
        message.messageID = "nothing"
        message.window = "cohort"
        message.updatedMs = now - 3 * 60 * Self.minute
        return message
    }

    private static func day(_ now: Int64) -> PushStatistics {
        var message = Samples.message("unknown", accepted: 0, arrived: 320, updatedAt: now - 5 * Self.minute)
        message.provider = "umeng"
        message.campaignID = ""
        message.window = "day"
        message.day = "2026-11-22"
        message.sent = 0
        message.rejected = 0
        message.rejectedReasons = [:]
        message.lagSketchIndex = []
        message.lagSketchCount = []
        message.lagUnknown = 320
        message.clearLagP50Ms()
        message.clearLagP90Ms()
        return message
    }

    private static func hostile(_ now: Int64) -> [PushStatistics] {
        Samples.hostile.enumerated().map { place, text in
            var message = Samples.message(text, updatedAt: now - Int64(place + 300) * Self.minute)
            message.appBundle = text
            message.campaignID = text
            message.rejectedReasons = [text: 3]
            return message
        }
    }
}
