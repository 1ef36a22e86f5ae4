import Foundation
import Records
import Testing
import UpstreamSimulator
import WorkerTestSupport

/// The DeviceCheck worker's process, a broker, and Apple as the simulator plays it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DeviceCheckTests {
    /// How a request fares: its outcome's fate, result and bits.
    private static func text(_ check: ReadDeviceCheck?) -> String {
        guard let check else { return "nothing" }
        let bits = check.bits.compactMap(\.self).map { " \($0)" }.joined()
        return "\(check.outcome.fate) \(check.result ?? "-")\(bits)"
    }

    @Test func asksAndSetsAndKeepsTheOrderOfAKey() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        let worker = try DeviceChecks.worker(cluster, apple)
        func record(_ op: String, _ device: String, _ id: String, _ bits: [String: Bool] = [:])
            -> OutboundRecord
        {
            DeviceChecks.record(op, to: cluster.input, device: device, id: id, bits: bits)
        }
        try cluster.publish([
            record("query", "a", "a1"), record("update", "a", "a2", ["bit0": true, "bit1": false]),
            record("query", "a", "a3"), record("update", "a", "a4", ["bit1": true]),
            record("query", "a", "a5"),
            record("update", "a", "a6", ["bit0": false]), record("query", "a", "a7"),
            record("update", "b", "b1", ["bit1": true]), record("query", "b", "b2"),
            record("validate", "c", "c1"), record("query", "c", "c2"),
        ])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 11), "\(worker.log)")
        let expected = [
            "a1": "succeeded not_set", "a2": "succeeded updated true false",
            "a3": "succeeded state true false",
            "a4": "succeeded updated true true", "a5": "succeeded state true true",
            "a6": "succeeded updated false true", "a7": "succeeded state false true",
            "b1": "succeeded updated false true", "b2": "succeeded state false true",
            "c1": "succeeded valid", "c2": "succeeded not_set",
        ]
        for (id, text) in expected { #expect(Self.text(results.deviceChecks[id]) == text, "\(id)") }
        #expect(
            results.deviceChecks["a3"]?.lastUpdateMonth
                == DeviceChecks.text(DeviceChecks.now).prefix(7).description
        )
        #expect(results.deviceChecks["a3"]?.appleRequestId?.count == 36)
        let calls = apple.calls()
        #expect(calls.count == 14 && calls.allSatisfy { $0.status == 200 })
        #expect(Set(calls.compactMap(\.transactionID)).count == 14)
        // Both bits are sent, always.
        let updates = calls.filter { $0.path.hasSuffix("update_two_bits") }
        #expect(updates.count == 4 && updates.allSatisfy { $0.bit0 != nil && $0.bit1 != nil })
        #expect(try await worker.page("/metrics").text.contains("devicecheck_token_age_seconds_count 11\n"))
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    /// Development is another host, with bits and tokens of its own.
    @Test func theEnvironmentsAreApart() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        let worker = try DeviceChecks.worker(cluster, apple)
        let token = SimulatedDeviceToken(device: "a", environment: "development", madeAt: DeviceChecks.now)
            .base64
        let development = ["environment": "development", "deviceToken": token]
        try cluster.publish([
            DeviceChecks.record(
                "update",
                to: cluster.input,
                device: "a",
                id: "1",
                bits: ["bit0": true, "bit1": true],
                more: development
            ),
            DeviceChecks.record("query", to: cluster.input, device: "a", id: "2"),
            DeviceChecks.record("query", to: cluster.input, device: "a", id: "3", more: development),
            DeviceChecks.record(
                "query",
                to: cluster.input,
                device: "a",
                id: "4",
                more: ["deviceToken": token]
            ),
        ])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 4), "\(worker.log)")
        let texts = ["1", "2", "3", "4"].map { Self.text(results.deviceChecks[$0]) }
        #expect(
            texts == [
                "succeeded updated true true", "succeeded not_set", "succeeded state true true",
                "rejected invalid_token",
            ]
        )
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    @Test func aRefusedTokenIsRenewedAndARevokedKeyHoldsTheTeam() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(DeviceChecks.key, to: "key.p8")
        let worker = try DeviceChecks.worker(cluster, apple, key: "key_file: \(file.path)")
        let results = try TopicContents(cluster.results, cluster)
        var published = 0
        func publish(_ count: Int) throws {
            let records = (published..<published + count).map {
                DeviceChecks.record("query", to: cluster.input, device: "d\($0)", id: "\($0)")
            }
            published += count
            try cluster.publish(records)
        }
        try publish(20)
        #expect(results.read(outcomes: 20), "\(worker.log)")

        var refusal = AppleFaults()
        refusal.wrongAnswers = [.init(status: 401, text: "Authorization Token Expired", when: .init(next: 1))]
        await apple.setFaults(refusal)
        try publish(20)
        #expect(results.read(outcomes: 40), "\(worker.log)")
        #expect(!worker.log.contains("lane held"), "\(worker.log)")

        // Revoked: nothing is lost and nothing is settled until there is a key that Apple takes.
        apple.setTeams([])
        try publish(20)
        #expect(worker.waitForLog("TEAMID1234/production"), "\(worker.log)")
        #expect(!results.read(atMost: .milliseconds(500)) { _ in results.deviceChecks.count > 40 })
        apple.setTeams([
            DeviceCheckTeam(
                teamID: DeviceChecks.team,
                keyID: DeviceChecks.keyID,
                publicKeyPEM: DeviceChecks.otherPublicKey
            )
        ])
        try Data(DeviceChecks.otherKey.utf8).write(to: file, options: .atomic)
        #expect(results.read(outcomes: 60), "\(worker.log)")
        #expect(worker.log.contains("secret file changed"))
        #expect(results.deviceChecks.values.allSatisfy { $0.result == "not_set" }, "\(results.deviceChecks)")
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(!letters.read(atMost: .milliseconds(500)) { !$0.isEmpty })
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    @Test func anOldUpdateThatComesLateIsDropped() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        let worker = try DeviceChecks.worker(cluster, apple)
        let now = DeviceChecks.now
        func update(_ id: String, _ bit0: Bool, at time: Int64) -> OutboundRecord {
            let bits = ["bit0": bit0, "bit1": false]
            return DeviceChecks.record(
                "update",
                to: cluster.input,
                device: "a",
                id: id,
                bits: bits,
                requestedAt: time
            )
        }
        try cluster.publish([
            update("newer", true, at: now), update("older", false, at: now - 1),
            update("same", true, at: now),
        ])
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 3), "\(worker.log)")
        #expect(Self.text(results.deviceChecks["older"]) == "rejected superseded")
        #expect(Self.text(results.deviceChecks["same"]) == "succeeded updated true false")
        #expect(apple.devices().map(\.bit0) == [true] && apple.devices().map(\.updates) == [2])
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    /// After an outage of the consumer all tokens are old: that must not look like fraud.
    @Test func lagMakesExpiredTokensAndNoAccusations() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        func record(_ id: String, age: Int64) -> OutboundRecord {
            DeviceChecks.record("query", to: cluster.input, device: id, id: id, age: age)
        }
        // The simulator's tokens live for 60 s.
        try cluster.publish(
            (0..<200).map { record("old-\($0)", age: 90_000) }
                + (0..<200).map { record("ancient-\($0)", age: 400_000) }
                + [record("good", age: 10_000)]
        )
        var forged = DeviceChecks.record("query", to: cluster.input, device: "f", id: "forged")
        forged.value = Array(
            String(decoding: forged.value ?? [], as: UTF8.self).replacing(
                "\"deviceToken\":\"",
                with: "\"deviceToken\":\"-"
            ).utf8
        )
        try cluster.publish([forged])
        let worker = try DeviceChecks.worker(cluster, apple)
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 402), "\(worker.log)")
        for (id, check) in results.deviceChecks {
            switch id {
            case "good": #expect(check.result == "not_set")
            case "forged": #expect(check.result == "invalid_token")
            default: #expect(check.result == "expired_token" && check.outcome.fate == "rejected", "\(id)")
            }
        }
        #expect(apple.calls().count == 201)
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(!letters.read(atMost: .milliseconds(500)) { !$0.isEmpty })
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    @Test func anOutageEndsInUnavailableWithinSeconds() async throws {
        let cluster = try TestCluster()
        var settings = DeviceCheckSimulator.Settings(teams: DeviceChecks.teams)
        settings.faults.serverError = .init(status: 503)
        let apple = try await DeviceCheckSimulator.start(settings)
        let worker = try DeviceChecks.worker(
            cluster,
            apple,
            more: "worker:\n  deadline: 8s\n"
        )
        try cluster.publish(
            (0..<30).map { DeviceChecks.record("query", to: cluster.input, device: "d\($0)", id: "\($0)") }
        )
        let results = try TopicContents(cluster.results, cluster)
        #expect(results.read(outcomes: 30), "\(worker.log)")
        let checks = results.deviceChecks
        #expect(checks.count == 30 && checks.values.allSatisfy { $0.bits == [nil, nil] })
        #expect(
            checks.values.allSatisfy { ["unavailable", "expired_token"].contains($0.result) },
            "\(checks.values.map(Self.text))"
        )
        // Each attempt had its own time, and the same transaction.
        let byTransaction = Dictionary(grouping: apple.calls(), by: \.transactionID)
        #expect(byTransaction.count <= 30 && byTransaction.values.contains { $0.count > 1 })
        for calls in byTransaction.values {
            #expect(Set(calls.compactMap(\.timestamp)).count == calls.count)
            #expect(Set(calls.compactMap(\.device)).count == 1)
        }
        await apple.setFaults(AppleFaults())
        try cluster.publish([DeviceChecks.record("query", to: cluster.input, device: "z", id: "after")])
        #expect(results.read(outcomes: 31), "\(worker.log)")
        #expect(results.deviceChecks["after"]?.result == "not_set")
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(!letters.read(atMost: .milliseconds(500)) { !$0.isEmpty })
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    /// The worker makes up no device's bits and accuses nobody, whoever answers instead of Apple.
    @Test func whatIsNoAnswerOfAppleIsNotTakenForOne() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        let worker = try DeviceChecks.worker(cluster, apple)
        let results = try TopicContents(cluster.results, cluster)
        var faults: [(String, AppleFaults)] = []
        func fault(_ name: String, _ change: (inout AppleFaults) -> Void) {
            var fault = AppleFaults()
            change(&fault)
            faults.append((name, fault))
        }
        fault("page") { $0.proxyPage = Dose() }
        fault("truncated") { $0.truncated = Dose() }
        fault("cut before") { $0.cutBefore = Dose() }
        fault("cut after") { $0.cutAfter = Dose() }
        fault("huge") {
            let text = String(repeating: "Failed to find bit state ", count: 2_000_000)
            $0.wrongAnswers = [.init(status: 200, text: text)]
        }
        fault("numbers") { $0.wrongAnswers = [.init(status: 200, text: #"{"bit0":1,"bit1":0}"#)] }
        for (index, (name, fault)) in faults.enumerated() {
            await apple.setFaults(fault)
            try cluster.publish([DeviceChecks.record("query", to: cluster.input, device: name, id: name)])
            #expect(results.read(outcomes: index + 1), "\(name): \(worker.log)")
            #expect(Self.text(results.deviceChecks[name]) == "rejected unavailable", "\(name)")
        }
        #expect(worker.stop() == 0, "\(worker.log)")
        await apple.stop()
        try cluster.remove()
    }

    /// Four times, the worker is killed in the middle of updates. The next worker repeats some; in the end each device
    /// has the bits of its last update, and each record its outcome.
    @Test func killsLoseNoUpdateAndKeepTheirOrder() async throws {
        let (devices, rounds) = (100, 12)
        let cluster = try TestCluster()
        var settings = DeviceCheckSimulator.Settings(teams: DeviceChecks.teams)
        settings.faults.latency = .init(milliseconds: 40, jitterMilliseconds: 40)
        let apple = try await DeviceCheckSimulator.start(settings)
        var records: [OutboundRecord] = []
        var last: [String: [Bool]] = [:]
        for round in 0..<rounds {
            for device in 0..<devices {
                let bits = [(round + device).isMultiple(of: 2), (round * device).isMultiple(of: 3)]
                last["d\(device)"] = bits
                records.append(
                    DeviceChecks.record(
                        "update",
                        to: cluster.input,
                        device: "d\(device)",
                        id: "\(round)/\(device)",
                        bits: ["bit0": bits[0], "bit1": bits[1]],
                        requestedAt: DeviceChecks.now + Int64(round)
                    )
                )
            }
        }
        try cluster.publish(records)
        let results = try TopicContents(cluster.results, cluster)
        for kill in 1...4 {
            let worker = try DeviceChecks.worker(cluster, apple)
            let goal = results.records.count + 100
            #expect(results.read { $0.count >= goal }, "\(kill): \(worker.log)")
            worker.send(SIGKILL)
            #expect(worker.exitStatus() == 128 + SIGKILL)
        }
        let worker = try DeviceChecks.worker(cluster, apple)
        #expect(results.read(outcomes: records.count), "\(worker.log)")
        #expect(worker.stop() == 0, "\(worker.log)")
        #expect(results.deviceChecks.values.allSatisfy { $0.result == "updated" })
        let kept = Dictionary(uniqueKeysWithValues: apple.devices().map { ($0.device, [$0.bit0, $0.bit1]) })
        #expect(kept == last)
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(!letters.read(atMost: .milliseconds(500)) { !$0.isEmpty })
        await apple.stop()
        try cluster.remove()
    }

    @Test func noSecretAndNoTokenIsLogged() async throws {
        let cluster = try TestCluster()
        let apple = try await DeviceCheckSimulator.start(.init(teams: DeviceChecks.teams))
        let worker = try DeviceChecks.worker(cluster, apple, level: "trace")
        let results = try TopicContents(cluster.results, cluster)
        var faults = AppleFaults()
        faults.wrongAnswers = [401, 400, 400, 503, 403].enumerated().map { index, status in
            .init(status: status, text: index == 1 ? "Bad Device Token" : "no", when: .init(next: 1))
        }
        await apple.setFaults(faults)
        var records = (0..<20).map {
            DeviceChecks.record("query", to: cluster.input, device: "secret-\($0)", id: "\($0)")
        }
        records.append(DeviceChecks.record("set", to: cluster.input, device: "secret-x", id: "x"))
        try cluster.publish(records)
        #expect(results.read(outcomes: 21), "\(worker.log)")
        let metrics = try await worker.page("/metrics").text
        #expect(worker.stop() == 0, "\(worker.log)")
        let letters = try TopicContents(cluster.deadLetters, cluster)
        #expect(letters.read { !$0.isEmpty })
        let notices = letters.records.flatMap(\.headers).map {
            String(decoding: $0.value ?? [], as: UTF8.self)
        }
        let outcomes = results.records.map { String(decoding: $0.value ?? [], as: UTF8.self) }
        let token = SimulatedDeviceToken(device: "secret-").base64.prefix(16)
        for text in [worker.log, metrics] + notices + outcomes {
            for secret in ["eyJ", "PRIVATE", "MIGHAgEA", "secret-", String(token), "Bearer"] {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
        }
        await apple.stop()
        try cluster.remove()
    }
}
