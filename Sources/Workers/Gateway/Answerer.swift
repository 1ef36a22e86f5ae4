import Hummingbird
import NIOCore
import Operations
import Records
import ServiceKit

/// Answers requests: checks limits, reads the body, makes records of it, publishes them, and says only then that
/// they were taken.
struct Answerer: Sendable {
    /// How long a peer may go on sending a body that is not read.
    private static let parting = Duration.seconds(1)

    private static let forwarded = HTTPFields.Element.Name("X-Forwarded-For")

    private let settings: GatewaySettings
    private let publisher: RecordPublisher
    private let metrics: GatewayMetrics
    private let limits: RequestLimits

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

    /// Returns the response to a request.
    func answer(_ request: Request, of peer: Peer) async -> Response {
        let start = Moment.now.monotonic
        let route = Route(of: request.head.path ?? "", settings: self.settings)
        let body = IncomingBody(of: request, peer, settings: self.settings, limits: self.limits)
        let answer = await self.answer(request, of: peer, on: route, body: body)
        body.release()
        // A body that nobody reads would go on coming in, on a connection that is kept for the next request.
        if !body.isRead { peer.closes(after: Self.parting) }
        self.metrics.answered(route, status: answer.status.code, nanoseconds: Moment.now.monotonic - start)
        self.metrics.holds(bytes: self.limits.bytesInHand)
        return answer.response(on: route, closes: !body.isRead)
    }

    private func answer(
        _ request: Request,
        of peer: Peer,
        on route: Route?,
        body: IncomingBody
    ) async -> Answer {
        do throws(Answer) {
            let (route, client) = try self.admit(request, of: peer, on: route)
            let post = Post(
                target: request.head.path ?? "",
                headers: request.headers,
                client: client.text,
                body: try await body.bytes()
            )
            return try await self.publish(try post.records(on: route, settings: self.settings), on: route)
        } catch {
            await body.skip()
            return error
        }
    }

    /// Checks everything that can be checked before the body is read.
    private func admit(
        _ request: Request,
        of peer: Peer,
        on route: Route?
    ) throws(Answer) -> (Route, ClientAddress) {
        guard let route else { throw .notFound }
        guard request.method == route.method else { throw .methodNotAllowed(route.method) }
        // The address is gone when the connection is.
        guard let address = peer.address?.ipAddress.flatMap({ ClientAddress($0) }) else { throw .unavailable }
        let client = self.settings.trustedProxies.client(
            behind: address,
            forwarded: Self.forwarded.map { request.headers[values: $0] } ?? []
        )
        if let seconds = self.limits.take(route, of: client) { throw .tooFast(seconds: seconds) }
        guard let topic = self.settings.topics[route], self.publisher.isAccepting(topic) else {
            throw .unavailable
        }
        return (route, client)
    }

    private func publish(_ records: [OutboundRecord], on route: Route) async throws(Answer) -> Answer {
        do throws(RecordPublisher.Refusal) {
            try await self.publisher.publish(records)
            self.metrics.published(records.count, on: route)
            return .taken(records: records.count)
        } catch {
            self.metrics.deliveryFailed()
            throw error == .tooLarge ? .tooLarge : .unavailable
        }
    }
}
