internal import Foundation

/// One action of a request, as the simulated API reads it.
struct MarketingAction {
    let outerActionID: String
    let type: String
    let muid: String

    private static let types: Set<String> = [
        "ACTIVATE_APP", "REGISTER", "ADD_TO_CART", "PURCHASE", "RATE", "SEARCH", "START_APP",
        "COMPLETE_ORDER",
    ]

    /// Checks an action. Nil if a field is wrong, and if its click id begins with `bad`, by which a test
    /// makes an action bad.
    ///
    /// - Parameters:
    ///   - oldest: the greatest age in seconds.
    ///   - now: seconds since 1970.
    init?(_ value: Any, oldest: Int64, now: Int64) {
        guard let action = value as? [String: Any],
            let id = action["outer_action_id"] as? String, !id.isEmpty, id.utf8.count <= 204,
            let time = (action["action_time"] as? NSNumber)?.int64Value, time > 0, time <= 2_147_483_647,
            now - time <= oldest, time - now <= 300,
            let type = action["action_type"] as? String, Self.types.contains(type)
        else { return nil }
        let clickID = (action["trace"] as? [String: Any])?["click_id"] as? String
        guard clickID?.hasPrefix("bad") != true else { return nil }
        let user = action["user_id"] as? [String: Any] ?? [:]
        let digests = ["hash_idfa", "hash_imei", "hash_oaid", "hash_android_id"].compactMap {
            user[$0] as? String
        }
        let caid = user["caid"] as? String
        guard digests.allSatisfy(Self.isDigest), !digests.isEmpty || caid != nil || clickID != nil,
            caid == nil || user["caid_version"] is String
        else { return nil }
        let parameters = action["action_param"] as? [String: Any]
        if let amount = parameters?["value"] {
            guard let number = amount as? NSNumber, number.int64Value >= 0 else { return nil }
        }
        self.outerActionID = id
        self.type = type
        self.muid = digests.first ?? caid ?? ""
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
