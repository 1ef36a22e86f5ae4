import NIOCore
import NIOEmbedded

@testable import EmbeddedBroker

/// The embedded broker without a socket, with one client, on a clock that moves when it is told to.
final class BrokerBench {
    private let loop = EmbeddedEventLoop()
    private let node: Node
    private let client: EmbeddedChannel
    private var taken: [[UInt8]] = []

    init() throws {
        var settings = BrokerSettings()
        settings.initialRebalanceDelay = .zero
        settings.frameByteLimit = 4_096
        settings.automaticPartitions = 1
        settings.bytesPerPartition = 4_096
        self.node = Node(settings: settings, timers: Timers(on: self.loop))
        self.node.listens(on: "127.0.0.1", port: 9_092)
        let error = self.node.createTopic("t", partitions: 2, TopicConfiguration())
        try claim("the bench has a topic", error == nil)
        self.client = try Self.connected(to: self.node, self.loop)
    }

    private static func connected(to node: Node, _ loop: EmbeddedEventLoop) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: Connection(to: node), loop: loop)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 49_152), promise: nil)
        loop.run()
        return channel
    }

    var isOpen: Bool { self.client.isActive }

    /// Sends so many bytes at a time; all at once with 0.
    func send(_ bytes: [UInt8], piece length: Int) throws {
        var rest = bytes[...]
        while !rest.isEmpty, self.client.isActive {
            let piece = rest.prefix(length > 0 ? length : rest.count)
            try self.client.writeInbound(ByteBuffer(bytes: piece))
            self.loop.run()
            rest = rest.dropFirst(piece.count)
        }
        // Long enough for a group to come together, too short for a session to end.
        self.pass(.milliseconds(5))
    }

    func pass(_ time: TimeAmount) { self.loop.advanceTime(by: time) }

    /// All that has been answered so far.
    func answers() throws -> [[UInt8]] {
        while let answer = try self.client.readOutbound(as: ByteBuffer.self) {
            self.taken.append(Array(answer.readableBytesView))
        }
        return self.taken
    }

    /// The frame of a request. `MEMBER` stands for the id that this client was last given in a group.
    func frame(of request: BrokerClaims.Request) throws -> [UInt8] {
        let api = API(rawValue: request.api)
        var head = ByteBuffer()
        head.writeMultipleIntegers(Int32(0), request.api, request.version, request.correlation, Int16(4))
        head.writeString("test")
        if api?.isFlexible(request.version) == true { head.writeInteger(0 as UInt8) }
        head.writeBytes(try self.filledIn(request.body))
        head.setInteger(Int32(head.readableBytes - 4), at: 0)
        return Array(head.readableBytesView)
    }

    private func filledIn(_ body: ArraySlice<UInt8>) throws -> [UInt8] {
        let mark = [0, 6] + Array("MEMBER".utf8)
        guard body.firstRange(of: mark) != nil, let id = try self.memberID() else { return Array(body) }
        return Array(body).replacing(mark, with: [0, UInt8(clamping: id.count)] + id)
    }

    /// As the answers give it: the broker makes them of the client's name, a number and something random.
    private func memberID() throws -> ArraySlice<UInt8>? {
        for answer in try self.answers().reversed() {
            guard let start = answer.firstRange(of: Array("test-0".utf8))?.lowerBound, start > 0 else {
                continue
            }
            return answer[start...].prefix(Int(answer[start - 1]))
        }
        return nil
    }

    func answersOthers() throws -> Bool {
        let other = try Self.connected(to: self.node, self.loop)
        defer { other.close(promise: nil) }
        let request = BrokerClaims.Request(api: API.apiVersions.rawValue, version: 0, correlation: 7)
        try other.writeInbound(ByteBuffer(bytes: self.frame(of: request)))
        self.loop.run()
        return try other.readOutbound(as: ByteBuffer.self) != nil
    }

    /// Ends all that waits: whoever waits holds the broker, and the broker holds them.
    func tearDown() {
        self.client.close(promise: nil)
        self.node.cutConnections()
        self.pass(.hours(48))
    }
}
