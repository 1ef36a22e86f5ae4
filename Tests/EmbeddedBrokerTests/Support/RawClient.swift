import Glibc
import NIOCore

@testable import EmbeddedBroker

/// A connection that sends whatever a test wants, also what no client would.
final class RawClient {
    struct Failure: Error { var code: Int32 }
    /// The broker has closed the connection.
    struct Closed: Error {}

    private let descriptor: Int32
    private var correlation: Int32 = 0

    /// Waits ten seconds at most, here and for each answer.
    init(_ broker: EmbeddedBroker) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard self.descriptor >= 0 else { throw Failure(code: errno) }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(broker.port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(code: errno) }
    }

    deinit { close(self.descriptor) }

    func send(_ bytes: [UInt8]) {
        _ = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Sends a request and does not wait for its answer.
    func ask(_ api: API, _ version: Int16, _ write: (inout Writer) -> Void) {
        self.send(self.frame(api.rawValue, version, isFlexible: api.isFlexible(version), write))
    }

    func frame(_ key: Int16, _ version: Int16, isFlexible: Bool, _ write: (inout Writer) -> Void) -> [UInt8] {
        self.correlation += 1
        var head = ByteBuffer()
        head.writeMultipleIntegers(Int32(0), key, version, self.correlation)
        head.writeInteger(Int16(4))
        head.writeString("test")
        var writer = Writer(head, isFlexible: isFlexible)
        writer.endStructure()
        write(&writer)
        var frame = writer.buffer
        frame.setInteger(Int32(frame.readableBytes - 4), at: 0)
        return Array(frame.readableBytesView)
    }

    /// Sends a request and reads its answer, up to where its own fields begin.
    func call(_ api: API, _ version: Int16, _ write: (inout Writer) -> Void) throws -> Reader {
        self.ask(api, version, write)
        return try self.answer(api, version)
    }

    func answer(_ api: API, _ version: Int16) throws -> Reader {
        let length = try self.read(4).reduce(0) { $0 << 8 | Int($1) }
        var reader = Reader(ByteBuffer(bytes: try self.read(length)))
        _ = try reader.int32()
        reader.isFlexible = api.isFlexible(version)
        if api != .apiVersions { try reader.endStructure() }
        return reader
    }

    /// Whether the broker has closed the connection, without another word.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(self.descriptor, &byte, 1, 0)
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var taken = 0
        while taken < count {
            let received = unsafe bytes.withUnsafeMutableBytes {
                unsafe recv(self.descriptor, $0.baseAddress?.advanced(by: taken), count - taken, 0)
            }
            guard received > 0 else { throw Closed() }
            taken += received
        }
        return bytes
    }
}
