internal import NIOCore

/// A response of one of Apple's APIs: an HTTP status, and a body that is not always JSON.
struct AppleReply: Hashable, Sendable {
    var status: Int
    var text: String

    static let badDeviceToken = Self(400, "Missing or incorrectly formatted device token payload")
    static let badAuthorization = Self(400, "Missing or badly formatted authorization token")
    static let badTimestamp = Self(400, "Missing or incorrectly formatted time stamp")
    static let badTransaction = Self(400, "Missing or incorrectly formatted transaction id")
    static let badBits = Self(400, "Missing or incorrectly formatted bits")
    static let badPayload = Self(400, "Bad Payload")
    static let unverified = Self(401, "Unable to verify authorization token")
    static let expired = Self(401, "Authorization Token Expired")
    static let notFound = Self(404, "Not Found")
    static let notAllowed = Self(405, "Method Not Allowed")
    static let neverSet = Self(200, "Failed to find bit state")
    static let done = Self(200, "")

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    /// The response as it is sent over HTTP.
    var reply: Reply {
        Reply(
            status: self.status,
            contentType: self.text.hasPrefix("{") ? "application/json" : "text/plain;charset=UTF-8",
            body: ByteBuffer(string: self.text)
        )
    }
}
