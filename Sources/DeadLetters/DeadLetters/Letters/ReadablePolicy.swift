import Operations
import Records
import WireFormats

/// The texts of letters that may be read without masks, beside those that are always shown.
///
/// A policy is written as a list of items:
/// - `header:NAME`: the header of this name, which the publisher of the record wrote. A `*` stands for any text,
///   but opens no name that a secret or a person usually has, such as `authorization` or `user`; such a header is
///   named in full.
/// - `field:PATH`: the field at this place of the payload, such as `order.state`, in every element of a list. A `*`
///   stands for any text.
/// - `message`: the text in which another framework says why it gave up. Such a text may quote the record.
///
/// A value is shown if it is text of at most 256 bytes; a message may be longer. Keys of records are always masked.
package struct ReadablePolicy: Hashable, Sendable {
    /// An item of a policy that is not written as it has to be.
    package struct Fault: Error, Hashable, Sendable {
        /// The sentence for the author of the item.
        package var sentence: String
    }

    /// The most bytes of a value that is shown; no name or number of ours is longer.
    static let valueBytesLimit = 256

    private var headers: [NamePattern] = []
    private var fields: [NamePattern] = []
    /// Whether the text in which another framework says why it gave up is shown.
    private(set) var showsMessages = false

    /// The items that hold if no others are chosen: the headers of publishers, and the messages of other frameworks.
    package static let usualItems = ["header:*", "message"]
    /// The policy of `usualItems`.
    package static let usual = Self(headers: [NamePattern("*")], showsMessages: true)
    /// The policy that shows nothing beside what is always shown.
    package static let strict = Self(headers: [], showsMessages: false)

    private init(headers: [NamePattern], showsMessages: Bool) {
        self.headers = headers
        self.showsMessages = showsMessages
    }

    /// Reads the items of a policy.
    package init(_ items: [String]) throws(Fault) {
        for item in items {
            let parts = item.split(separator: ":", maxSplits: 1)
            switch (parts.first, parts.count) {
            case ("message", 1) where item == "message": self.showsMessages = true
            case ("header", 2): self.headers.append(NamePattern(String(parts[1])))
            case ("field", 2): self.fields.append(NamePattern(String(parts[1])))
            default:
                throw Fault(
                    sentence:
                        "\"\(SafeText.line(item, limit: 40))\" is none of header:NAME, field:PATH and message"
                )
            }
        }
    }

    /// Whether the policy shows a header that the publisher of a record wrote.
    ///
    /// - Parameter isOfPhone: whether the record is the request of a phone, which has chosen its headers.
    func showsHeader(_ name: String, isOfPhone: Bool) -> Bool {
        let isSensitive = isOfPhone || Self.sensitive.contains(name)
        return self.headers.contains { $0.matches(name) && ($0.isOneName || !isSensitive) }
    }

    /// Whether a record's headers are those of a phone's request: the gateway has added its own to them.
    static func isOfPhone(_ headers: [RecordHeader]) -> Bool {
        headers.contains { header in Self.phoneHeaders.contains { header.name.hasPrefix($0) } }
    }

    /// Whether the policy shows the field at a place of the payload.
    ///
    /// - Parameter path: The names on the way to the field, with dots between them.
    func showsField(_ path: String) -> Bool { self.fields.contains { $0.matches(path) } }

    /// The beginnings of the names of the headers that our gateway adds to the request of a phone.
    private static let phoneHeaders = ["upload.", "click."]

    /// Names of headers that a secret or a person usually has.
    private static let sensitive = SensitiveNames(
        also: ["from", "name"],
        orWith: [
            "account", "address", "baggage", "customer", "device", "email", "forwarded", "installation", "ip",
            "login", "mail", "mobile", "person", "phone", "session", "subject", "user", "username",
        ]
    )
}
