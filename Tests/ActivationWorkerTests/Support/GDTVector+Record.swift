import Foundation
import TestMaterial

/// Rows as a worker gets them: only their inputs, and the URL that must come out.
extension GDTVector {
    var app: SettingsText.App {
        SettingsText.App(
            appID: self.inputs.appid,
            advertiserID: self.inputs.uid,
            signKey: self.inputs.sign_key,
            encryptKey: self.inputs.encrypt_key
        )
    }

    /// The row as the record that a backend would publish.
    var record: String {
        get throws {
            var members = [
                "appId": "\(self.inputs.appid)", "advertiserId": "\(self.inputs.uid)",
                "appType": self.inputs.app_type, "conversionType": self.inputs.conv_type,
                "convertedAt": ISO8601DateFormatter().string(
                    from: Date(timeIntervalSince1970: Double(self.inputs.conv_time))
                ),
            ]
            members["deviceId"] = self.inputs.idfa ?? self.inputs.imei
            members["muid"] = self.inputs.muid
            members["clientIp"] = self.inputs.client_ip
            members["clickId"] = self.inputs.click_id
            members["value"] = self.inputs.value.map { "\($0)" }
            return String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
        }
    }

    /// Rows that one process can take: an account has one pair of keys, and all rows one order of parameters.
    static func batches(_ rows: [GDTVector]) -> [[GDTVector]] {
        rows.reduce(into: []) { batches, row in
            let place = batches.firstIndex { batch in
                batch.allSatisfy { other in
                    let isSameAccount =
                        other.inputs.appid == row.inputs.appid && other.inputs.uid == row.inputs.uid
                    let hasSameKeys =
                        other.inputs.sign_key == row.inputs.sign_key
                        && other.inputs.encrypt_key == row.inputs.encrypt_key
                    return other.inputs.order == row.inputs.order && (!isSameAccount || hasSameKeys)
                }
            }
            if let place { batches[place].append(row) } else { batches.append([row]) }
        }
    }
}
