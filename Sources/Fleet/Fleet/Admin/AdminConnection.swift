import EventThread
import Foundation
import Operations
import ServiceKit
import Terminal
import UpstreamHTTP

/// The way to a running process by its Unix socket.
struct AdminConnection {
    /// An order that was not carried out, or a process that does not answer.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private static let longest = Duration.seconds(5)
    /// The largest answer that is read, in bytes.
    private static let largestAnswer = 1 << 20

    let path: String

    /// Gives an order.
    ///
    /// - Returns: How the process is then.
    /// - Throws: `Failure`; nothing has changed unless the failure says that there was no answer.
    func give(_ order: OperatorOrder, until wish: StopWish) throws -> OperatorStatus {
        try self.ask(.post, "/v1/orders", body: Array(try order.json().utf8), until: wish)
    }

    /// Asks how the process is.
    ///
    /// - Throws: `Failure`.
    func status(until wish: StopWish) throws -> OperatorStatus {
        try self.ask(.get, "/v1/status", until: wish)
    }

    private func ask(_ method: HTTPRequest.Method, _ page: String, body: [UInt8]? = nil, until wish: StopWish)
        throws
        -> OperatorStatus
    {
        let client = try HTTPClient(
            HTTPClientSettings(
                connectTimeout: Self.longest,
                requestTimeout: Self.longest,
                connectionLimit: 1,
                responseBytesLimit: Self.largestAnswer,
                unixSocket: self.path
            )
        )
        defer { client.close() }
        client.start(HTTPRequest(method: method, url: "http://localhost\(page)", body: body), id: 1)
        var answer: Result<HTTPResponse, TransferError>?
        var wait = Wait(on: [client.descriptor, wish.descriptor])
        while answer == nil {
            guard wish.count == 0 else {
                throw Failure(description: "interrupted: the order may be carried out")
            }
            if client.serve({ answer = $1 }) { continue }
            let milliseconds = client.timeoutMilliseconds
            if answer == nil { wait(atMost: milliseconds < 0 ? .seconds(1) : .milliseconds(milliseconds)) }
        }
        return try self.read(answer)
    }

    private func read(_ answer: Result<HTTPResponse, TransferError>?) throws -> OperatorStatus {
        switch answer {
        case .success(let response)? where response.status == 200:
            guard let status = try? JSONDecoder().decode(OperatorStatus.self, from: Data(response.body))
            else {
                throw Failure(description: "what answers on \(self.path) is no program of this version")
            }
            return status
        case .success(let response)?:
            let refusal = try? JSONDecoder().decode([String: String].self, from: Data(response.body))
            throw Failure(
                description: refusal?["error"] ?? "\(self.path) answers with status \(response.status)"
            )
        case .failure(let error)? where error.kind == .connect:
            throw Failure(
                description:
                    "no program listens on \(self.path), or it is another user's: is it running, and is this "
                    + "its admin.socket?"
            )
        case .failure(let error)?: throw Failure(description: "no answer on \(self.path): \(error.message)")
        case nil: throw Failure(description: "no answer on \(self.path)")
        }
    }
}
