import NIOCore

/// The body of one request, taken in within bounds of size and memory.
struct IncomingBody {
    /// The most bytes that are reserved before they have come.
    private static let reservedLimit = 65_536

    private let limits: RequestLimits
    private let longest: Int
    private let isWanted: Bool
    private var length = 0
    private var held = 0
    /// The bytes so far; none of them if the body is not wanted or there was no room.
    private(set) var bytes: [UInt8] = []
    /// Whether all bodies together had room for this one.
    private(set) var hasRoom = true

    /// - Parameters:
    ///   - announced: the length by the request's header, if it has one.
    ///   - longest: the largest body that is read.
    ///   - isWanted: whether the bytes are kept.
    init(announced: Int?, longest: Int, limits: RequestLimits, isWanted: Bool) {
        self.limits = limits
        self.longest = longest
        self.isWanted = isWanted
        if isWanted { self.bytes.reserveCapacity(min(announced ?? 0, longest, Self.reservedLimit)) }
    }

    /// Takes a part of the body. Its bytes count as in hand until `release`.
    ///
    /// - Returns: false if the body is longer than what is read.
    mutating func take(_ part: ByteBuffer) -> Bool {
        let count = part.readableBytes
        guard count <= self.longest - self.length else { return false }
        self.length += count
        guard self.isWanted, self.hasRoom else { return true }
        self.hasRoom = self.limits.hold(count)
        guard self.hasRoom else {
            self.release()
            return true
        }
        self.held += count
        self.bytes.append(contentsOf: part.readableBytesView)
        return true
    }

    /// Drops the bytes, which are no longer in hand.
    mutating func release() {
        self.limits.release(self.held)
        self.held = 0
        self.bytes = []
    }
}
