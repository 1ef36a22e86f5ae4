/// The value of a conversion.
package struct ConversionValue: Hashable, Sendable {
    /// The value in millionths of the currency, 0 to 10^15.
    package var micros: Int64
    /// The three capital letters of the currency (ISO 4217).
    package var currency: String

    package init(micros: Int64, currency: String) {
        self.micros = micros
        self.currency = currency
    }

    /// The values that are taken.
    static let range: ClosedRange<Int64> = 0...1_000_000_000_000_000
}
