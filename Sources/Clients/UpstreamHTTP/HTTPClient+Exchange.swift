internal import Glibc

extension HTTPClient {
    /// Makes one request with a client of its own, and waits for its result. Blocks the calling thread, for at
    /// most the request timeout of the settings.
    package static func exchange(
        _ request: HTTPRequest,
        _ settings: HTTPClientSettings
    ) throws(TransferError) -> HTTPResponse {
        let client = try HTTPClient(settings)
        defer { client.close() }
        var outcome: Result<HTTPResponse, TransferError>?
        client.start(request, id: 0)
        while outcome == nil {
            var watched = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
            unsafe poll(&watched, 1, client.timeoutMilliseconds)
            client.serve { outcome = $1 }
        }
        switch outcome {
        case .success(let response): return response
        case .failure(let error): throw error
        case nil: throw TransferError(kind: .other, mayHaveBeenSent: false, message: "no result")
        }
    }
}
