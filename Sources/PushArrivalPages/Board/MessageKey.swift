/// What a message's statistics are kept under: ids are unique within a provider and an app only.
package struct MessageKey: Hashable, Sendable {
    package var provider: String
    package var app: String
    package var message: String
    /// UTC, as YYYY-MM-DD, of the events that name no message; empty for a message.
    package var day: String

    package init(provider: String, app: String, message: String, day: String = "") {
        self.provider = provider
        self.app = app
        self.message = message
        self.day = day
    }
}

extension MessageKey: Comparable {
    package static func < (one: MessageKey, other: MessageKey) -> Bool {
        (one.message, one.app, one.provider, one.day) < (other.message, other.app, other.provider, other.day)
    }
}
