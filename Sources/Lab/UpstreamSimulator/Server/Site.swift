internal import NIOCore
internal import NIOHTTP1

/// A simulated API behind one port, with the control endpoints that set its behaviour.
protocol Site: Sendable {
    var connections: Connections { get }

    /// Judges a request to the API, counts it, and decides on its treatment.
    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment

    /// Answers a request to `/control/…` or `/healthz`.
    func control(method: String, uri: String, body: [UInt8], listener: Listener) async -> ControlDesk.Answer
}

/// The way in which a connection reacts to a request.
struct Treatment: Sendable {
    enum Conduct: Sendable {
        /// Sends no response, and keeps the connection open until the client closes it.
        case hang
        /// Closes the connection without a response.
        case close
        case reply(Reply)
    }

    /// The delay before the reaction, in milliseconds.
    var delayMilliseconds = 0
    var conduct: Conduct
    /// Called when the reaction is carried out. If the client disconnects before that, it is never called.
    var followed: @Sendable () -> Void = {}
}

extension Switchboard: Site {
    func receive(_ head: HTTPRequestHead, body: ByteBuffer) -> Treatment {
        // The API supports only GET. Any other method is judged as a request without a target.
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
        case .enlarge: .reply(.enlarged(self.ret))
        case nil, .ret: .reply(.ret(self.ret))
        }
    }
}
