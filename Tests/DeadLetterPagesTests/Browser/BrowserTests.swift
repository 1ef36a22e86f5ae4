import EventThread
import Foundation
import Kafka
import Records
import Testing
import WorkerTestSupport

/// The pages in a real browser. Deploy/test-pages runs it; without a driver it is skipped.
@Suite(.serialized, .enabled(if: BrowserSetting.driver != nil), .timeLimit(.minutes(5)))
struct BrowserTests {
    /// Does as the worker does: each replayed record gets an outcome.
    func work(_ stage: Stage, records count: Int, failing: Int) async throws {
        let replayed = try await stage.records(of: Stage.originalTopic, atLeast: count)
        #expect(replayed.count == count)
        let outcomes = replayed.enumerated().map { place, record in
            place < failing
                ? Letters.outcome(of: record, "dead_lettered", reason: "gdt.-12")
                : Letters.outcome(of: record, "succeeded")
        }
        try await Stage.publish(outcomes, to: stage.broker)
    }

    @Test func fromGroupsToTheOutcome() async throws {
        try await Stage.run(letters: Mess.letters(), refreshInterval: .milliseconds(500)) { stage in
            try await ParkedPageTests.park(on: stage)
            _ = try await stage.page("/", once: { $0.contains("open dead letters in") })
            try await Browser.drive { browser in
                let home = "http://localhost:\(stage.port)"
                try await browser.open(home + "/")
                #expect(try await browser.text(of: "h1").contains("open dead letters in"))
                #expect(try await browser.photograph("1-groups") == [])
                try await browser.click("table.groups tbody th a")
                #expect(try await browser.text(of: "h1", once: { $0 == "gdt.-12" }) == "gdt.-12")
                #expect(try await browser.photograph("2-letters") == [])
                // On a phone the reason of each letter is on the screen.
                try await browser.resize(width: 390, height: 844, isPhone: true)
                let areVisible = try await browser.evaluate(
                    """
                    const places = Array.from(document.querySelectorAll('table.letters td.reason'))
                        .map(cell => cell.getBoundingClientRect());
                    return places.length > 0 && places.every(place => place.width > 0 && place.right <= innerWidth)
                    """
                )
                #expect(areVisible as? Bool == true)
                try await browser.resize(width: 1_280, height: 900, isPhone: false)
                try await browser.click("table.letters tbody th a")
                let guide = "What it means"
                #expect(try await browser.text(of: ".guide h2", once: { $0 == guide }) == guide)
                #expect(!(try await browser.text(of: "main").contains(Letters.secret)))
                #expect(try await browser.photograph("3-letter") == [])
                try await browser.type("the customer called about it", into: ".reveal #because")
                try await browser.click(".reveal button")
                let shown = try await browser.text(of: "pre.payload", once: { $0.contains(Letters.secret) })
                #expect(shown.contains(Letters.secret))
                #expect(try await browser.photograph("4-revealed") == [])
                try await browser.open(home + "/letters?reason=gdt.-12&state=open")
                try await browser.click(".actions a.primary")
                let plan = "Dry run: 120 records would go"
                #expect(try await browser.text(of: "h1", once: { $0 == plan }) == plan)
                #expect(try await browser.photograph("5-dry-run") == [])
                try await browser.type("the key was mended", into: ".confirm #because")
                try await browser.click("#confirmed")
                try await browser.click(".confirm button")
                _ = try await browser.text(of: "#live", once: { $0.contains("of 120 sent") })
                #expect(try await browser.photograph("6-running") == [])
                try await self.work(stage, records: 120, failing: 3)
                let sentence = "120 replayed: 117 succeeded, 3 dead again, 0 open"
                #expect(try await browser.text(of: "#outcome", once: { $0 == sentence }) == sentence)
                #expect(try await browser.photograph("7-outcome") == [])
                for (name, path) in [
                    ("8-replays", "/replays"), ("9-audit", "/audit"), ("10-retention", "/retention"),
                    ("11-discard", "/discard?reason=http.503"),
                    ("12-fault", "/letters?since=yesterday&where=a%3D"),
                    ("13-refused", "/plan?reason=muid.malformed"), ("14-lost", "/nowhere"),
                    ("22-parked", "/parked"),
                ] {
                    try await browser.open(home + path)
                    #expect(try await browser.photograph(name) == [])
                }
                #expect(try await browser.evaluate("return window.hurt === undefined") as? Bool == true)
            }
        }
    }

    /// One payload with its fault beside it, and all letters of a filter by a script.
    @Test func payloadsAreMended() async throws {
        try await Stage.run(letters: EditTests.letters) { stage in
            _ = try await stage.page("/", once: { $0.contains("5 open dead letters") })
            try await Browser.drive { browser in
                let home = "http://localhost:\(stage.port)"
                try await browser.open(home + "/letters?where=conversionType+%3D+%22MOBILEAPP_COST%22")
                try await browser.click("table.letters tbody th a")
                _ = try await browser.text(of: ".guide h2", once: { $0 == "What it means" })
                try await browser.click(".guide a[href$='/edit']")
                let why = "Why do you edit it?"
                #expect(try await browser.text(of: "#h-why", once: { $0 == why }) == why)
                #expect(try await browser.photograph("15-why") == [])
                try await browser.type("the price had decimals", into: ".reveal #because")
                try await browser.click(".reveal button")
                _ = try await browser.text(of: "label[for=payload]", once: { $0 == "Payload" })
                #expect(try await browser.photograph("16-edit") == [])
                try await browser.click("main form button.primary")
                let fault = try await browser.text(of: "#complaint", once: { $0.contains("whole number") })
                #expect(fault.contains("line ") && fault.contains("49.90"))
                #expect(try await browser.photograph("17-edit-fault") == [])
                try await browser.open(home + "/mend?reason=field.wrong_type")
                try await browser.type("multiply value by 100\nconvert value to number", into: "#script")
                #expect(try await browser.photograph("18-mend") == [])
                try await browser.click("main form button.primary")
                let plan = "Dry run: 4 records would go"
                #expect(try await browser.text(of: "h1", once: { $0 == plan }) == plan)
                #expect(try await browser.photograph("19-mend-dry-run") == [])
                try await browser.type("the price had decimals", into: ".confirm #because")
                try await browser.click("#confirmed")
                try await browser.click(".confirm button")
                try await self.work(stage, records: 4, failing: 0)
                let sentence = "4 replayed: 4 succeeded, 0 dead again, 0 open"
                #expect(try await browser.text(of: "#outcome", once: { $0 == sentence }) == sentence)
            }
        }
    }

    /// A note for everybody, and the time of this place beside UTC.
    @Test func aGroupHasNotesAndAnAssignee() async throws {
        try await Stage.run(letters: [Letters.letter(offset: 0)]) { stage in
            _ = try await stage.page("/", once: { $0.contains("1 open dead letter") })
            try await Browser.drive { browser in
                try await browser.live(in: "Asia/Shanghai")
                try await browser.open("http://localhost:\(stage.port)/")
                try await browser.click("table.groups tbody th a")
                let nobody = "It has nobody to look after it yet."
                #expect(try await browser.text(of: ".notes .words", once: { $0 == nobody }) == nobody)
                try await browser.click(".notes summary")
                try await browser.type("ben", into: "#assignee")
                try await browser.click(".notes form[action$=assign] button")
                let ben = "ben looks after it."
                #expect(try await browser.text(of: ".notes .words", once: { $0 == ben }) == ben)
                try await browser.click(".notes summary")
                try await browser.type("The client of tenant cn is to blame.", into: "#note")
                try await browser.click(".notes form[action$=note] button")
                let note = try await browser.text(of: ".notes li", once: { $0.contains("tenant cn") })
                #expect(note.contains("ada: The client of tenant cn is to blame."))
                #expect(try await browser.photograph("20-notes") == [])
                #expect(try await browser.contrastFaults() == [])
                let title = try await browser.evaluate("return document.querySelector('.notes time').title")
                #expect((title as? String)?.hasSuffix(" here") == true, "\(title)")
                try await browser.open("http://localhost:\(stage.port)/audit")
                let time = try await browser.text(of: "tbody time")
                #expect(time.contains(" UTC (") && time.hasSuffix(" here)"))
                try await browser.open("http://localhost:\(stage.port)/")
                #expect(
                    try await browser.text(of: "table.groups tbody").contains("ben looks after it · 1 note")
                )
                #expect(try await browser.photograph("21-groups-with-notes") == [])
            }
        }
    }

    @Test func aReplayNeedsNoMouse() async throws {
        let letters = (0..<5).map { Letters.letter(offset: $0) }
        try await Stage.run(letters: letters) { stage in
            _ = try await stage.page("/", once: { $0.contains("5 open dead letters") })
            try await Browser.drive { browser in
                try await browser.open("http://localhost:\(stage.port)/")
                #expect(try await browser.tab(to: "a.skip") == 1)
                try await browser.press(.enter)
                #expect(try await browser.tab(to: "table.groups tbody td a") != nil)
                try await browser.press(.enter)
                #expect(
                    try await browser.text(of: "h1", once: { $0.contains("Dry run") })
                        == "Dry run: 5 records would go"
                )
                #expect(try await browser.tab(to: ".confirm #because") != nil)
                let outline = try await browser.evaluate(
                    "return parseFloat(getComputedStyle(document.activeElement).outlineWidth)"
                )
                #expect((outline as? NSNumber)?.doubleValue ?? 0 >= 2)
                try await browser.type("the upstream is back")
                #expect(try await browser.tab(to: "#confirmed") == 1)
                try await browser.press(.space)
                #expect(try await browser.tab(to: ".confirm button") == 1)
                try await browser.press(.enter)
                try await self.work(stage, records: 5, failing: 0)
                let sentence = "5 replayed: 5 succeeded, 0 dead again, 0 open"
                #expect(try await browser.text(of: "#outcome", once: { $0 == sentence }) == sentence)
            }
        }
    }

    @Test func aLinkFromElsewhereKeepsTheSession() async throws {
        try await Stage.run(letters: [Letters.letter(offset: 0)]) { stage in
            _ = try await stage.page("/", once: { $0.contains("1 open dead letter") })
            try await Browser.drive { browser in
                let address = "http://localhost:\(stage.port)/plan?state=open"
                let token = "document.querySelector('[name=csrf]').value"
                try await browser.open(address)
                let before = try await browser.evaluate("return \(token)") as? String
                try await browser.open("data:text/html,<a href='\(address)'>look</a>")
                try await browser.click("a")
                #expect(
                    try await browser.text(of: "h1", once: { $0.contains("Dry run") }).contains("1 record")
                )
                #expect(try await browser.evaluate("return \(token)") as? String == before)
            }
        }
    }

    @Test func tenThousandGroupsArePaintedWithinASecond() async throws {
        let now = Letters.now
        let letters = (0..<20_000).map { place in
            Letters.letter(
                offset: Int64(place),
                reason: "load.\(place % 10_000)",
                at: now - Int64(place % 24) * 3_600_000
            )
        }
        try await Stage.run(letters: letters, refreshInterval: .seconds(5)) { stage in
            _ = try await stage.page("/", once: { $0.contains("20,000 open dead letters in 10,000 groups") })
            try await Browser.drive { browser in
                var paints: [Double] = []
                for _ in 0..<5 {
                    try await browser.open("http://localhost:\(stage.port)/")
                    paints.append(try await browser.firstPaint())
                }
                print("first contentful paint with 10,000 groups, in ms: \(paints.map { Int($0) })")
                #expect(paints.allSatisfy { $0 > 0 })
                // A busy machine makes some of them slow. A page that is too large makes all of them slow.
                let fastest = paints.min() ?? .infinity
                #expect(fastest < 1_000)
                #expect(try await browser.photograph("20-many-groups") == [])
            }
        }
    }
}

/// A night's worth of trouble, and somebody who means harm.
enum Mess {
    static let hour: Int64 = 3_600_000

    static func letters() -> [OutboundRecord] {
        let now = Letters.now
        let broken = (0..<120).map { place in
            Letters.letter(
                offset: Int64(place),
                replayable: "after_fix",
                at: now - Int64(place % 5) * self.hour
            )
        }
        let down = (0..<47).map { place in
            Letters.letter(
                offset: Int64(1_000 + place),
                reason: "http.503",
                at: now - Int64(place % 20) * self.hour - 60_000
            )
        }
        let malformed = (0..<9).map { place in
            Letters.letter(
                offset: Int64(2_000 + place),
                reason: "muid.malformed",
                kind: "invalid",
                replayable: "no",
                at: now - Int64(place) * 9 * self.hour
            )
        }
        return broken + down + malformed + self.hostile(now)
    }

    private static func hostile(_ now: Int64) -> [OutboundRecord] {
        let script = "<script>window.hurt=1</script><img src=x onerror=window.hurt=1>"
        let spring = OutboundRecord(
            topic: Stage.letterTopic,
            key: Array(script.utf8),
            value: Array("{\"\(script.replacing("\"", with: ""))\":\"\u{1B}[2J\u{202E}\(script)\"}".utf8),
            headers: [
                RecordHeader("kafka_dlt-original-topic", Array("orders".utf8)),
                RecordHeader("kafka_dlt-original-partition", [0, 0, 0, 1]),
                RecordHeader("kafka_dlt-original-offset", [0, 0, 0, 0, 0, 0, 0, 42]),
                RecordHeader("kafka_dlt-original-consumer-group", script),
                RecordHeader("kafka_dlt-exception-fqcn", "com.example.PaymentDeclinedException"),
                RecordHeader("kafka_dlt-exception-message", "\u{1B}]0;owned\u{7}\(script)"),
                RecordHeader(script, script), RecordHeader("binary", [0xFF, 0xFE, 0x00, 0x9B]),
            ],
            timestamp: now - 3 * self.hour
        )
        let large = Letters.letter(
            offset: 3_000,
            reason: "\"><script>",
            value: Array(("{\"note\":\"" + String(repeating: "<b>", count: 250_000) + "\"}").utf8),
            at: now - self.hour
        )
        let bytes = OutboundRecord(
            topic: Stage.letterTopic,
            key: [0, 1, 2],
            value: [0xDE, 0xAD, 0xBE, 0xEF]
        )
        // From a clock that nobody can have.
        let odd = Letters.letter(offset: 4_000, reason: "odd.time", at: .max - 1)
        return [spring, large, bytes, odd]
    }
}
