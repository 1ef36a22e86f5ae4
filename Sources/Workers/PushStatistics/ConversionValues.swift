import ServiceKit
import WireFormats

/// The value of all conversions of a message, by currency.
///
/// The number of currencies is limited, because whoever may publish a conversion may also invent currencies. A conversion in
/// a further currency counts as one without a value.
package struct ConversionValues: Hashable, Sendable {
    /// The value of each currency, in millionths.
    package private(set) var micros: [String: Int64] = [:]

    /// The greatest number of currencies.
    package static let limit = 32
    /// The greatest sum, 2^53, which every reader of JSON reads exactly.
    private static let greatest: Int64 = 1 << 53

    package init() {}

    /// Restores the values.
    init(_ micros: [String: Int64]) {
        for (currency, value) in micros.sorted(by: { $0.key < $1.key }) { self.add(value, in: currency) }
    }

    /// Adds the value of a conversion.
    mutating func add(_ value: ConversionValue) { self.add(value.micros, in: value.currency) }

    private mutating func add(_ value: Int64, in currency: String) {
        guard self.micros[currency] != nil || self.micros.count < Self.limit else { return }
        self.micros[currency] = min(Self.greatest, max(0, value).addingClamped(self.micros[currency] ?? 0))
    }

    /// Adds the values of other conversions, in a fixed order, so that the same partitions always give the same currencies.
    static func += (left: inout ConversionValues, right: ConversionValues) {
        for (currency, value) in right.micros.sorted(by: { $0.key < $1.key }) {
            left.add(value, in: currency)
        }
    }
}
