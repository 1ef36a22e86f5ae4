package import UpstreamHTTP

/// What the engine needs of an upstream: requests out, exactly one completion for each.
package protocol Upstream: AnyObject {
    /// Sends a request; its completion comes through `serve` with this id.
    func start(_ request: HTTPRequest, id: UInt64)

    /// Hands over what was completed since the last call, a few at a time.
    ///
    /// - Returns: whether there is more, so that the next call is due at once.
    func serve(_ completed: (UInt64, Result<HTTPResponse, TransferError>) -> Void) -> Bool

    /// Bytes of the requests that are on their way, and of what has been received of their answers.
    var bytesInHand: Int { get }

    /// How long from now until `serve` must be called even if nothing arrives; nil if not at all.
    var nextDeadline: Duration? { get }
}
