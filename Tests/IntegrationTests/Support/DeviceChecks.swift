import Foundation
import Records
import TestMaterial
import UpstreamSimulator

/// DeviceCheck records as a backend publishes them, the team they are for, and a worker for it.
enum DeviceChecks {
    static let team = "TEAMID1234"
    static let keyID = "DCTESTKEY1"
    static let key = TestKey.usual.privatePEM
    static let publicKey = TestKey.usual.publicPEM
    static let otherKey = TestKey.other.privatePEM
    static let otherPublicKey = TestKey.other.publicPEM

    static let teams = [DeviceCheckTeam(teamID: team, keyID: keyID, publicKeyPEM: publicKey)]

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    static func text(_ milliseconds: Int64) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    }

    /// - Parameter age: how long ago the device made its token and we received it, in milliseconds.
    static func record(
        _ op: String,
        to topic: String,
        device: String,
        id: String,
        bits: [String: Bool] = [:],
        age: Int64 = 0,
        requestedAt: Int64? = nil,
        more: [String: String] = [:]
    ) -> OutboundRecord {
        let madeAt = Self.now - age
        var members: [String: Any] = bits
        members["op"] = op
        members["deviceToken"] =
            SimulatedDeviceToken(device: device, environment: "production", madeAt: madeAt).base64
        members["tokenCreatedAt"] = Self.text(madeAt)
        members["receivedAt"] = Self.text(madeAt)
        members["requestedAt"] = requestedAt.map(Self.text)
        members["requestId"] = id
        members.merge(more) { $1 }
        let value = (try? JSONSerialization.data(withJSONObject: members)).map(Array.init) ?? []
        return OutboundRecord(topic: topic, key: Array(device.utf8), value: value)
    }

    /// - Parameter key: how the key is given, such as `key_file: /a/path`.
    static func worker(
        _ cluster: TestCluster,
        _ apple: RunningDeviceCheck,
        key: String? = nil,
        level: String = "info",
        fetchWait: String = "5ms",
        more: String = ""
    ) throws -> WorkerUnderTest {
        try Self.worker(
            cluster,
            production: apple.url,
            development: apple.developmentURL,
            key: key,
            level: level,
            fetchWait: fetchWait,
            more: more
        )
    }

    static func worker(
        _ cluster: TestCluster,
        production: String,
        development: String,
        key: String? = nil,
        level: String = "info",
        fetchWait: String = "5ms",
        more: String = ""
    ) throws -> WorkerUnderTest {
        let inline =
            "key: |\n" + Self.key.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n")
        return try WorkerUnderTest(
            "devicecheck-worker",
            """
            kafka:
              brokers: \(cluster.brokers)
              session_timeout: 6s
              topic: \(cluster.input)
              group: \(cluster.input)
              fetch_wait: \(fetchWait)
            devicecheck:
              production_url: \(production)
              development_url: \(development)
              teams:
                - team_id: \(Self.team)
                  key_id: \(Self.keyID)
                  \(key ?? inline)
            hold:
              first_pause: 200ms
              longest_pause: 1s
            health:
              host: 127.0.0.1
              port: 0
            log:
              format: text
              level: \(level)
            \(more)
            """
        )
    }
}

/// A result of DeviceCheck as a backend would read it.
struct ReadDeviceCheck: Decodable, Hashable {
    var outcome: ReadOutcome.Body
    var result: String?
    var bit0: Bool?
    var bit1: Bool?
    var lastUpdateMonth: String?
    var requestId: String?
    var appleRequestId: String?

    var bits: [Bool?] { [self.bit0, self.bit1] }
}

extension TopicContents {
    /// The last result of each request.
    var deviceChecks: [String: ReadDeviceCheck] {
        let results = self.records.compactMap { record in
            record.value.flatMap { try? JSONDecoder().decode(ReadDeviceCheck.self, from: Data($0)) }
        }
        return Dictionary(results.compactMap { result in result.requestId.map { ($0, result) } }) { $1 }
    }
}
