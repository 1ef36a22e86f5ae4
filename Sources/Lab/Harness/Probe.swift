package import UpstreamHTTP

/// An HTTP request that is repeated, 100 ms after each response.
package struct Probe {
    private static let pause = Duration.milliseconds(100)

    package let request: HTTPRequest
    private var id: UInt64?
    private var next = ContinuousClock.now

    package init(request: HTTPRequest) { self.request = request }

    /// Starts the request if it is due.
    ///
    /// - Returns: a new response, once; nil if there is none.
    package mutating func turn(_ harness: Harness) -> Swift.Result<HTTPResponse, TransferError>? {
        if let id = self.id {
            guard let answer = harness.takeAnswer(id) else { return nil }
            self.id = nil
            self.next = .now + Self.pause
            return answer
        }
        if ContinuousClock.now >= self.next { self.id = harness.ask(self.request) }
        return nil
    }
}
