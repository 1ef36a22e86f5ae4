import WireFormats

/// The last clicks of one device, or the one click of an id, as a home partition remembers them.
///
/// A few are kept, because an activation can arrive after a click that was later than its start.
struct ClickTrail: Hashable {
    /// A click without the device, whose trail this is.
    struct Click: Hashable {
        var appID: UInt64?
        var clickID: String?
        /// Seconds since 1970.
        var clickedAt: Int64
        /// The address to which a conversion of the click is reported, without a space.
        var callback: String?
    }

    /// The clicks by their time, the last one at the end.
    private(set) var clicks: [Click] = []

    /// The most clicks that are kept of a device.
    static let limit = 4

    init() {}

    /// Reads a trail; pieces that are no click are left out.
    init(_ text: [UInt8]) {
        for line in text.split(separator: 0x0A) { if let click = Click(line) { self.add(click) } }
    }

    /// The trail as text: a line for each click.
    var text: [UInt8] { Array(self.clicks.map(\.line).joined(separator: "\n").utf8) }

    /// Adds a click, unless it is there already. Beyond the limit the earliest is dropped.
    mutating func add(_ click: Click) {
        guard !self.clicks.contains(click) else { return }
        let place = self.clicks.firstIndex { $0.clickedAt > click.clickedAt } ?? self.clicks.endIndex
        self.clicks.insert(click, at: place)
        if self.clicks.count > Self.limit { self.clicks.removeFirst() }
    }

    /// Returns the last click that can have led to an activation: of its app, before it, and at most `window`
    /// seconds before it. Tencent's own server of attribution takes no click of the same second either.
    func click(of activation: Activation, within window: Int64) -> Click? {
        self.clicks.last { click in
            click.appID ?? activation.account.appID == activation.account.appID
                && click.clickedAt < activation.convertedAt
                && activation.convertedAt.subtractingReportingOverflow(click.clickedAt).partialValue <= window
        }
    }
}

extension ClickTrail.Click {
    init(_ click: AdClick) {
        self.init(
            appID: click.appID,
            clickID: click.clickID,
            clickedAt: click.clickedAt,
            callback: click.callback
        )
    }

    /// Reads a line: the app, the time, the id and the callback, with a space between them; a hyphen for an app that
    /// is unknown, an empty third part for an id that is, and no parts at the end for what is unknown. The id is the
    /// platform's choice, and can be a hyphen too.
    init?(_ line: some Sequence<UInt8>) {
        let parts = String(decoding: Array(line), as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        guard (2...4).contains(parts.count), let time = Int64(parts[1]) else { return nil }
        func text(_ index: Int) -> String? {
            parts.indices.contains(index) && !parts[index].isEmpty ? String(parts[index]) : nil
        }
        self.init(appID: UInt64(parts[0]), clickID: text(2), clickedAt: time, callback: text(3))
    }

    var line: String {
        let app = self.appID.map { String($0) } ?? "-"
        let end = self.callback.map { " \(self.clickID ?? "") \($0)" } ?? self.clickID.map { " \($0)" }
        return "\(app) \(self.clickedAt)" + (end ?? "")
    }
}
