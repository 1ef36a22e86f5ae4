import UpstreamHTTP

/// An HTTP request that is repeated, 100 ms after each response.
struct Probe {
    private static let pause = Duration.milliseconds(100)

    let request: HTTPRequest
    private var id: UInt64?
    private var next = ContinuousClock.now

    init(request: HTTPRequest) { self.request = request }

    /// Starts the request if it is due.
    ///
    /// - Returns: a new response, once; nil if there is none.
    mutating func turn(_ stage: Stage) -> Swift.Result<HTTPResponse, TransferError>? {
        if let id = self.id {
            guard let answer = stage.takeAnswer(id) else { return nil }
            self.id = nil
            self.next = .now + Self.pause
            return answer
        }
        if ContinuousClock.now >= self.next { self.id = stage.ask(self.request) }
        return nil
    }
}
