/// The part of GDT's messages that may be repeated in results, dead letters and logs.
///
/// GDT may quote what it was sent, and a proxy may quote the URL: whole or cut, in another case, escaped once
/// or more often. A message is therefore shown as a whole or not at all, and in case of doubt not at all.
package enum GDTWords {
    /// The longest message that is shown, in Unicode scalars, because one character can consist of any number
    /// of them.
    package static let scalarsLimit = 200
    /// The text that stands for a message that may not be shown.
    package static let redacted = "redacted"

    /// The most layers of percent-encoding that are undone; more do not occur by accident.
    private static let escapesLimit = 3
    /// A run of so many hexadecimal digits is hidden: half the length of a muid, and of a signature.
    private static let hexadecimalRun = 16
    /// A run of so many base64 digits is hidden: no word is as long, and every `v` is longer.
    private static let base64Run = 24
    /// The names of parameters whose values must not be shown.
    private static let names: Set<String> = [
        "v", "sign", "signature", "muid", "click_id", "client_ip", "sign_key", "encrypt_key", "access_token",
        "refresh_token", "client_secret", "hash_idfa", "hash_imei", "hash_oaid",
        "hash_android_id", "caid", "cb",
    ]

    /// Returns the message, cut at the limit, or `redacted` if it may tell something personal or secret.
    package static func shown(_ message: String, about activation: Activation, keys: GDTKeys?) -> String {
        self.shown(message, about: activation, hiding: keys.map { [$0.signKey, $0.encryptKey] } ?? [])
    }

    /// Returns the message, cut at the limit, or `redacted` if it may tell something personal or one of these
    /// secrets.
    static func shown(_ message: String, about activation: Activation, hiding ours: [[UInt8]]) -> String {
        if self.hasNoRoom(in: message, for: activation, ours) { return message }
        var quotable = [activation.muid.text]
        quotable += [activation.ids.hashOAID, activation.ids.hashAndroidID].compactMap(\.?.text)
        quotable += [activation.clientIP, activation.clickID, activation.ids.caid?.id].compactMap {
            $0.map { Array($0.utf8) }
        }
        quotable += ours.filter { !$0.isEmpty }
        let secrets = quotable.map { $0.map(\.lowercased) }
        var text = Array(message.utf8).map(\.lowercased)
        for _ in 0...self.escapesLimit {
            guard !self.isTelling(text, secrets) else { return self.redacted }
            let unescaped = self.unescaped(text)
            guard unescaped != text else { return self.cut(message) }
            text = unescaped
        }
        return self.redacted
    }

    private static func cut(_ message: String) -> String {
        String(message.unicodeScalars.prefix(self.scalarsLimit))
    }

    /// Returns whether a message is too short to hold a secret. This saves time for the "ok" of every
    /// accepted report.
    private static func hasNoRoom(in message: String, for activation: Activation, _ ours: [[UInt8]]) -> Bool {
        let length = message.utf8.count
        guard length < self.hexadecimalRun, self.isLonger(activation.clientIP, than: length),
            self.isLonger(activation.clickID, than: length),
            self.isLonger(activation.ids.caid?.id, than: length)
        else { return false }
        return ours.allSatisfy { $0.count > length || $0.isEmpty }
            && !message.utf8.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "=") }
    }

    private static func isLonger(_ text: String?, than length: Int) -> Bool {
        guard let text, !text.isEmpty else { return true }
        return text.utf8.count > length
    }

    private static func isTelling(_ text: [UInt8], _ secrets: [[UInt8]]) -> Bool {
        secrets.contains { self.holds(text, $0) }
            || self.hasRun(of: self.hexadecimalRun, in: text, skipping: "-:", where: \.isHexadecimal)
            || self.hasRun(of: self.base64Run, in: text, skipping: "", where: self.isBase64)
            || self.assignsOneOfOurs(text)
    }

    /// Returns whether a text contains a secret. The standard library's own search takes a hundred times as
    /// long, and an answer may have 64 KiB.
    private static func holds(_ text: [UInt8], _ secret: [UInt8]) -> Bool {
        guard let first = secret.first, text.count >= secret.count else { return false }
        return (0...(text.count - secret.count)).contains { start in
            text[start] == first && text[start...].starts(with: secret)
        }
    }

    private static func hasRun(
        of length: Int,
        in text: [UInt8],
        skipping skipped: StaticString,
        where belongs: (UInt8) -> Bool
    ) -> Bool {
        let skipped = Array("\(skipped)".utf8)
        var run = 0
        for byte in text where !skipped.contains(byte) {
            run = belongs(byte) ? run + 1 : 0
            if run == length { return true }
        }
        return false
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    /// Returns whether one of `names` stands before an equals sign, whatever follows it.
    private static func assignsOneOfOurs(_ text: [UInt8]) -> Bool {
        text.indices.contains { index in
            guard text[index] == UInt8(ascii: "=") else { return false }
            let before = text[..<index].reversed().drop { " \"'\t".utf8.contains($0) }
            let name = before.prefix { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
            return self.names.contains(String(decoding: name.reversed(), as: UTF8.self))
        }
    }

    /// Undoes one layer of percent-encoding. A `%` without two hexadecimal digits stays as it is.
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
                digits.allSatisfy(\.isHexadecimal)
            {
                result.append(value.lowercased)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
