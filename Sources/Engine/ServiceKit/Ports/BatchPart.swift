package import UpstreamHTTP

/// A call that may share its request with others: the element of a body, and the template that makes one
/// request of several elements.
package struct BatchPart: Sendable {
    /// Writes the request. Parts with equal keys of their templates may share one.
    package var template: any BatchTemplate
    /// The part's own bytes in the request.
    package var element: [UInt8]
    /// The time at which the call was planned, in wall-clock milliseconds since 1970.
    package var plannedAt: Int64

    package init(_ element: [UInt8], of template: any BatchTemplate, plannedAt: Int64) {
        self.element = element
        self.template = template
        self.plannedAt = plannedAt
    }

    /// The request that the part would be if it was sent alone at the time of its plan, under a nonce of
    /// zeros. It is for people and tests: no such request is sent.
    package var alone: HTTPRequest {
        self.template.request(
            of: [self.element],
            at: self.plannedAt,
            nonce: String(repeating: "0", count: 32)
        )
    }
}

/// The rules of a batch: its limits, its request, and what a response means for it. All functions are pure.
///
/// The template is asked when a batch is sent, so that times, tokens and nonces are those of the request and
/// not of its parts.
package protocol BatchTemplate: Sendable {
    /// Parts with equal keys may share a request. The key tells the destination, such as one account. It is
    /// never shown.
    var key: String { get }
    /// The most elements of one request; at least 1.
    var elementsLimit: Int { get }
    /// The most bytes of the elements of one request, with a byte between two of them. A larger element is
    /// sent alone.
    var bytesLimit: Int { get }
    /// The most requests of this key that are in flight at once; at least 1. Parts that find as many in flight
    /// wait and are joined.
    var requestsLimit: Int { get }
    /// Whether a request can be written now. Without a token, for example, it cannot. Then all parts of the key
    /// end with `TransferError.notReady`, for which the handler has to let their lane wait (`Retry.lane`).
    var isReady: Bool { get }

    /// Returns the request of a batch.
    ///
    /// - Parameters:
    ///   - now: the time at which the request is sent, in wall-clock milliseconds since 1970.
    ///   - nonce: 32 hexadecimal digits that no other request has.
    func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest

    /// Returns whom a response concerns.
    func scope(of response: HTTPResponse) -> BatchScope
}

/// The parts that a response concerns.
package enum BatchScope: Hashable, Sendable {
    /// Every part of the request.
    case request
    /// Every part of the request, perhaps for the sake of a single one: the upstream has failed to answer. The
    /// next requests of the key have fewer elements.
    case failed
    /// Perhaps a single part, for whose sake the whole request was refused. A batch of several is split, and
    /// its halves are sent again, until the part stands alone.
    case somePart
    /// Every part of the key, those too that have not been sent: each would get the same response now.
    case key
}
