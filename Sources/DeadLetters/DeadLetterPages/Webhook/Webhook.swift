import Cryptography
import DeadLetters
import Foundation
package import Operations
import UpstreamHTTP
import WireFormats

/// The address that hears of events among the dead letters, and the form of its messages: Standard Webhooks 1.0
/// (github.com/standard-webhooks/standard-webhooks), signed with HMAC-SHA256.
///
/// A message holds names and counts, and no payload, key or header.
package struct Webhook: Sendable {
    /// The absolute URL that messages are posted to.
    package var url: String
    /// The secret that messages are signed with, which may change with its file. A text of the form `whsec_` and base64
    /// stands for the decoded bytes.
    package var secret: WatchedSecret
    /// The number of letters within two hours from which a group can count as growing.
    package var growth: Int

    /// Creates a webhook from its parts.
    package init(url: String, secret: WatchedSecret, growth: Int = 100) {
        self.url = url
        self.secret = secret
        self.growth = growth
    }

    /// Returns the message about an event.
    ///
    /// - Parameter now: the time in milliseconds since 1970.
    func request(for event: LetterNews, now: Int64) throws -> HTTPRequest {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = Array(try encoder.encode(Message(event, now: now)))
        let (id, seconds) = (Self.id(of: event, now: now), "\(now / 1_000)")
        return HTTPRequest(
            method: .post,
            url: self.url,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader("webhook-id", id),
                HTTPHeader("webhook-timestamp", seconds),
                HTTPHeader("webhook-signature", self.signature(of: body, id: id, seconds: seconds)),
            ],
            body: body
        )
    }

    /// Returns the id of the message about an event. It is the same if the message is sent again, also by another server,
    /// so that a receiver recognises it. An event that can come again has the number of its period in the id.
    private static func id(of event: LetterNews, now: Int64) -> String {
        let subject = SafeText.line(event.subject, limit: 250)
        let name = String(decoding: Digest.sha256.hexadecimal(Array(subject.utf8)).prefix(20), as: UTF8.self)
        let period = event.kind.staleness.map { ".\(now / $0)" } ?? ""
        return "\(event.kind.rawValue).\(name)\(period)"
    }

    /// Returns the signature in the form of Standard Webhooks: a version and the base64 of the code.
    func signature(of body: [UInt8], id: String, seconds: String) -> String {
        let code = MessageAuthentication(key: self.key)(Array("\(id).\(seconds).".utf8) + body)
        return "v1," + String(decoding: Base64.encode(code), as: UTF8.self)
    }

    private var key: [UInt8] {
        let bytes = self.secret.current.revealBytes()
        let prefix = Array("whsec_".utf8)
        guard bytes.starts(with: prefix) else { return bytes }
        return Base64.decode(bytes.dropFirst(prefix.count)) ?? bytes
    }

    /// The JSON of a message.
    private struct Message: Encodable {
        /// The facts of the event.
        struct Facts: Encodable {
            var group: String?
            var topic: String
            var worker: String?
            var `class`: String?
            var reason: String?
            var open: Int
            var letters: Int
        }

        var type: String
        var timestamp: String
        var data: Facts

        init(_ event: LetterNews, now: Int64) {
            self.type = event.kind.rawValue
            self.timestamp = Timestamp(millisecondsSince1970: now).description
            self.data = Facts(
                group: event.group == nil ? nil : event.subject,
                topic: SafeText.line(event.group?.topic ?? event.subject, limit: 250),
                worker: event.group.map { SafeText.line($0.worker, limit: 120) },
                class: event.group.map { SafeText.line($0.kind, limit: 40) },
                reason: event.group.map { SafeText.line($0.cause, limit: 120) },
                open: event.open,
                letters: event.letters
            )
        }
    }
}
