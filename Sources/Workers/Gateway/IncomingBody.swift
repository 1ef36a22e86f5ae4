import NIOCore
import ServiceKit

/// The body of one request, taken in within bounds of size and memory.
struct IncomingBody {
    /// The most bytes that are reserved before they have come.
    private static let reservedLimit = 65_536

    private let limits: RequestLimits
    private let id: BodiesInHand.ID
    private let giveUp: @Sendable () -> Void
    private let longest: Int
    /// The client; nil if the body is not wanted, whatever it is.
    private let client: ClientAddress?
    private let route: Route?
    private var length = 0
    /// The bytes so far; none of them if the body is not wanted or there was no room.
    private(set) var bytes: [UInt8] = []
    /// The answer if there was no room for the body; nil while there is.
    private(set) var refusal: Answer?

    /// - Parameters:
    ///   - announced: the length by the request's header, if it has one.
    ///   - longest: the largest body that is read.
    ///   - client: the client whose body is kept; nil if none is.
    ///   - route: the route of the request; nil if it has none.
    ///   - id: names the body among those in hand.
    ///   - giveUp: is called on any thread if the body is given up for another client.
    init(
        announced: Int?,
        longest: Int,
        limits: RequestLimits,
        client: ClientAddress?,
        route: Route?,
        id: BodiesInHand.ID,
        giveUp: @escaping @Sendable () -> Void
    ) {
        self.limits = limits
        self.id = id
        self.giveUp = giveUp
        self.longest = longest
        self.client = client
        self.route = route
        if client != nil { self.bytes.reserveCapacity(min(announced ?? 0, longest, Self.reservedLimit)) }
    }

    /// Takes a part of the body. Its bytes count as in hand until `release`.
    ///
    /// - Returns: false if the body is longer than what is read.
    mutating func take(_ part: ByteBuffer) -> Bool {
        let count = part.readableBytes
        guard count <= self.longest - self.length else { return false }
        self.length += count
        guard let client, let route, self.refusal == nil else { return true }
        self.refusal = self.limits.withBodies {
            $0.hold(count, for: self.id, of: client, on: route, at: Moment.now.monotonic, giveUp: self.giveUp)
        }
        guard self.refusal == nil else {
            self.release()
            return true
        }
        self.bytes.append(contentsOf: part.readableBytesView)
        return true
    }

    /// Notes that all of the body has come.
    mutating func complete() {
        guard self.length > 0, self.refusal == nil else { return }
        if !self.limits.withBodies({ $0.complete(self.id) }) { self.refusal = .unavailable }
    }

    /// Whether the body was given up for another client.
    var isGivenUp: Bool { self.limits.withBodies { $0.isGivenUp(self.id) } }

    /// Drops the bytes, which are no longer in hand.
    mutating func release() {
        if self.length > 0 { self.limits.withBodies { $0.release(self.id) } }
        self.bytes = []
    }
}
