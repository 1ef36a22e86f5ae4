import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// Workers over TLS with SCRAM, with the rights that the documents name and without each of them.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: TestCluster.isEmbedded))
struct SecurityTests {
    private static let tail = "health:\n  host: 127.0.0.1\n  port: 0\nlog:\n  format: text\n"

    private static func activation(_ kafka: String, upstream port: Int = 9) -> String {
        """
        kafka:
          \(kafka)
        worker:
          delivery: exactly-once
        gdt:
          url: http://127.0.0.1:\(port)
          apps:
            - {app_id: 112233, advertiser_id: 10000, sign_key: test_sign_key, encrypt_key: test_encrypt_key}
        \(self.tail)
        """
    }

    private static func intake(_ kafka: String) -> String {
        "kafka:\n  \(kafka)\nduplicates:\n  window: 1d\n\(self.tail)"
    }

    private static func pushArrival(_ kafka: String) -> String {
        "kafka:\n  \(kafka)\ndashboard:\n  enabled: false\nstatistics:\n  interval: 500ms\n\(self.tail)"
    }

    /// Sees that each right that is taken away is named by the worker, which ends.
    private static func withoutEach(
        _ cluster: SecureCluster,
        _ program: String,
        _ text: String,
        command: [String] = ["run"]
    ) async throws {
        #expect(cluster.needed.count >= 7)
        for missing in cluster.needed {
            try await cluster.allow(cluster.needed.filter { $0 != missing }, describes: true)
            let worker = try WorkerUnderTest(program, text, command: command)
            #expect(worker.exitStatus() == 1, "\(missing): \(worker.log)")
            #expect(worker.log.contains(missing.words), "\(missing): \(worker.log)")
            for other in cluster.needed where other != missing {
                #expect(!worker.log.contains(other.words), "\(missing): \(worker.log)")
            }
        }
    }

    @Test func theActivationWorkerNeedsTheRightsOfItsTable() async throws {
        let cluster = try await SecureCluster(of: "activation-worker")
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        let text = Self.activation(try cluster.lines(), upstream: gdt.port)
        try await cluster.allow(cluster.needed)
        let worker = try WorkerUnderTest("activation-worker", text)
        #expect(
            try cluster.publish(Activations.good(1, to: "activation"), until: "activation.result"),
            "\(worker.log)"
        )
        #expect(worker.stop() == 0, "\(worker.log)")
        try await Self.withoutEach(cluster, "activation-worker", text)
        await gdt.stop()
        await cluster.stop()
    }

    /// A password is changed at the brokers and in its file, and the worker goes on without a restart.
    @Test func aPasswordIsChangedUnderARunningWorker() async throws {
        let cluster = try await SecureCluster(of: "activation-worker")
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try await cluster.allow(cluster.needed)
        let worker = try WorkerUnderTest(
            "activation-worker",
            Self.activation(try cluster.lines(), upstream: gdt.port)
        )
        let first = Activations.good(1, to: "activation")
        #expect(try cluster.publish(first, until: "activation.result"), "\(worker.log)")
        try await cluster.changePassword(to: "another-secret")
        let second = Activations.good(2, to: "activation")
        #expect(try cluster.publish(second, until: "activation.result", have: 2), "\(worker.log)")
        #expect(
            worker.log.contains("secret file changed") && worker.log.contains("sasl.password"),
            "\(worker.log)"
        )
        #expect(!worker.log.contains("another-secret"))
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        await cluster.stop()
    }

    @Test func theIntakeNeedsTheRightsOfItsTable() async throws {
        let cluster = try await SecureCluster(of: "activation-intake")
        let text = Self.intake(try cluster.lines())
        try await cluster.allow(cluster.needed)
        let intake = try WorkerUnderTest("activation-worker", text, command: ["intake", "run"])
        let record = Activations.good(1, to: "activation")
        #expect(try cluster.publish(record, until: "activation.due"), "\(intake.log)")
        #expect(intake.stop() == 0, "\(intake.log)")
        try await Self.withoutEach(cluster, "activation-worker", text, command: ["intake", "run"])
        await cluster.stop()
    }

    @Test func thePushArrivalWorkerNeedsTheRightsOfItsTable() async throws {
        let cluster = try await SecureCluster(of: "push-arrival-worker")
        let text = Self.pushArrival(try cluster.lines())
        try await cluster.allow(cluster.needed)
        let worker = try WorkerUnderTest("push-arrival-worker", text)
        let event = OutboundRecord(topic: "push-arrival", key: [1], value: Array("{}".utf8))
        #expect(
            try cluster.publish(event, until: "push-arrival.result", "push-arrival.dead-letter"),
            "\(worker.log)"
        )
        #expect(worker.stop() == 0, "\(worker.log)")
        try await Self.withoutEach(cluster, "push-arrival-worker", text)
        await cluster.stop()
    }

    /// The settings of the workers that call Apple or a statistics endpoint; nobody answers there.
    private static func own(_ name: String) -> String {
        let key = DeviceChecks.key.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
        return switch name {
        case "devicecheck-worker":
            """
            devicecheck:
              teams:
                - team_id: \(DeviceChecks.team)
                  key_id: \(DeviceChecks.keyID)
                  key: |
            \(key)
            """
        case "receipt-worker":
            "receipt:\n  apps:\n    - {bundle_id: com.example.app, route: verifyreceipt, shared_secret: s3cret}"
        default: "forward:\n  url: http://127.0.0.1:9"
        }
    }

    @Test(arguments: [
        ("devicecheck-worker", "devicecheck-worker", ["run"]), ("receipt-worker", "receipt-worker", ["run"]),
        ("push-arrival-forward", "push-arrival-worker", ["forward", "run"]),
    ])
    func aWorkerNeedsTheRightsOfItsTable(name: String, program: String, command: [String]) async throws {
        let cluster = try await SecureCluster(of: name)
        let input = try #require(cluster.needed.first { $0.kind == "topic" && $0.operation == "READ" }).name
        let kafka = "kafka:\n  \(try cluster.lines())\nworker:\n  delivery: exactly-once\n"
        let text = kafka + Self.own(name) + "\n" + Self.tail
        try await cluster.allow(cluster.needed)
        let worker = try WorkerUnderTest(program, text, command: command)
        let record = OutboundRecord(topic: input, key: [1], value: Array("no record".utf8))
        #expect(
            try cluster.publish(record, until: "\(input).result", "\(input).dead-letter"),
            "\(worker.log)"
        )
        #expect(worker.stop() == 0, "\(worker.log)")
        try await Self.withoutEach(cluster, program, text, command: command)
        await cluster.stop()
    }

    /// The readiness says what is missing, and the worker goes on when it is allowed.
    @Test func aWorkerThatWaitsForARightSaysSoAndGoesOn() async throws {
        let cluster = try await SecureCluster(of: "activation-worker")
        let text = Self.activation(try cluster.lines().replacing("start_limit: 1s", with: "start_limit: 60s"))
        let missing = try #require(cluster.needed.first { $0.name == "activation.dead-letter" })
        try await cluster.allow(cluster.needed.filter { $0 != missing }, describes: true)
        let worker = try WorkerUnderTest("activation-worker", text)
        let isTold = try await worker.waitForPage("/readyz") { $0 == 503 && $1.contains(missing.words) }
        #expect(isTold, "\(worker.log)")
        let preflight = try CommandUnderTest(["preflight", "--config", worker.settingsPath], of: "fleet")
        #expect(preflight.exitStatus() == 1)
        #expect(preflight.waitForLine(missing.words), "\(preflight.text)")
        try await cluster.allow(cluster.needed)
        #expect(worker.waitForLog(" assigned "), "\(worker.log)")
        let again = try CommandUnderTest(["preflight", "--config", worker.settingsPath], of: "fleet")
        #expect(again.exitStatus() == 0, "\(again.text)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await cluster.stop()
    }

    /// An administrator takes a right away from a worker that has worked, and gives it back. Records have come meanwhile.
    @Test(arguments: [("READ", "activation"), ("WRITE", "activation.result")])
    func aWorkerThatLosesARightWhileItWorksSaysSoAndGoesOn(operation: String, topic: String) async throws {
        let cluster = try await SecureCluster(of: "activation-worker")
        let gdt = try await GDTSimulator.start(Activations.simulatorSettings)
        try await cluster.allow(cluster.needed)
        let text = Self.activation(try cluster.lines(), upstream: gdt.port)
        let worker = try WorkerUnderTest(
            "activation-worker",
            text.replacing("exactly-once", with: "at-least-once\n  stall_limit: 5s")
        )
        let first = Activations.good(1, to: "activation")
        #expect(try cluster.publish(first, until: "activation.result"), "\(worker.log)")
        let lost = try #require(cluster.needed.first { $0.operation == operation && $0.name == topic })
        try await cluster.allow(cluster.needed.filter { $0 != lost })
        for number in 2...5 {
            let record = Activations.good(number, to: "activation")
            #expect(try cluster.publish(record, until: "activation", have: number))
        }
        let isTold = try await worker.waitForPage("/readyz") { status, page in
            status == 503 && page.contains("Topic authorization failed")
        }
        #expect(isTold, "\(worker.log)")
        let line = try #require(
            worker.log.split(separator: "\n").last { $0.contains("the worker stands still") }
        )
        #expect(line.contains("'\(topic)'") && line.contains(operation), "\(worker.log)")
        try await cluster.allow(cluster.needed)
        let last = Activations.good(6, to: "activation")
        #expect(try cluster.publish(last, until: "activation.result", have: 6), "\(worker.log)")
        #expect(try await worker.waitForPage("/readyz") { status, _ in status == 200 }, "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        await gdt.stop()
        await cluster.stop()
    }

    @Test func aWrongPasswordIsToldWithItsSetting() async throws {
        let cluster = try await SecureCluster(of: "activation-worker")
        let text = Self.activation(try cluster.lines(password: "wrong"))
        let worker = try WorkerUnderTest("activation-worker", text)
        #expect(worker.exitStatus() == 1)
        let sentence =
            "kafka.properties sasl.username, sasl.password: the broker does not accept the credentials."
        #expect(worker.log.contains(sentence), "\(worker.log)")
        let preflight = try CommandUnderTest(["preflight", "--config", worker.settingsPath], of: "fleet")
        #expect(preflight.exitStatus() == 1)
        #expect(preflight.waitForLine(sentence), "\(preflight.text)")
        await cluster.stop()
    }
}
