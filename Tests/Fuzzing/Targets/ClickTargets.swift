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
            "0f074dc8e1f0547310e729032ac0730b", "1763962605", "CLICK_ID=", "MUID=",
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
        if let id = click.clickID {
            pairs.append(
                "click_id=" + String(decoding: PercentEncoding.encode(Array(id.utf8)), as: UTF8.self)
            )
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// The key of a changelog's record, and behind its 17 bytes the value.
    static let remembered = FuzzTarget(
        "remembered",
        words: ["1763962605000 ", "112233 1763962605 c", "- 1763962605 -", "\n"]
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
}
