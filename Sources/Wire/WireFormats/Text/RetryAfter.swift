/// The delay that an upstream's `Retry-After` header asks for.
package enum RetryAfter {
    /// The longest delay that is returned, 24 hours, whatever the header says.
    package static let longestDelay = Duration.seconds(24 * 60 * 60)

    /// Returns how long to wait from `now`, in wall-clock milliseconds since 1970; nil if the header is
    /// neither seconds nor a date.
    ///
    /// A negative number and a date that has passed mean no delay.
    package static func delay(_ header: String, now: Int64) -> Duration? {
        let text = Array(Array(header.utf8).trimmingWhiteSpace())
        if text.first == UInt8(ascii: "-"), text.dropFirst().allDigits {
            return .zero
        }
        if text.allDigits {
            // A number too long for 64 bits is still a number, and a large one.
            return text.decimal(as: Int64.self).map { min(.seconds($0), self.longestDelay) }
                ?? self.longestDelay
        }
        guard let date = HTTPDate.milliseconds(String(decoding: text, as: UTF8.self)) else { return nil }
        let (milliseconds, overflowed) = date.subtractingReportingOverflow(now)
        guard !overflowed else { return nil }
        return min(max(.zero, .milliseconds(milliseconds)), self.longestDelay)
    }
}

extension Collection<UInt8> {
    fileprivate var allDigits: Bool {
        !self.isEmpty && self.allSatisfy(\.isDigit)
    }
}
