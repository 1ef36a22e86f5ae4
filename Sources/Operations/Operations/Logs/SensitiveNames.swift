/// The names of fields that contain secrets or personal data. A field with such a name is masked, whichever
/// code logs it.
package struct SensitiveNames: Sendable {
    /// Names that are sensitive as a whole.
    private static let whole: Set<String> = [
        "key", "value", "payload", "body", "headers", "message_key", "message_value",
        "device_id", "device_token", "idfa", "idfv", "imei", "muid", "oaid", "caid", "android_id",
        "hash_idfa",
        "hash_imei", "hash_oaid", "hash_android_id", "mac_address", "openid", "open_id", "unionid",
        "union_id", "user_id",
        "customer_id",
        "client_ip", "ip", "remote_ip", "ip_address", "user_agent", "email", "phone", "mobile",
        "click_id", "gclid", "receipt", "receipt_data", "transaction_id", "original_transaction_id",
        "app_account_token",
        "jws", "jwt", "signature", "sign", "salt",
    ]

    /// Words that make every name sensitive in which they occur: `access_token`, `tokens`, `client_secret_2`.
    private static let words: Set<String> = [
        "secret", "secrets", "password", "passwords", "passwd", "passphrase", "token", "tokens",
        "authorization",
        "credential", "credentials", "cookie", "cookies", "idfa", "idfv", "imei", "muid", "oaid", "caid",
    ]

    private let extra: Set<String>
    private let extraWords: Set<String>

    /// Makes the list. The names in `extra` are masked too, and all names in which one of the words occurs.
    ///
    /// - Parameter words: lowercase words of letters and digits.
    package init(also extra: Set<String> = [], orWith words: Set<String> = []) {
        self.extra = Set(extra.map { Self.words(of: $0).joined(separator: "_") })
        self.extraWords = words
    }

    /// Returns whether a name is sensitive, which every name is whose last word is `key`. Names are compared
    /// without regard to case, `-`, `.`, `_` and camel case: `recordKey`, `Record-Key` and `record_key` are
    /// equal.
    package func contains(_ name: String) -> Bool {
        let words = Self.words(of: name)
        let joined = words.joined(separator: "_")
        return Self.whole.contains(joined) || self.extra.contains(joined)
            || words.last == "key"
            || words.contains { Self.words.contains($0) || self.extraWords.contains($0) }
    }

    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var afterLowercase = false
        for character in name {
            if !(character.isLetter || character.isNumber) {
                if !word.isEmpty { words.append(word) }
                word = ""
                afterLowercase = false
                continue
            }
            if character.isUppercase, afterLowercase {
                words.append(word)
                word = ""
            }
            word += character.lowercased()
            afterLowercase = character.isLowercase || character.isNumber
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
