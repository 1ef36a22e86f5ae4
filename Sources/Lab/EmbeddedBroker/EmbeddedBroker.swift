internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A Kafka broker for tests and chaos runs: one node, in memory, with the semantics of Apache Kafka 3 as a
/// librdkafka client observes them, transactions and fencing included.
///
/// The broker runs on one event loop thread of its own. All methods may be called from any thread or task.
/// The owner must call `stop` at the end, or the thread and the port stay in use.
package final class EmbeddedBroker: Sendable {
    /// The IP address that the broker listens on and reports to clients in its metadata.
    package let host: String
    /// The TCP port that the broker listens on.
    package let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    private let node: NIOLoopBound<Node>
    private let listener: any Channel
    private let isStopped = Atomic(false)

    private init(
        group: MultiThreadedEventLoopGroup,
        loop: any EventLoop,
        node: NIOLoopBound<Node>,
        listener: any Channel
    ) {
        self.group = group
        self.loop = loop
        self.node = node
        self.listener = listener
        self.host = listener.localAddress?.ipAddress ?? ""
        self.port = listener.localAddress?.port ?? 0
    }

    /// The address for a client's `bootstrap.servers`, such as `127.0.0.1:49152`.
    package var address: String { "\(self.host):\(self.port)" }

    /// Starts a broker, and returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - host: the address to listen on and to report to clients.
    ///   - port: the port to listen on; 0 for any free port.
    /// - Throws: `BrokerSettings.OutOfBounds`, NIO's error if the broker cannot listen on the address, or the error of
    ///   swift-nio-ssl if the files of `BrokerSecurity.TLS` cannot be used.
    package static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        _ settings: BrokerSettings = BrokerSettings()
    ) async throws -> EmbeddedBroker {
        try settings.check()
        let tls = try settings.security.tls.map { try NIOSSLContext(configuration: $0.configuration) }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            let node = try await loop.submit {
                NIOLoopBound(Node(settings: settings, timers: Timers(on: loop)), eventLoop: loop)
            }.get()
            let listener = try await Self.bootstrap(group, node, tls: tls).bind(host: host, port: port).map {
                listener in
                // Runs on the event loop before the listener can accept its first connection.
                let address = listener.localAddress
                node.value.listens(on: address?.ipAddress ?? host, port: address?.port ?? port)
                return listener
            }.get()
            return EmbeddedBroker(group: group, loop: loop, node: node, listener: listener)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup,
        _ node: NIOLoopBound<Node>,
        tls: NIOSSLContext?
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.addHandler(Connection(to: node.value))
                }
            }
    }

    /// Creates a topic, whether or not automatic creation is enabled.
    ///
    /// - Throws: `TopicRefused`, or `TopicConfiguration.InvalidSetting`.
    package func createTopic(_ name: String, partitions: Int, settings: [String: String] = [:]) async throws {
        let configuration = try TopicConfiguration(settings)
        let error = try await self.onLoop { $0.createTopic(name, partitions: partitions, configuration) }
        if let error { throw TopicRefused(name: name, code: Int(error.rawValue)) }
    }

    /// The broker refused to create a topic.
    package struct TopicRefused: Error {
        /// The name of the refused topic.
        package var name: String
        /// Kafka's error code: 17 for an invalid name, 36 if the topic exists already, 37 for an invalid
        /// number of partitions, 44 if the broker would exceed its limit of partitions.
        package var code: Int
    }

    /// Replaces all faults. The new faults are in effect when this method returns.
    package func setFaults(_ faults: BrokerFaults) async throws {
        let faults = faults.bounded
        try await self.onLoop { $0.faults = faults }
    }

    /// Returns the end of each topic's log, of all partitions together.
    package func endOffsets(of topics: [String]) async throws -> [Int64] {
        try await self.onLoop { node in
            topics.map { node.topics[$0]?.partitions.reduce(0) { $0 + $1.log.endOffset } ?? 0 }
        }
    }

    /// Returns the transactional ids that a producer has registered.
    package func transactionalIDs() async throws -> [String] {
        try await self.onLoop { $0.transactions.ids }
    }

    /// Replaces the rules of what clients may do, as of the next request. With nil, each may do everything.
    package func setRules(_ rules: [AccessRule]?) async throws {
        try await self.onLoop { $0.access = AccessRules(rules: rules) }
    }

    /// Replaces the passwords of the users, as of the next login.
    package func setPasswords(_ passwords: [String: String]) async throws {
        try await self.onLoop { $0.setPasswords(passwords) }
    }

    /// Returns how often each kind of fault has occurred since the broker started.
    package func faultCounts() async throws -> FaultCounts { try await self.onLoop { $0.faultCounts } }

    /// Answers all requests to the coordinators of groups and transactions with NOT_COORDINATOR for this
    /// time.
    package func moveCoordinators(for time: Duration) async throws {
        try await self.onLoop { $0.moveCoordinators(for: time) }
    }

    /// Closes every client connection. Clients may connect again at once.
    package func cutConnections() async throws {
        try await self.onLoop { $0.cutConnections() }
    }

    /// Closes the port and every connection, and discards all state. A second call has no effect.
    package func stop() async {
        guard !self.isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // A step that fails here has nothing left to close, so its error is ignored.
        try? await self.listener.close()
        try? await self.onLoop { $0.cutConnections() }
        try? await self.group.shutdownGracefully()
    }

    private func onLoop<Result: Sendable>(_ act: @escaping @Sendable (Node) -> Result) async throws -> Result
    {
        try await self.loop.submit { [node] in act(node.value) }.get()
    }
}

extension BrokerSecurity.TLS {
    fileprivate var configuration: TLSConfiguration {
        get throws {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(self.certificateFile).map {
                    .certificate($0)
                },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: self.keyFile, format: .pem))
            )
            if let authorities = self.clientAuthorityFile {
                configuration.certificateVerification = .noHostnameVerification
                configuration.trustRoots = .file(authorities)
            }
            return configuration
        }
    }
}
