import EmbeddedBroker
import EventThread
import Operations
import Testing
import WorkerTestSupport

@testable import Gateway

/// A record is taken when the cluster has acknowledged it, and at no other time.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutageTests {
    @Test func aMissingTopicStopsItsRouteAlone() async throws {
        try await Stage.run(topics: ["sdk-upload", "push-arrival"]) { stage async throws in
            // Each route opens when the gateway has seen its topic.
            try await stage.waits { try await stage.post(Stage.upload, "x").status == 200 }
            let page = stage.registry.exposition()
            #expect(page.contains(#"gateway_topic_open{topic="sdk-upload"} 1"#))
            #expect(page.contains(#"gateway_topic_open{topic="activation-click"} 0"#))
            let click = try await stage.get("/clicks/gdt?muid=1")
            #expect(click.status == 503 && click.headers["retry-after"] == "5")
            #expect(click.body == #"{"ret":503,"msg":"unavailable"}"#)
            try await stage.broker.createTopic("activation-click", partitions: 1)
            try await stage.waits { try await stage.get("/clicks/gdt?muid=1").status == 200 }
        }
    }

    /// A cluster that is slow to tell its topics was once taken for one that has none, on all routes.
    @Test func aSlowAnswerAboutAMissingTopicClosesNoOther() async throws {
        let topics = ["sdk-upload", "push-arrival"]
        try await Stage.run(kafka: ["delivery_time: 300s"], topics: topics) { stage async throws in
            #expect(try await stage.post(Stage.upload, "x").status == 200)
            var faults = BrokerFaults()
            faults.latency = .milliseconds(1_500)...(.milliseconds(1_500))
            try await stage.broker.setFaults(faults)
            // Some looks at the cluster fall into this time.
            for _ in 0..<3 {
                #expect(try await stage.post(Stage.upload, "x").status == 200)
                #expect(stage.health.readiness == .ready)
            }
            #expect(try await stage.get("/clicks/gdt?muid=1").status == 503)
        }
    }

    @Test func withoutAnyTopicTheGatewayIsNotReady() async throws {
        try await Stage.run(gateway: ["routes: [clicks]"], topics: [], isReady: false) { stage async throws in
            let problem =
                "The topic 'activation-click' does not exist, or this client may not see it; create it, or allow it."
            try await stage.becomes(.notReady(reason: problem))
            #expect(try await stage.get("/clicks/gdt?muid=1").status == 503)
            try await stage.broker.createTopic("activation-click", partitions: 1)
            try await stage.becomes(.ready)
            #expect(try await stage.get("/clicks/gdt?muid=1").status == 200)
        }
    }

    @Test func aTopicThatMayNotBeWrittenStopsItsRouteAlone() async throws {
        try await Stage.run { stage async throws in
            var faults = BrokerFaults()
            faults.unwritableTopics = ["activation-click"]
            try await stage.broker.setFaults(faults)
            for _ in 0..<5 {
                #expect(try await stage.get("/clicks/gdt?muid=1").status == 503)
                #expect(try await stage.post(Stage.upload, "x").status == 200)
            }
            #expect(stage.health.readiness == .ready)
        }
    }

    /// A client that asks and asks and reads nothing would otherwise hold up the stop for ever.
    @Test func aClientThatReadsNothingDoesNotHoldUpAStop() async throws {
        let times = ["body_time: 100ms", "connections: 8"]
        try await Stage.run(gateway: times, kafka: ["delivery_time: 200ms"]) { stage async throws in
            let deaf = try stage.http.connection(sending: "")
            let requests = String(repeating: "GET /none HTTP/1.1\r\nHost: a\r\n\r\n", count: 1_000)
            // The requests end when the server reads no more of them, or has closed the connection.
            async let sending: Void = EventThread.run { while deaf.sends(requests) {} }
            try await stage.waits { stage.registry.exposition().contains(#"status="404"} 1"#) }
            await stage.stop()
            try await sending
        }
    }

    @Test func whatTheClusterDoesNotAcknowledgeIsNotTaken() async throws {
        try await Stage.run(gateway: ["routes: [uploads]"], kafka: ["delivery_time: 300ms"]) {
            stage async throws in
            #expect(try await stage.post(Stage.upload, "before").status == 200)
            try await stage.refusesAllRecords()
            #expect(try await stage.post(Stage.upload, "during").status == 503)
            try await stage.broker.setFaults(BrokerFaults())
            try await stage.waits {
                stage.registry.exposition().contains(#"gateway_topic_open{topic="sdk-upload"} 0"#)
            }
            // The gateway stays ready, because only a request can find out that the trouble is over.
            #expect(stage.health.readiness == .ready)
            #expect(try await stage.post(Stage.upload, "after").status == 200)
            #expect(try await stage.records(on: "sdk-upload").map(\.text).sorted() == ["after", "before"])
        }
    }

    @Test func withoutAClusterTheAnswerIs503() async throws {
        try await Stage.run(kafka: ["delivery_time: 300ms"]) { stage async throws in
            await stage.broker.stop()
            for _ in 0..<3 { #expect(try await stage.post(Stage.upload, "x").status == 503) }
            try await stage.waits { stage.health.readiness != .ready }
            #expect(try await stage.get("/clicks/gdt?muid=1").status == 503)
        }
    }

    /// The answers of an outage come at once, however long the cluster may take for one record.
    @Test func requestsDoNotPileUpBehindAnOutage() async throws {
        try await Stage.run(kafka: ["delivery_time: 1s"]) { stage async throws in
            await stage.broker.stop()
            let first = try stage.http.connection(
                sending: "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
            )
            #expect(await first.status() == 503)
            let probes = try (0..<8).map { _ in
                try stage.http.connection(
                    sending: "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
                )
            }
            let start = ContinuousClock.now
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await stage.post(Stage.upload, "x").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == 503 })
            #expect(ContinuousClock.now - start < .seconds(30))
            for probe in probes { #expect(await probe.status() == 503) }
        }
    }

    @Test func aStopAnswersWhatIsInHand() async throws {
        try await Stage.run { stage async throws in
            var faults = BrokerFaults()
            faults.latency = .seconds(2)...(.seconds(2))
            try await stage.broker.setFaults(faults)
            let start = "POST \(Stage.upload) HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\nin"
            let half = try stage.http.connection(sending: start)
            try await stage.waits { stage.limits.bytesInHand == 2 }
            async let whole = stage.post(Stage.upload, "whole")
            try await stage.waits { stage.limits.bytesInHand == 7 }
            async let stopped: Void = stage.stop()
            try await stage.becomes(.draining)
            // The publisher has nothing left to do now, and must not end before the half is whole.
            #expect(try await whole.status == 200)
            half.send(" hand")
            #expect(await half.status() == 200)
            _ = await stopped
            try await stage.broker.setFaults(BrokerFaults())
            let texts = try await stage.records(on: "sdk-upload").map(\.text).sorted()
            #expect(texts == ["in hand", "whole"])
        }
    }

    @Test func metricsNameRoutesAndStatuses() async throws {
        try await Stage.run { stage async throws in
            _ = try await stage.post(Stage.upload, "x")
            _ = try await stage.get("/clicks/gdt?muid=1")
            _ = try await stage.get("/anything/else?at=all")
            let page = stage.registry.exposition()
            #expect(page.contains(#"gateway_requests_total{route="uploads",status="200"} 1"#))
            #expect(page.contains(#"gateway_requests_total{route="none",status="404"} 1"#))
            #expect(page.contains(#"gateway_records_total{route="clicks"} 1"#))
            #expect(!page.contains("anything") && !page.contains("muid"))
        }
    }
}
