import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// The worker's process as whoever runs it sees it: signals, health, metrics, traces, logs.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct OperatorTests {
    @Test func healthAndMetricsTellWhatTheWorkerDoes() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)")
        try cluster.publish((0..<20).map { Activations.good($0, to: cluster.input) })
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 20), "\(worker.log)")
        let (alive, ready) = (try await worker.page("/livez"), try await worker.page("/readyz"))
        #expect(alive.status == 200)
        #expect(ready.status == 200)
        // A result can be read before its acknowledgement has come back to the worker, which counts that.
        let all = #"worker_records_total{outcome="succeeded"} 20"#
        #expect(try await worker.waitForPage("/metrics") { $1.contains(all) }, "\(worker.log)")
        let metrics = try await worker.page("/metrics")
        let samples = Set(metrics.text.split(separator: "\n").map(String.init))
        #expect(samples.contains(#"worker_upstream_requests_total{status="200",upstream="gdt"} 20"#))
        #expect(samples.contains(#"http_client_request_duration_seconds_count{upstream="gdt"} 20"#))
        #expect(samples.contains("messaging_client_consumed_messages_total 20"))
        #expect(samples.contains(#"worker_circuit_state{upstream="gdt"} 0"#))
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try cluster.remove()
    }

    /// A health server that was cancelled while a probe connected ended the process by a trap, where its exit code
    /// tells a supervisor that a new start is useless.
    @Test func aWorkerThatFailsWhileItIsProbedEndsWithItsExitCode() async throws {
        let cluster = try await TestCluster.transactional(withDeadLetters: false)
        for _ in 0..<4 {
            let worker = try WorkerUnderTest(
                cluster,
                upstream: "http://127.0.0.1:1",
                kafka: "session_timeout: 6s\n  start_limit: 1s"
            )
            let port = try worker.healthPort()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let server = PlainHTTP(port: port, patience: 5)
                        // The first refusal tells that the server is gone.
                        while (try? await server.request("GET", "/readyz", headers: [:])) != nil {}
                    }
                }
            }
            #expect(worker.exitStatus() == 1, "\(worker.log)")
        }
        try await cluster.end()
    }

    @Test func aTraceGoesOnInTheRequestTheResultAndTheDeadLetter() async throws {
        let cluster = try TestCluster()
        let upstream = try CandidUpstream()
        let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
        let context = RecordHeader("traceparent", "00-\(traceID)-00f067aa0ba902b7-01")
        var good = Activations.good(1, to: cluster.input)
        good.headers = [context, RecordHeader("tracestate", "vendor=1")]
        let bad = OutboundRecord(topic: cluster.input, key: [1], value: [0xFF], headers: [context])
        try cluster.publish([good, bad])
        let worker = try WorkerUnderTest(cluster, upstream: upstream.url)
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 2), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")

        let head = try #require(upstream.heads.first)
        let sent = try #require(
            head.split(separator: "\r\n").first { $0.hasPrefix("traceparent:") },
            "\(head)"
        )
        #expect(sent.contains("00-\(traceID)-"))
        #expect(!sent.contains("00f067aa0ba902b7"))
        #expect(head.contains("tracestate: vendor=1"))
        for result in results.records {
            let trace = try #require(result.text(of: "traceparent"))
            #expect(
                trace.hasPrefix("00-\(traceID)-") && trace.hasSuffix("-01")
                    && !trace.contains("00f067aa0ba902b7")
            )
        }
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(letters.read { $0.count == 1 })
        #expect(letters.records.first?.text(of: "traceparent")?.contains(traceID) == true)
        upstream.stop()
        try cluster.remove()
    }

    @Test func noSecretAndNoDeviceIsLogged() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            level: "trace",
            more: EndToEndTests.quickRetries
        )
        let clicks = ["sim-503x2-a", "sim-ret-15-a", "sim-ret-1-a", "sim-cutx1-a", "sim-ret-12x2-a"]
        let records = clicks.enumerated().map { Activations.good($0, to: cluster.input, clickID: $1) }
        try cluster.publish(
            records + [OutboundRecord(topic: cluster.input, key: [9], value: Array("{4e".utf8))]
        )
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: records.count + 1), "\(worker.log)")
        let metrics = try await worker.page("/metrics").text
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(worker.log.contains("dead letter"))
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(letters.read { $0.count == 2 })
        let notices = letters.records.flatMap(\.headers).map {
            String(decoding: $0.value ?? [], as: UTF8.self)
        }
        for text in [worker.log, metrics] + notices {
            for secret in ["test_sign_key", "test_encrypt_key", "496A-47FD-9941", "sim-503", "v="] {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
        }
        await gdt.stop()
        try cluster.remove()
    }

    /// A pod that is taken back while its cluster is not there yet must go at once, not after `start_limit`.
    @Test func aStopIsHeardBeforeTheClusterAnswers() async throws {
        let cluster = try TestCluster()
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:9", brokers: "127.0.0.1:9")
        #expect(worker.waitForLog("health and metrics"))
        let clock = ContinuousClock()
        let took = clock.measure { #expect(worker.stop() == 0, "\(worker.log)") }
        #expect(took < .seconds(15), "\(took): \(worker.log)")
        try cluster.remove()
    }

    @Test func aClusterThatNeverAnswersEndsTheWorkerWithOneLine() async throws {
        let cluster = try TestCluster()
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:9",
            brokers: "127.0.0.1:9",
            kafka: "start_limit: 1s"
        )
        #expect(worker.exitStatus() == 1)
        let complaint = worker.log.split(separator: "\n").filter { $0.hasPrefix("activation-worker: ") }
        #expect(complaint.count == 1 && complaint[0].contains("no answer from 127.0.0.1:9"), "\(worker.log)")
        try cluster.remove()
    }

    /// The last commit cannot succeed, and the group cannot be left: the process ends all the same.
    @Test(.enabled(if: TestCluster.isEmbedded))
    func aStopWithoutABrokerEndsInTime() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            kafka: "session_timeout: 45s",
            more: "worker:\n  drain_limit: 1s\n"
        )
        try cluster.publish([Activations.good(0, to: cluster.input)])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 1), "\(worker.log)")
        cluster.shutDownBroker()
        let took = ContinuousClock().measure { #expect(worker.stop() == 0, "\(worker.log)") }
        // A second for the drain, five for the last commit, five for leaving, and the rest for a busy machine.
        #expect(took < .seconds(25), "\(took): \(worker.log)")
        #expect(worker.log.contains("the group has not confirmed"), "\(worker.log)")
        await gdt.stop()
    }

    /// A hang-up once ended the worker, in the middle of its calls.
    @Test func aHangUpEndsNobody() async throws {
        let cluster = try TestCluster()
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let worker = try WorkerUnderTest(cluster, upstream: "http://127.0.0.1:\(gdt.port)")
        #expect(worker.waitForLog("assigned"), "\(worker.log)")
        worker.send(SIGHUP)
        #expect(worker.waitForLog("are those of the settings now"), "\(worker.log)")
        try cluster.publish([Activations.good(0, to: cluster.input)])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 1), "\(worker.log)")
        worker.send(SIGHUP)
        #expect(worker.waitForLog("are those of the settings now", times: 2), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        try cluster.remove()
    }

    @Test func aHangUpEndsNoBrokerThatHasNoTerminal() throws {
        let fleet = try CommandUnderTest(["broker", "--topic", "t:1"])
        #expect(fleet.waitForLine("127.0.0.1:"))
        fleet.send(SIGHUP)
        #expect(fleet.waitForLine("SIGHUP is ignored"))
        #expect(fleet.isRunning)
        fleet.send(SIGTERM)
        #expect(fleet.exitStatus() == 0)
    }

    @Test func theSecondSignalEndsTheWorkerAtOnce() async throws {
        let cluster = try TestCluster()
        var settings = Activations.simulatorSettings
        settings.faults.latency = .init(milliseconds: 60_000)
        let gdt = try await GDTSimulator.start(settings)
        let worker = try WorkerUnderTest(
            cluster,
            upstream: "http://127.0.0.1:\(gdt.port)",
            more: "http:\n  timeout: 90s\nworker:\n  drain_limit: 120s\n"
        )
        try cluster.publish([Activations.good(0, to: cluster.input)])
        #expect(try await worker.waitForPage("/metrics") { $1.contains("worker_records_inflight 1\n") })
        worker.send(SIGTERM)
        #expect(try await worker.waitForPage("/readyz") { status, _ in status == 503 })
        worker.send(SIGTERM)
        let took = ContinuousClock().measure { #expect(worker.exitStatus() == 130) }
        #expect(took < .seconds(10), "\(took)")
        await gdt.stop()
        try cluster.remove()
    }
}
