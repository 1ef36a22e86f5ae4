import NIOCore
import NIOHTTP1
import Operations
import Records
import ServiceKit

/// Decides what becomes of requests: checks their limits, makes records of them, publishes them, and says only then
/// that they were taken.
struct Answerer: Sendable {
    let settings: GatewaySettings
    let limits: RequestLimits
    private let publisher: RecordPublisher
    private let metrics: GatewayMetrics

    init(
        _ settings: GatewaySettings,
        publisher: RecordPublisher,
        limits: RequestLimits,
        metrics: GatewayMetrics
    ) {
        self.settings = settings
        self.publisher = publisher
        self.metrics = metrics
        self.limits = limits
    }

    /// Returns the client of a request that may send its body now.
    ///
    /// - Parameter address: The other end of the connection; nil if the connection is gone.
    /// - Throws: The answer, if there is one without the body.
    func admit(
        _ head: HTTPRequestHead,
        on route: Route?,
        from address: SocketAddress?
    ) throws(Answer) -> ClientAddress {
        guard let address = address?.ipAddress.flatMap({ ClientAddress($0) }) else { throw .unavailable }
        let origin = self.settings.trustedProxies.client(
            behind: address,
            forwarded: head.headers["X-Forwarded-For"]
        )
        if !origin.isCertain { self.metrics.forwardedUnread() }
        let client = origin.address
        // Requests on no route count too. Somebody could send many of them at little cost.
        if let seconds = self.limits.take(of: client, on: route) { throw .tooFast(seconds: seconds) }
        guard let route else { throw .notFound }
        guard head.method == route.method else { throw .methodNotAllowed(route.method) }
        // A request that is refused until here takes nothing of the rate that all clients of the route share.
        if route == .clicks { _ = try Click(of: head.uri, keys: self.settings.clickKeys) }
        if let seconds = self.limits.take(on: route) { throw .tooFast(seconds: seconds) }
        guard let topic = self.settings.topics[route], self.publisher.isAccepting(topic) else {
            throw .unavailable
        }
        return client
    }

    /// Publishes the records of a client's request.
    ///
    /// - Parameter whenDone: is called once with the answer, on this thread or another. It must not block.
    func answer(
        _ post: Post,
        of client: ClientAddress,
        on route: Route,
        whenDone: @escaping @Sendable (Answer) -> Void
    ) {
        do throws(Answer) {
            let records = try post.records(on: route, settings: self.settings)
            let count = records.count
            if let refusal = self.limits.hold(records: count, of: client, on: route) { throw refusal }
            let (metrics, limits) = (self.metrics, self.limits)
            self.publisher.publish(records) { refusal in
                limits.release(records: count, of: client, on: route)
                guard let refusal else {
                    metrics.published(count, on: route)
                    return whenDone(.taken(records: count))
                }
                metrics.deliveryFailed()
                whenDone(refusal == .tooLarge ? .tooLarge : .unavailable)
            }
        } catch {
            whenDone(error)
        }
    }

    /// Counts an answer.
    ///
    /// - Parameter start: The monotonic time at which the request's header was complete.
    func count(_ answer: Answer, on route: Route?, since start: Int64) {
        self.metrics.answered(
            route,
            status: Int(answer.status.code),
            nanoseconds: Moment.now.monotonic - start
        )
    }

    /// Counts a connection that the gateway has closed by itself.
    func closed(_ cause: GatewayMetrics.Cause) { self.metrics.closed(cause) }
}
