/// An event as it stands in the topic of events, read again.
package struct PublishedSDKEvent: Hashable, Sendable {
    package let id: String
    package let account: String
    /// The place of the upload: topic, partition and offset.
    package let upload: String
    /// The timestamp of the upload's record, in milliseconds since 1970.
    package let receivedAt: Int64?
    package let clientIP: String?
    /// The type of the event; empty if it names none.
    package let type: String
    /// The event as one JSON object.
    package let json: [UInt8]

    /// Reads the value of a record; nil if it is no event that `SDKEvent.record` has written.
    package init?(_ value: [UInt8]) {
        guard let outline = JSONOutline(value), outline.kind(outline.root) == .object,
            let event = outline.member(outline.root, "event"), outline.kind(event) == .object
        else { return nil }
        func text(_ name: String, in object: Int) -> String? {
            outline.member(object, name).flatMap { outline.string($0) }
        }
        guard let id = text("id", in: outline.root), let account = text("account", in: outline.root),
            let upload = text("upload", in: outline.root)
        else { return nil }
        self.id = id
        self.account = account
        self.upload = upload
        self.receivedAt = text("receivedAt", in: outline.root).flatMap { RFC3339.milliseconds($0) }
        self.clientIP = text("clientIp", in: outline.root)
        self.type = text("eventType", in: event) ?? ""
        self.json = Array(outline.bytes(event))
    }
}
