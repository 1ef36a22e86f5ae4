import Glibc
import Testing
import UpstreamHTTP

typealias Outcome = Result<HTTPResponse, TransferError>

extension HTTPClient {
    /// One turn of an event loop.
    func turn(_ completed: Completion) {
        var watched = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&watched, 1, self.timeoutMilliseconds)
        self.serve(completed)
    }

    /// Runs until nothing is in flight. Fails the test if an id comes twice.
    func finishAll() -> [UInt64: Outcome] {
        var outcomes: [UInt64: Outcome] = [:]
        while self.inFlight > 0 {
            self.turn { id, outcome in
                #expect(outcomes.updateValue(outcome, forKey: id) == nil, "\(id) came twice")
            }
        }
        return outcomes
    }

    /// One exchange by itself.
    func exchange(_ request: HTTPRequest) throws -> Outcome {
        self.start(request, id: 7)
        return try #require(self.finishAll()[7])
    }

    func get(_ url: String) throws -> Outcome { try self.exchange(HTTPRequest(method: .get, url: url)) }
}

extension Outcome {
    var error: TransferError? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}
