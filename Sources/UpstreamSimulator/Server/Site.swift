internal import NIOCore
internal import NIOHTTP1

/// What stands behind a port: an API, and a desk at which it is told how to behave.
protocol Site: Sendable {
    var connections: Connections { get }

    /// Judges a request to the API and decides what becomes of it; by then it is counted.
    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment

    /// Answers at `/control/…` and `/healthz`.
    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer
}

/// What a connection does about a request.
struct Treatment: Sendable {
    enum Conduct: Sendable {
        /// Nothing, for as long as the client likes.
        case hang
        /// Ends the connection without a word.
        case close
        case reply(Reply)
    }

    var delayMilliseconds = 0
    var conduct: Conduct
    /// Called as it is done.
    var followed: @Sendable () -> Void = {}
}

extension Switchboard: Site {
    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment {
        // The API knows only GET: anything else is judged as a request without a target.
        let course = self.receive(target: head.method == .GET ? Array(head.uri.utf8) : [])
        return Treatment(delayMilliseconds: course.delayMilliseconds, conduct: course.conduct) {
            self.followed(course)
        }
    }

    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer {
        await ControlDesk(switchboard: self, listener: listener).answer(method: method, uri: uri, body: body)
    }
}

extension Course {
    fileprivate var conduct: Treatment.Conduct {
        switch self.misbehaviour {
        case .hang: .hang
        case .cutBefore, .cutAfter: .close
        case .status(let status, let retryAfter):
            .reply(.status(status, retryAfterSeconds: retryAfter))
        case .proxyPage: .reply(.proxyPage)
        case .truncate: .reply(.truncated(.ret(self.ret)))
        case nil, .ret: .reply(.ret(self.ret))
        }
    }
}
