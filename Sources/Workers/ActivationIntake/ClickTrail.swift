import WireFormats

/// The last clicks of one device on one app's advertisements, or the one click of an id, as a home partition remembers
/// them.
///
/// A few are kept, because an activation can arrive after a click that was later than its start.
struct ClickTrail: Hashable {
    /// A click without the device, whose trail this is.
    struct Click: Hashable {
        var appID: UInt64?
        /// The account that paid for the advertisement; nil if the feed did not tell.
        var advertiserID: UInt64?
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
        for line in text.split(separator: 0x0A) {
            if let click = Click(line) { self.add(click, bytesLimit: text.count) }
        }
    }

    /// The trail as text: a line for each click.
    var text: [UInt8] { Array(self.clicks.map(\.line).joined(separator: "\n").utf8) }

    /// Adds a click, unless it is there already. Beyond the limits the earliest are dropped.
    ///
    /// - Parameter bytesLimit: The most bytes of the trail as text. A single click may have more.
    mutating func add(_ click: Click, bytesLimit: Int) {
        guard !self.clicks.contains(click) else { return }
        let place = self.clicks.firstIndex { $0.clickedAt > click.clickedAt } ?? self.clicks.endIndex
        self.clicks.insert(click, at: place)
        while self.clicks.count > Self.limit || self.clicks.count > 1 && self.text.count > bytesLimit {
            self.clicks.removeFirst()
        }
    }

    /// Returns the last click that can have led to an activation.
    func click(of activation: Activation, within window: Int64) -> Click? {
        self.clicks.last { $0.canHaveLed(to: activation, within: window) }
    }
}

extension ClickTrail.Click {
    /// Whether the click can have led to an activation: it is of the same app and account, as far as it tells them, before
    /// the activation, and at most `window` seconds before it. Tencent's own server of attribution takes no click of the
    /// same second either.
    func canHaveLed(to activation: Activation, within window: Int64) -> Bool {
        let account = activation.account
        return self.appID ?? account.appID == account.appID
            && self.advertiserID ?? account.advertiserID == account.advertiserID
            && self.clickedAt < activation.convertedAt
            && activation.convertedAt.subtractingReportingOverflow(self.clickedAt).partialValue <= window
    }

    init(_ click: AdClick) {
        self.init(
            appID: click.appID,
            advertiserID: click.advertiserID,
            clickID: click.clickID,
            clickedAt: click.clickedAt,
            callback: click.callback
        )
    }

    /// Reads a line: the app, the time, the id, the callback and the account, with a space between them; a hyphen for an
    /// app that is unknown, an empty part for anything else that is, and no parts at the end for what is unknown. The id
    /// is the platform's choice, and can be a hyphen too.
    init?(_ line: some Sequence<UInt8>) {
        let parts = String(decoding: Array(line), as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        guard (2...5).contains(parts.count), let time = Int64(parts[1]) else { return nil }
        func text(_ index: Int) -> String? {
            parts.indices.contains(index) && !parts[index].isEmpty ? String(parts[index]) : nil
        }
        self.init(
            appID: UInt64(parts[0]),
            advertiserID: text(4).flatMap { UInt64($0) },
            clickID: text(2),
            clickedAt: time,
            callback: text(3)
        )
    }

    var line: String {
        var parts = [
            self.appID.map { String($0) } ?? "-", String(self.clickedAt), self.clickID ?? "",
            self.callback ?? "", self.advertiserID.map { String($0) } ?? "",
        ]
        while parts.last?.isEmpty == true { parts.removeLast() }
        return parts.joined(separator: " ")
    }
}
