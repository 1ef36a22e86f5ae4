/// A part of the upstream that fails, throttles and recovers by itself: a host, or one account's use of it. Trouble
/// with one of them leaves the calls to the others alone.
package struct UpstreamEndpoint: Hashable, Sendable {
    /// A label in logs and metrics, so without secrets and personal data. Empty where there is nothing to tell apart.
    package var name: String
    /// How often the whole fleet may call it; nil for as often as it likes.
    package var rate: RateLimit.Settings?

    package init(_ name: String = "", rate: RateLimit.Settings? = nil) {
        self.name = name
        self.rate = rate
    }
}
