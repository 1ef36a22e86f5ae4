import DeadLetters
import Foundation
import Operations
import Testing
import WorkerTestSupport

@testable import DeadLetterPages

/// The messages to a webhook: their form, and how often they come.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WebhookTests {
    /// The example of the documents of Standard Webhooks.
    @Test func signsAsStandardWebhooksDoes() {
        let webhook = Webhook(
            url: "https://x.example/",
            secret: WatchedSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        )
        let signature = webhook.signature(
            of: Array(#"{"test": 2432232314}"#.utf8),
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            seconds: "1614265330"
        )
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        let plain = Webhook(
            url: "https://x.example/",
            secret: WatchedSecret(Secret("a secret of some length"))
        )
        #expect(
            plain.signature(of: [], id: "a", seconds: "1") != webhook.signature(of: [], id: "a", seconds: "1")
        )
    }

    @Test func aNewGroupIsPostedUntilItIsTaken() async throws {
        let receiver = Receiver(statuses: [500, 403])
        let secret = "a secret of some length"
        try await receiver.serve { url in
            let webhook = Webhook(url: url, secret: WatchedSecret(Secret(secret)))
            try await Stage.run(letters: [Letters.letter(offset: 0)], webhook: webhook) { stage in
                try await Self.makeNews(stage, receiver)
                #expect(receiver.ids.allSatisfy { $0.hasPrefix("group.new.") })
                for message in receiver.messages {
                    let expected = webhook.signature(
                        of: message.body,
                        id: message.headers["webhook-id"] ?? "",
                        seconds: message.headers["webhook-timestamp"] ?? ""
                    )
                    #expect(message.headers["webhook-signature"] == expected)
                    let text = String(decoding: message.body, as: UTF8.self)
                    #expect(text.contains(#""type":"group.new""#) && text.contains(#""reason":"gdt.-1"#))
                    #expect(!text.contains(Letters.secret) && !text.contains("device-1"))
                }
                // Once everything is taken, the pages do not complain any more.
                let alert = "New groups are told to nobody"
                #expect(!(try await stage.page("/", once: { !$0.contains(alert) })).contains(alert))
            }
        }
    }

    /// Makes new groups until one was posted twice. The groups of the first look are known, and so is one that comes before
    /// the sender has looked; so there is another one each time.
    private static func makeNews(_ stage: Stage, _ receiver: Receiver) async throws {
        _ = try await stage.page("/", once: { $0.contains("1 open dead letter") })
        let visitor = Visitor(port: stage.port)
        var offset: Int64 = 1
        while !receiver.hasSeenRepeat {
            if receiver.messages.isEmpty {
                let letter = Letters.letter(offset: offset, reason: "gdt.-\(offset + 100)")
                try await Stage.publish([letter], to: stage.broker)
                offset += 1
            }
            _ = try await visitor.get("/")
        }
    }
}
