/// A part of the upstream that fails, throttles and recovers by itself: a host, or one account's use of it.
/// If one endpoint fails, calls to the others go on.
package struct UpstreamEndpoint: Hashable, Sendable {
    /// The label of the endpoint in logs and metrics, so it holds no secret and no personal data. It is empty
    /// where there is nothing to tell apart.
    package var name: String
    /// The rate at which the whole fleet may call the endpoint; nil for any rate.
    package var rate: RateLimit.Settings?
    /// The number of calls that take one slot together, because they share requests; 1 where each call is a
    /// request.
    package var callsPerSlot: Int
    /// The most calls in flight, whatever slots are free; nil for no such bound. Calls that wait to share a
    /// request are in flight too, and more of them than fill the next requests would only delay a drain.
    package var callsLimit: Int?

    /// Makes an endpoint; by default, the only one of its upstream, without a limit on its rate.
    package init(
        _ name: String = "",
        rate: RateLimit.Settings? = nil,
        callsPerSlot: Int = 1,
        callsLimit: Int? = nil
    ) {
        self.name = name
        self.rate = rate
        self.callsPerSlot = max(1, callsPerSlot)
        self.callsLimit = callsLimit
    }
}
