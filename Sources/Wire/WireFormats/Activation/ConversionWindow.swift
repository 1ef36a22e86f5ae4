/// The time around now in which a conversion is worth reporting. GDT has such a window too, of unknown size.
package struct ConversionWindow: Hashable, Sendable {
    /// The greatest age of a conversion that is reported; 7 days unless configured.
    package var maximumAge: Duration
    /// How far a conversion may lie in the future, because the clock that stamped it may be wrong; 300 s
    /// unless configured.
    package var futureSkew: Duration

    package init(maximumAge: Duration = .seconds(7 * 24 * 60 * 60), futureSkew: Duration = .seconds(300)) {
        self.maximumAge = maximumAge
        self.futureSkew = futureSkew
    }

    /// Returns the reason why a conversion of this second is not reported; nil if it may be. `now` is in
    /// wall-clock milliseconds since 1970.
    package func objection(to convertedAt: Int64, now: Int64) -> Reason? {
        let age = Duration.milliseconds(now) - Duration.seconds(convertedAt)
        if age > self.maximumAge {
            return Reason(
                "converted_at.too_old",
                "The conversion is older than \(self.maximumAge.components.seconds) s."
            )
        }
        if age < .zero - self.futureSkew {
            return Reason(
                "converted_at.in_future",
                "The conversion lies more than \(self.futureSkew.components.seconds) s ahead."
            )
        }
        return nil
    }
}
