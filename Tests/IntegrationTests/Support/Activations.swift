import Foundation
import Records
import UpstreamSimulator

/// Activation records as a backend publishes them.
enum Activations {
    static func good(_ index: Int, to topic: String, clickID: String? = nil, key: String? = nil)
        -> OutboundRecord
    {
        let device = String(format: "%08X-496A-47FD-9941-DF1FC4E6484A", index + 1)
        var members = [
            "appId": "112233", "advertiserId": "10000", "appType": "IOS",
            "conversionType": "MOBILEAPP_ACTIVITE", "deviceId": device,
            "convertedAt": ISO8601DateFormatter().string(from: .now.addingTimeInterval(-60)),
        ]
        members["clickId"] = clickID
        // Strings always encode.
        let value = (try? JSONEncoder().encode(members)).map(Array.init) ?? []
        return OutboundRecord(topic: topic, key: Array((key ?? "key-\(index)").utf8), value: value)
    }

    static var simulatorSettings: GDTSimulator.Settings {
        var settings = GDTSimulator.Settings(
            keys: [
                GDTKeys(
                    appID: "112233",
                    advertiserID: "10000",
                    signKey: "test_sign_key",
                    encryptKey: "test_encrypt_key"
                )
            ]
        )
        settings.scriptedByClickID = true
        return settings
    }
}
