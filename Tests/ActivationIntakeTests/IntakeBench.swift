import Operations
import Records
import ServiceKit
import Simulation
import WireFormats

@testable import ActivationIntake

/// An intake without a cluster, with the settings of these tests, and readers of what it has sent.
struct IntakeBench {
    static let start = IntakeScene.start

    let scene: IntakeScene

    private static let uploads = """
        sdk:
          events_topic: sdk-events
          apps:
            - account: '0a1b22c33d44e55f'
              data_source: '1234567890abcdef'
              app_id: 112233
              advertiser_id: 10000
              app_type: IOS
        """

    /// One more app of the same account.
    static func app(_ lines: String...) -> String {
        (["    - account: '0a1b22c33d44e55f'"] + lines.map { "      \($0)" }).joined(separator: "\n")
    }

    init(
        _ lines: String = "",
        takesUploads: Bool = true,
        messageLimit: Int = 1_048_000,
        ciphers: UploadCiphers = .standard
    ) throws {
        let text = """
            kafka:
              brokers: localhost:9092
              message_limit: \(messageLimit)
            \(takesUploads ? Self.uploads : "")
            \(lines)
            """
        let reader = SettingsReader(file: try SettingsFile(text: text, path: "settings.yaml"), overrides: [])
        self.scene = IntakeScene(IntakeSettings(reader, ciphers: ciphers))
        _ = try reader.finish()
    }

    func take(
        _ topic: String,
        _ value: [UInt8]?,
        headers: [RecordHeader] = [],
        key: String? = nil,
        timestamp: Int64? = nil
    ) {
        self.scene.take(
            topic,
            value,
            headers: headers,
            key: key.map { Array($0.utf8) },
            timestamp: timestamp
        )
    }

    /// The activations that are to be reported.
    var due: [OutboundRecord] { self.scene.sent(to: self.scene.settings.topics.due) }

    /// The codes of the outcomes in a topic; "" where there is no reason.
    func codes(in topic: String) -> [String] {
        self.scene.sent(to: topic).map { record in
            let text = String(decoding: record.value ?? [], as: UTF8.self)
            let code = text.firstMatch(of: #/"code":"([^"]*)"/#).map { String($0.1) }
            return code ?? (text.contains(#""fate":"succeeded""#) ? "" : text)
        }
    }
}
