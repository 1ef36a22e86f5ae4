/// Converts between the text of a setting and its value. The text of a value is what the documentation shows.
package enum SettingText {
    static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    private static let durationUnits: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Reads a whole number with its unit: `250ms`, `20s`, `5m`, `12h`, `7d`. Only zero may stand without a
    /// unit. Nil for anything else, and for what exceeds 64 bits of milliseconds.
    package static func duration(_ text: String) -> Duration? {
        guard let (count, unit) = Self.split(text) else { return nil }
        if count == 0, unit.isEmpty { return .zero }
        guard let scale = Self.durationUnits.first(where: { $0.name == unit })?.milliseconds else {
            return nil
        }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: scale)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// Returns the text of a duration in the largest unit that divides it. Fractions of a millisecond are
    /// dropped.
    package static func text(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        for unit in Self.durationUnits where milliseconds != 0 && milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "0s"
    }

    private static let byteUnits: [(name: String, bytes: Int64)] = [
        ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10),
        ("kB", 1_000), ("KB", 1_000), ("B", 1), ("", 1),
    ]

    /// Reads a whole number of bytes with `kB`, `KB`, `MB`, `GB` (thousands) or `KiB`, `MiB`, `GiB` (1,024s),
    /// or with `B` or no unit. Nil for anything else.
    static func bytes(_ text: String) -> Int? {
        guard let (count, unit) = Self.split(text),
            let scale = Self.byteUnits.first(where: { $0.name == unit })?.bytes
        else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: scale)
        return overflow ? nil : Int(exactly: bytes)
    }

    static func text(ofBytes bytes: Int) -> String {
        for unit in Self.byteUnits where bytes != 0 && Int64(bytes) % unit.bytes == 0 {
            return "\(Int64(bytes) / unit.bytes)\(unit.name)"
        }
        return String(bytes)
    }

    private static func split(_ text: String) -> (count: Int64, unit: String)? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let count = Int64(digits) else { return nil }
        let rest = text[digits.endIndex...]
        return (count, String(rest.first == " " ? rest.dropFirst() : rest))
    }
}
