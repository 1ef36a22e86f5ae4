internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A Kafka broker for tests and chaos runs: one node, in memory, with the semantics of Apache Kafka 3 as a
/// librdkafka client sees them, transactions and fencing included. Safe to use from anywhere; `stop` it when done.
package final class EmbeddedBroker: Sendable {
    package let host: String
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

    /// Where clients connect to: `127.0.0.1:49152`.
    package var address: String { "\(self.host):\(self.port)" }

    /// - Parameters:
    ///   - host: the address to listen on and to tell clients.
    ///   - port: 0 for any that is free.
    /// - Throws: `BrokerSettings.OutOfBounds`, or what prevents listening.
    package static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        _ settings: BrokerSettings = BrokerSettings()
    ) async throws -> EmbeddedBroker {
        try settings.check()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            let node = try await loop.submit {
                NIOLoopBound(Node(settings: settings, timers: Timers(on: loop)), eventLoop: loop)
            }.get()
            let listener = try await Self.bootstrap(group, node).bind(host: host, port: port).map {
                listener in
                // On the loop, before it can take the first connection.
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
        _ node: NIOLoopBound<Node>
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Connection(to: node.value))
                }
            }
    }

    /// - Throws: `TopicRefused`, or `TopicConfiguration.InvalidSetting`.
    package func createTopic(_ name: String, partitions: Int, settings: [String: String] = [:]) async throws {
        let configuration = try TopicConfiguration(settings)
        let error = try await self.onLoop { $0.createTopic(name, partitions: partitions, configuration) }
        if let error { throw TopicRefused(name: name, code: Int(error.rawValue)) }
    }

    /// Kafka's error code says why: 17 the name, 36 there is one already, 37 the number of partitions.
    package struct TopicRefused: Error {
        package var name: String
        package var code: Int
    }

    /// Replaces all faults; in effect on return.
    package func setFaults(_ faults: BrokerFaults) async throws {
        let faults = faults.bounded
        try await self.onLoop { $0.faults = faults }
    }

    package func faultCounts() async throws -> FaultCounts { try await self.onLoop { $0.faultCounts } }

    /// For so long requests to the coordinators of groups and transactions are answered NOT_COORDINATOR.
    package func moveCoordinators(for time: Duration) async throws {
        try await self.onLoop { $0.moveCoordinators(for: time) }
    }

    /// Closes every connection; clients may connect again at once.
    package func cutConnections() async throws {
        try await self.onLoop { $0.cutConnections() }
    }

    /// Closes the port and every connection, and forgets everything. Calling it again does nothing.
    package func stop() async {
        guard !self.isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // What fails here has ended already.
        try? await self.listener.close()
        try? await self.onLoop { $0.cutConnections() }
        try? await self.group.shutdownGracefully()
    }

    private func onLoop<Result: Sendable>(_ act: @escaping @Sendable (Node) -> Result) async throws -> Result
    {
        try await self.loop.submit { [node] in act(node.value) }.get()
    }
}
