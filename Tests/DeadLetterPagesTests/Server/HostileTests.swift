import DeadLetters
import Records
import Testing
import WorkerTestSupport

/// Every page shows text that anybody may have written.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HostileTests {
    @Test func everyPageShowsHarmfulLettersAsText() async throws {
        try await Stage.run(letters: Mess.letters()) { stage in
            let groups = try await stage.page("/", once: { $0.contains("180 open dead letters") })
            #expect(groups.contains("&lt;script&gt;window.hurt=1"))
            let visitor = try await Visitor(port: stage.port).signedIn(on: "/plan?state=open")
            let again = Visitor(port: stage.port, cookie: visitor.cookie, token: visitor.token)
            var pages = [groups]
            let list = try await again.get("/letters?since=12h").body
            let ids = Set(list.split(separator: "/letters/dl-").dropFirst().map { "dl-" + $0.prefix(32) })
            #expect(ids.count == 100)
            let rest = try await again.get("/letters?since=12h&page=2").body
            let all = ids.union(
                rest.split(separator: "/letters/dl-").dropFirst().map { "dl-" + $0.prefix(32) }
            )
            for query in ["reason=PaymentDeclinedException", "reason=unknown", "reason=odd.time"] {
                let found = try await again.get("/letters?\(query)").body
                pages.append(found)
                for id in all where found.contains("/letters/\(id)") {
                    pages.append(try await again.get("/letters/\(id)").body)
                    pages.append(
                        try await again.post("/letters/\(id)/reveal", [("because", "<script>")]).body
                    )
                }
                pages.append(try await again.get("/plan?\(query)&force=yes&target=activation").body)
                pages.append(try await again.get("/discard?\(query)").body)
            }
            #expect(pages.count > 12)
            for script in ["<script>window.hurt", "%3Cscript%3Ewindow.hurt%3D1"] {
                pages.append(
                    try await again.get("/?reason=\(script.replacing("<", with: "%3C"))&where=\(script)").body
                )
                pages.append(try await again.get("/replays/\(script.replacing("<", with: "%3C"))").body)
                pages.append(try await again.get("/letters/\(script.replacing("<", with: "%3C"))").body)
            }
            pages.append(try await stage.page("/audit", once: { $0.contains("&lt;script&gt;") }))
            for page in pages {
                #expect(page.hasPrefix("<!doctype html>"))
                #expect(!page.contains("<script>") && !page.contains("<img"))
                #expect(!page.contains("<b>"))
                #expect(
                    !page.unicodeScalars.contains {
                        $0.value == 0x1B || $0.value == 0x202E || $0.value == 0x7
                    }
                )
                // A value of 1 MB is shown cut.
                #expect(page.utf8.count < 400_000)
            }
            #expect(pages.contains { $0.contains("de ad be ef") })
        }
    }
    /// An exception that somebody else wrote down may quote the record: neither as a fact nor as a header may it be read,
    /// unless the settings say so, as they do by default.
    @Test func whatOthersSayOfARecordIsMaskedWhereverItStands() async throws {
        let quote = "no such customer: Anna Example"
        let places: [[(name: String, value: String)]] = [
            [("__dlq.errors.topic", "orders"), ("__dlq.errors.message", quote)],
            [("__dlq.errors.message", quote)],
            [
                ("kafka_dlt-exception-fqcn", "com.example.Refused"), ("kafka_dlt-exception-message", quote),
                ("kafka_dlt-exception-stacktrace", quote), ("__dlq.errors.message", quote),
            ],
            [
                ("kafka_exception-fqcn", "com.example.Refused"), ("kafka_exception-message", quote),
                ("kafka_exception-stacktrace", quote),
            ],
            [
                ("__connect.errors.topic", "orders"), ("__connect.errors.exception.message", quote),
                ("__connect.errors.exception.stacktrace", quote),
            ],
            [
                ("__streams.errors.topic", "orders"), ("__streams.errors.exception", "Refused: \(quote)"),
                ("__streams.errors.message", quote), ("__streams.errors.stacktrace", quote),
            ],
            [
                ("source_topic", "orders"), ("source_partition", "0"), ("source_offset", "7"),
                ("__dlq.errors.message", quote),
            ],
            [("reason_poisoned", quote), ("topic_poisoned", "orders")],
            [("x-original-topic", "orders"), ("x-error-message", quote), ("x-exception-message", quote)],
        ]
        let letters = places.map { headers in
            OutboundRecord(
                topic: Stage.letterTopic,
                value: [0xFF],
                headers: headers.map { RecordHeader($0.name, $0.value) }
            )
        }
        let ours = Letters.letter(offset: 1)
        try await Stage.run(letters: letters + [ours], readable: ReadablePolicy(["header:*"])) { stage in
            _ = try await stage.page("/", once: { $0.contains("\(letters.count + 1) open dead letters") })
            let visitor = Visitor(port: stage.port)
            let list = try await visitor.get("/letters").body
            let ids = Set(list.split(separator: "/letters/dl-").dropFirst().map { "dl-" + $0.prefix(32) })
            #expect(ids.count == letters.count + 1)
            var pages: [String] = []
            for id in ids { pages.append(try await visitor.get("/letters/\(id)").body) }
            for page in pages { #expect(!page.contains("Anna")) }
            // The messages of our own workers hold nothing about a person, so they can be read.
            #expect(pages.contains { $0.contains("gdt refused it with code -12") })
        }
    }
}
