import Foundation
import WireFormats

/// The conversion of one value of a message into another kind of value.
struct ValueConversion: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case number
        case text
        case flag
        /// A time; the offset of the zone as RFC 3339 writes it, for times that name none.
        case time(zone: String?)
        case multiplied(Decimal)
    }

    private let kind: Kind

    /// Reads the kind of value, as it stands behind `convert PATH to`; nil if there is no such kind.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        switch (parts.first, parts.count) {
        case ("number", 1): self.kind = .number
        case ("text", 1): self.kind = .text
        case ("flag", 1): self.kind = .flag
        case ("time", 1): self.kind = .time(zone: nil)
        case ("time", 2):
            let zone = String(parts[1])
            guard RFC3339.milliseconds("2026-01-01T00:00:00\(zone)") != nil else { return nil }
            self.kind = .time(zone: zone)
        default: return nil
        }
    }

    /// Reads a factor, as it stands behind `multiply PATH by`; nil if it is not a number of at most 15 digits.
    init?(factor: String) {
        guard let factor = Self.decimal(factor, digits: 15) else { return nil }
        self.kind = .multiplied(factor)
    }

    /// The conversion in words, without values.
    func words(of path: PayloadPath) -> String {
        switch self.kind {
        case .multiplied: "multiply \(path)"
        case .number, .text, .flag, .time: "convert \(path)"
        }
    }

    /// The end of a sentence about a value that cannot become this.
    var wish: String {
        switch self.kind {
        case .number: "a number"
        case .text: "a text"
        case .flag: "true or false"
        case .time(nil): "a time: only seconds and milliseconds since 1970 can, or a text if a zone is named"
        case .time: "a time"
        case .multiplied: "a product: it is no number of at most 19 digits"
        }
    }

    /// Returns the converted value; nil if the value cannot be converted. A value that is of the kind already
    /// stays as it is.
    func value(of old: JSONTree) -> JSONTree? {
        switch (self.kind, old) {
        case (.number, .number), (.text, .string), (.flag, .bool): old
        case (.number, .string(let text)): JSONNumber(text) == nil ? nil : .number(text)
        case (.text, _): old == .null ? nil : old.leafText.map(JSONTree.string)
        case (.flag, .string("true")), (.flag, .number("1")): .bool(true)
        case (.flag, .string("false")), (.flag, .number("0")): .bool(false)
        case (.time(let zone), _): Self.time(old, zone).map(JSONTree.string)
        case (.multiplied(let factor), .number(let digits)), (.multiplied(let factor), .string(let digits)):
            Self.decimal(digits, digits: 19).map { .number("\($0 * factor)") }
        default: nil
        }
    }

    private static func time(_ old: JSONTree, _ zone: String?) -> String? {
        switch old {
        case .number(let digits):
            guard let number = Int64(digits), number > 0 else { return nil }
            // Milliseconds have had more than eleven digits since 1973, seconds will not before the year 5138.
            return RFC3339.string(digits.count > 11 ? number : number * 1_000)
        case .string(let text):
            guard RFC3339.milliseconds(text) == nil else { return text }
            guard let zone else { return nil }
            let told = text.replacing(" ", with: "T", maxReplacements: 1) + zone
            return RFC3339.milliseconds(told) == nil ? nil : told
        default: return nil
        }
    }

    /// Reads a decimal number without an exponent, of so many digits at most, so that a product of two is exact.
    private static func decimal(_ text: String, digits: Int) -> Decimal? {
        guard JSONNumber(text) != nil, text.utf8.count <= digits + 2,
            !text.contains(where: { "eE".contains($0) })
        else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}
