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

    /// Returns the reason why a conversion of this second is not reported; nil if it may be.
    ///
    /// - Parameter now: the times that it may be now, in wall-clock milliseconds since 1970: the earliest decides
    ///   whether the conversion is too old, the latest whether it lies in the future. So no clock that was set
    ///   wrong refuses a conversion for good.
    package func objection(to convertedAt: Int64, now: ClosedRange<Int64>) -> Reason? {
        let time = Duration.seconds(convertedAt)
        if .milliseconds(now.lowerBound) - time > self.maximumAge {
            return Reason(
                "converted_at.too_old",
                "The conversion is older than \(self.maximumAge.components.seconds) s."
            )
        }
        if time - .milliseconds(now.upperBound) > self.futureSkew {
            return Reason(
                "converted_at.in_future",
                "The conversion lies more than \(self.futureSkew.components.seconds) s ahead."
            )
        }
        return nil
    }
}
