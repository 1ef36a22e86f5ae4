import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// An HTTP/1.1 server on a Unix socket, which only the user of this process and root can connect to. It logs nothing.
///
/// The server stops when its service group tells it to.
package struct LocalServer: Sendable {
    /// The server could not use its path. Trying again with the same settings is useless.
    package struct CannotListen: Error, Hashable, CustomStringConvertible {
        /// The path of the socket.
        package let path: String
        /// The reason in words, as the end of a sentence.
        package let reason: String
        /// The name of the setting with the path.
        package let setting: String

        package var description: String { "cannot listen on \(self.path) (\(self.setting)): \(self.reason)" }
    }

    /// A request as far as an answer depends on it.
    package struct Question: Hashable, Sendable {
        package var isPost: Bool
        package var path: String
        /// The body; nil if it is larger than the server takes, or did not come.
        package var body: [UInt8]?
    }

    /// The answer to a request.
    package struct Answer: Hashable, Sendable {
        /// The status of HTTP.
        package var status: Int
        /// The body, which is JSON.
        package var json: [UInt8]

        package init(status: Int, json: [UInt8]) {
            self.status = status
            self.json = json
        }
    }

    /// The socket while it is served.
    private final class Listener: Sendable {
        /// Whether only the user of this process and root can connect.
        let isPrivate = Atomic(false)
    }

    /// The longest path of a socket that Linux takes, in bytes.
    private static let longestPath = 107
    /// The largest number of open connections.
    private static let mostConnections = 16

    private let path: String
    private let setting: String
    private let largestBody: Int

    /// Prepares a server, which begins with `run`.
    ///
    /// - Parameters:
    ///   - path: The path of the socket. A socket that nobody listens on any more is replaced.
    ///   - setting: The name of the setting with the path, for the error.
    ///   - largestBody: The largest body of a request that is read, in bytes.
    package init(path: String, setting: String, largestBody: Int) {
        self.largestBody = largestBody
        self.path = path
        self.setting = setting
    }

    /// Serves until the service group shuts down, and takes the socket away.
    ///
    /// - Parameters:
    ///   - listening: Called once, when the server accepts connections.
    ///   - answer: Makes the response to each request.
    /// - Throws: `CannotListen`.
    package func run(
        listening: @escaping @Sendable () async -> Void,
        answer: @escaping @Sendable (Question) async -> Answer
    ) async throws {
        guard self.path.utf8.count <= Self.longestPath else {
            throw self.cannotListen("the path has more than \(Self.longestPath) bytes")
        }
        guard await !self.isInUse else { throw self.cannotListen("another process listens there") }
        var logger = Logger(label: "local-server")
        logger.logLevel = .critical
        let (path, largestBody) = (self.path, self.largestBody)
        let listener = Listener()
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                let body = try? await request.body.collect(upTo: largestBody)
                let question = Question(
                    isPost: request.method == .post,
                    path: request.uri.path,
                    body: body.map { Array($0.readableBytesView) }
                )
                return Self.response(await answer(question))
            },
            configuration: ApplicationConfiguration(
                address: .unixDomainSocket(path: path),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)
            ),
            onServerRunning: { channel in
                // Until here the mode is what the umask leaves; with the usual one others may not connect either.
                guard unsafe chmod(path, 0o600) == 0 else { return channel.close(promise: nil) }
                listener.isPrivate.store(true, ordering: .releasing)
                await listening()
            },
            logger: logger
        )
        do {
            try await application.run()
        } catch let error as IOError {
            throw self.cannotListen(Self.reason(error))
        } catch is UnixDomainSocketPathWrongType {
            throw self.cannotListen("a file that is no socket stands there")
        }
        _ = unsafe unlink(path)
        guard listener.isPrivate.load(ordering: .acquiring) else {
            throw self.cannotListen("its mode cannot be set, so that only this user can connect")
        }
    }

    private static func response(_ answer: Answer) -> Response {
        Response(
            status: HTTPResponse.Status(code: answer.status),
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.json))
        )
    }

    /// Whether a process listens on the socket. A socket whose process has died refuses connections.
    private var isInUse: Bool {
        get async {
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            guard let channel = try? await bootstrap.connect(unixDomainSocketPath: self.path).get() else {
                return false
            }
            channel.close(promise: nil)
            return true
        }
    }

    private func cannotListen(_ reason: String) -> CannotListen {
        CannotListen(path: self.path, reason: reason, setting: self.setting)
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case EACCES: "permission denied"
        case ENOENT: "its folder does not exist"
        case EROFS: "its folder cannot be written to"
        default: "system error \(error.errnoCode)"
        }
    }
}
