package import UpstreamHTTP

/// The engine's view of an upstream: requests go out, and exactly one completion comes back for each.
package protocol Upstream: AnyObject {
    /// Sends a request. Its completion comes through `serve` with this id.
    func start(_ request: HTTPRequest, id: UInt64)

    /// Ends a request before its answer. Its completion comes through `serve` all the same: as a timeout, if it was still on
    /// its way. Nothing happens if there is no such request.
    func cutShort(_ id: UInt64)

    /// Hands over the completions since the last call, a few at a time.
    ///
    /// - Returns: Whether there are more, so that the next call is due at once.
    func serve(_ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void) -> Bool

    /// The bytes of the requests that are on their way, and of what has been received of their answers.
    var bytesInHand: Int { get }

    /// The time from now until `serve` must be called even if nothing arrives; nil if there is none.
    var nextDeadline: Duration? { get }
}
