internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The listening port of a simulator. An outage closes it, and the same port is opened again afterwards.
actor Listener {
    private enum State {
        case idle
        case listening(any Channel)
        /// The port is closed. The reservation is nil if another process has taken the port first.
        case refusing(PortReservation?)
        case resetting(any Channel)
        case stopped
    }

    private let group: MultiThreadedEventLoopGroup
    private let site: any Site
    private var state = State.idle
    /// The address to open again after an outage.
    private var address: SocketAddress?
    /// The step that was requested last; the next step waits for it.
    private var lastStep: Task<Void, Never>?
    /// The timer that ends the current outage.
    private var timer: Task<Void, Never>?
    /// The number of outages so far, by which a timer recognises its own outage.
    private var outageCount = 0
    private var isStopping = false

    init(on group: MultiThreadedEventLoopGroup, for site: any Site) {
        self.group = group
        self.site = site
    }

    /// Opens the port.
    ///
    /// - Returns: the port, which differs from the requested one if that was 0.
    /// - Throws: NIO's error if the port cannot be opened.
    func start(host: String, port: Int) async throws -> Int {
        let channel = try await self.bootstrap.bind(host: host, port: port).get()
        self.state = .listening(channel)
        self.address = channel.localAddress
        return channel.localAddress?.port ?? port
    }

    /// Opens the port, and makes the running simulator with `run`.
    ///
    /// - Throws: `SimulatorError`, after all threads have been stopped, if the port cannot be opened.
    static func opened<Running>(
        _ host: String,
        _ port: Int,
        for site: any Site,
        threads: Int = 1,
        run: (Listener, _ port: Int) async -> Running
    ) async throws(SimulatorError) -> Running {
        let listener = Listener(on: MultiThreadedEventLoopGroup(numberOfThreads: max(threads, 1)), for: site)
        do {
            return await run(listener, try await listener.start(host: host, port: port))
        } catch {
            await listener.stop()
            throw .couldNotListen(host: host, port: port, reason: String(describing: error))
        }
    }

    /// Starts an outage, or ends the current one if `outage` is nil. The port is in its new state when this
    /// method returns.
    func follow(_ outage: Faults.Down?) async {
        await self.inTurn { listener in
            await listener.comeBack()
            if let outage {
                await listener.goDown(outage)
            }
        }
    }

    /// Closes the port and stops the threads.
    func stop() async {
        self.isStopping = true
        await self.inTurn { listener in
            listener.timer?.cancel()
            switch listener.state {
            case .listening(let channel), .resetting(let channel): try? await channel.close()
            case .idle, .refusing, .stopped: break
            }
            listener.state = .stopped
        }
        try? await self.group.shutdownGracefully()
    }

    private func goDown(_ outage: Faults.Down) async {
        guard case .listening(let channel) = self.state else { return }
        switch outage.manner ?? .refuse {
        case .refuse:
            try? await channel.close()
            self.state = .refusing(self.address.flatMap { PortReservation($0) })
        case .reset:
            self.state = .resetting(channel)
        }
        self.site.connections.shut()

        self.outageCount += 1
        // The length is limited to one hour.
        let length = min(max(outage.milliseconds, 0), 3_600_000)
        self.timer = Task { [weak self, outageCount] in
            guard (try? await Task.sleep(for: .milliseconds(length))) != nil else { return }
            await self?.timeIsUp(for: outageCount)
        }
    }

    private func timeIsUp(for outage: Int) async {
        await self.inTurn { listener in
            // In the meantime another step may have ended this outage and started the next one.
            if listener.outageCount == outage {
                await listener.comeBack()
            }
        }
    }

    /// Ends the current outage, if there is one. Tries to open the port again every 10 ms until that
    /// succeeds.
    private func comeBack() async {
        self.timer?.cancel()
        self.timer = nil
        switch self.state {
        case .idle, .listening, .stopped:
            return
        case .resetting(let channel):
            self.state = .listening(channel)
        case .refusing(let reservation):
            guard let address else { return }
            while case .refusing = self.state, !self.isStopping {
                do {
                    self.state = .listening(try await self.bootstrap.bind(to: address).get())
                } catch {
                    // The port is held by another process, or all file descriptors are in use. Both
                    // conditions are temporary.
                    try? await Task.sleep(for: .milliseconds(10))
                }
            }
            withExtendedLifetime(reservation) {}
        }
        self.site.connections.readmit()
    }

    /// Runs the steps one after the other, in the order in which they were requested. An actor alone would
    /// interleave them at their suspension points.
    private func inTurn(_ step: @escaping @Sendable (isolated Listener) async -> Void) async {
        let previous = self.lastStep
        let task = Task {
            await previous?.value
            await step(self)
        }
        self.lastStep = task
        await task.value
    }

    private var bootstrap: ServerBootstrap {
        let site = self.site
        return ServerBootstrap(group: self.group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.maxMessagesPerRead, value: 64)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(ConnectionHandler(site: site, listener: self))
                }
            }
    }
}
