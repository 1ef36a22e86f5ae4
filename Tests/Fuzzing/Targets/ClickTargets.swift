import Records

@testable import ActivationIntake
@testable import WireFormats

/// Clicks of the feed, and what a home partition remembers of them.
extension FuzzTarget {
    static let adClick = FuzzTarget(
        "ad-click",
        longestInput: 1_024,
        words: [
            "muid=", "click_id=", "click_time=", "appid=", "__MUID__", "&", "%", "%2B", "%5f", "+",
            "0f074dc8e1f0547310e729032ac0730b", "1763962605", "CLICK_ID=", "MUID=", "callback=",
            "http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3Da%252Bb",
        ]
    ) { input in
        guard let click = try? AdClick(query: input) else { return }
        try claim("a click names its device or itself", click.muid != nil || click.clickID != nil)
        if let muid = click.muid {
            try claim(
                "a muid is a digest",
                muid.utf8.count == 32 && muid.utf8.allSatisfy(\.isLowercaseHexadecimal)
            )
        }
        if let id = click.clickID {
            try claim(
                "an id is short and visible",
                (1...AdClick.clickIDBytesLimit).contains(id.utf8.count) && id.utf8.allSatisfy(\.isVisible)
            )
        }
        try claim("a click is read as it was written", try AdClick(query: Self.query(of: click)) == click)
        if input.first != UInt8(ascii: "?") {
            try claim("a question mark before it means nothing", try AdClick(query: [0x3F] + input) == click)
        }
        let kept = ClickTrail.Click(click)
        try claim("a home remembers a click as it is", ClickTrail.Click(kept.line.utf8) == kept)
    }

    private static func query(of click: AdClick) -> [UInt8] {
        var pairs = ["click_time=\(click.clickedAt)"]
        if let muid = click.muid { pairs.append("muid=\(muid)") }
        if let appID = click.appID { pairs.append("appid=\(appID)") }
        if let advertiserID = click.advertiserID { pairs.append("advertiser_id=\(advertiserID)") }
        if let id = click.clickID {
            pairs.append(
                "click_id=" + String(decoding: PercentEncoding.encode(Array(id.utf8)), as: UTF8.self)
            )
        }
        if let callback = click.callback {
            pairs.append(
                "callback=" + String(decoding: PercentEncoding.encode(Array(callback.utf8)), as: UTF8.self)
            )
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// The key of a changelog's record, and behind its 17 bytes the value.
    static let remembered = FuzzTarget(
        "remembered",
        words: ["1763962605000 ", "112233 1763962605 c", "- 1763962605 -", "- 1763962605  http://a/", "\n"]
    ) { input in
        let key = Array(input.prefix(17))
        if let remembered = RememberedKey(key) {
            try claim("a key is written as it was read", remembered.bytes == key)
        }
        guard let entry = RecentTable.Entry(changelog: Array(input.dropFirst(17))) else { return }
        try claim(
            "an entry is read as it was written",
            RecentTable.Entry(changelog: entry.changelog) == entry
        )
        let trail = ClickTrail(entry.text)
        try claim("a trail is short", trail.clicks.count <= ClickTrail.limit)
        let times = trail.clicks.map(\.clickedAt)
        try claim("a trail is in the order of time", times == times.sorted())
        try claim("a trail is read as it was written", ClickTrail(trail.text) == trail)
    }

    /// A record of the changelog that may tell of an activation that waits for its click.
    static let waitingActivation = FuzzTarget(
        "waiting-activation",
        longestInput: 1_024,
        words: ActivationClaims.words + ["flotilla.intake.since: 1795248000000 12\n", "content-type: "]
    ) { input in
        var reader = InputReader(input)
        let record = reader.record(topic: "activation.home.changelog")
        guard let waiting = WaitingActivations.Waiting(changelog: record, of: "activation.home") else {
            return
        }
        let written = waiting.changelog
        let again = InboundRecord(
            topic: record.topic,
            partition: record.partition,
            offset: record.offset + 1,
            timestamp: record.timestamp,
            value: written.value,
            headers: written.headers
        )
        let read = try Objection.unless(
            WaitingActivations.Waiting(changelog: again, of: "activation.home"),
            "what waits is read as it was written"
        )
        try claim(
            "it is the same after it",
            read.since == waiting.since && read.device == waiting.device && read.record == waiting.record
        )
        var table = WaitingActivations()
        try claim("one fits", table.add(waiting) == nil && table.all(of: waiting.device).count == 1)
        try claim("the same place waits once", table.add(read) == nil && table.count == 1)
        try claim("it can be removed", table.remove(read.key.key) != nil && table.byteCount >= 0)
        try claim("nothing is left", table.count == 0 && table.all(of: waiting.device).isEmpty)
    }
}
