/// How far from now a conversion may lie to be worth reporting. GDT has such a window too, of unknown size.
package struct ConversionWindow: Hashable, Sendable {
    package var maximumAge: Duration
    /// How wrong the clock that stamped a conversion may be.
    package var futureSkew: Duration

    package init(maximumAge: Duration = .seconds(7 * 24 * 60 * 60), futureSkew: Duration = .seconds(300)) {
        self.maximumAge = maximumAge
        self.futureSkew = futureSkew
    }

    /// Why a conversion at this second is not reported; nil if it may be. `now` is in wall-clock milliseconds
    /// since 1970.
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
