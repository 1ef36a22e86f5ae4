import Hummingbird
import NIOCore
import Operations

/// The body of one request, read at most once and within bounds of size, time and memory. One task uses it.
final class IncomingBody {
    /// The most bytes that are reserved before they have come.
    private static let reservedLimit = 65_536
    private static let cutOff = Answer.malformed("the body was cut off")

    private let request: Request
    private let peer: Peer
    private let settings: GatewaySettings
    private let limits: RequestLimits
    private let announcedLength: Int?
    private var content: [UInt8] = []
    private var held = 0
    /// Whether the reading has begun. Hummingbird ends the process at a second reading.
    private var isBegun = false
    /// Whether nothing of the body is left to come.
    private(set) var isRead: Bool

    init(of request: Request, _ peer: Peer, settings: GatewaySettings, limits: RequestLimits) {
        self.request = request
        self.peer = peer
        self.settings = settings
        self.limits = limits
        let headers = request.headers
        self.announcedLength = headers[.contentLength].flatMap { Int($0) }
        // A request with neither header has no body (RFC 9112, 6.3).
        self.isRead = (headers[.contentLength] ?? "0") == "0" && headers[.transferEncoding] == nil
    }

    /// Returns the body, whose bytes count as in hand until `release`. If the time is up, the connection is
    /// closed.
    ///
    /// - Throws: `Answer.tooLarge`; `unavailable` if too many bytes are in hand; `malformed` if the body was
    ///   cut off.
    func bytes() async throws(Answer) -> [UInt8] {
        self.content.reserveCapacity(min(self.announcedLength ?? 0, Self.reservedLimit))
        var hasRoom = true
        try await self.read { chunk in
            guard hasRoom else { return }
            hasRoom = self.limits.hold(chunk.readableBytes)
            guard hasRoom else { return self.release() }
            self.held += chunk.readableBytes
            self.content.append(contentsOf: chunk.readableBytesView)
        }
        guard hasRoom else { throw .unavailable }
        return self.content
    }

    /// Reads what can still be read and drops it, so that the connection can be used again.
    func skip() async {
        // A body that cannot be read to its end stays unread, and its connection is closed.
        try? await self.read { _ in }
    }

    /// Gives back the bytes in hand.
    func release() {
        self.limits.release(self.held)
        self.held = 0
        self.content = []
    }

    private func read(_ take: (ByteBuffer) -> Void) async throws(Answer) {
        guard !self.isRead, !self.isBegun else { return }
        let limit = self.settings.bodyLimit
        guard self.announcedLength ?? 0 <= limit else { throw .tooLarge }
        self.isBegun = true
        var length = 0
        do {
            try await self.peer.within(self.settings.bodyTime) {
                for try await chunk in self.request.body {
                    length += chunk.readableBytes
                    guard length <= limit else { throw Answer.tooLarge }
                    take(chunk)
                }
            }
        } catch let answer as Answer {
            throw answer
        } catch {
            throw Self.cutOff
        }
        // The parser reports a cut body as an error. A body that is shorter all the same must not become a
        // record.
        guard self.announcedLength ?? length == length else { throw Self.cutOff }
        self.isRead = true
    }
}
