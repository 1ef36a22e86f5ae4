import Foundation
import Glibc
import Testing

@testable import Operations

/// The messages of a process to its service manager, on sockets as systemd listens on them.
struct ServiceNoticesTests {
    /// The socket of a service manager. It is removed with this object.
    private final class Manager {
        let name: String
        private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

        init(_ name: String) throws {
            self.name = name
            var bytes = Array(name.utf8)
            let isAbstract = bytes[0] == UInt8(ascii: "@")
            if isAbstract { bytes[0] = 0 }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
            let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
            let descriptor = self.descriptor
            let status = unsafe withUnsafePointer(to: address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, length)
                }
            }
            try #require(status == 0, "bind: \(errno)")
        }

        static func inAFolder() throws -> Manager {
            try Manager(FileManager.default.temporaryDirectory.path + "/notify-\(UUID().uuidString)")
        }

        deinit {
            close(self.descriptor)
            if self.name.hasPrefix("/") { _ = unsafe unlink(self.name) }
        }

        /// Returns the messages that have come since the last call. A datagram is there as soon as it is sent.
        func heard() -> [String] {
            var messages: [String] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe recv(self.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count >= 0 else { return messages }
                messages.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }

    private let clock = ManualClock()

    /// A health whose service manager listens on this socket, as its environment says.
    private func health(
        _ manager: Manager,
        _ others: [String: String] = [:],
        process: Int32 = 7
    ) throws -> Health {
        let environment = ["NOTIFY_SOCKET": manager.name].merging(others) { $1 }
        let notices = try ServiceNotices(environment: environment, process: process)
        return Health(uptime: self.clock.uptime, notices: notices)
    }

    @Test func tellsTheLifeOfAProcess() throws {
        let manager = try Manager.inAFolder()
        let health = try self.health(manager, ["WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "7"])
        health.beat()
        #expect(manager.heard() == ["EXTEND_TIMEOUT_USEC=30000000"])
        health.become(.notReady(reason: "no partitions\nREADY=1"))
        #expect(manager.heard() == ["STATUS=not ready: no partitions READY=1"])
        health.become(.ready)
        #expect(manager.heard() == ["READY=1\nSTATUS=ready"])
        self.clock.advance(seconds: 10)
        health.beat()
        #expect(manager.heard() == ["WATCHDOG=1"])
        health.become(.notReady(reason: "stalled"))
        health.become(.ready)
        #expect(manager.heard() == ["STATUS=not ready: stalled", "STATUS=ready"])
        health.become(.draining)
        health.become(.ready)
        #expect(manager.heard() == ["STOPPING=1\nSTATUS=draining"])
    }

    /// Only a turn of the engine sends a sign of life: time that passes without one does not.
    @Test func anEngineThatStandsSendsNoSignOfLife() throws {
        let manager = try Manager.inAFolder()
        let health = try self.health(manager, ["WATCHDOG_USEC": "20000000"])
        health.become(.ready)
        health.beat()
        _ = manager.heard()
        self.clock.advance(seconds: 600)
        #expect(manager.heard() == [])
        health.become(.ready)
        #expect(manager.heard() == [])
        health.beat()
        #expect(manager.heard() == ["WATCHDOG=1"])
        health.beat()
        self.clock.advance(seconds: 9)
        health.beat()
        #expect(manager.heard() == [], "a busy engine sends one sign in each interval")
    }

    @Test(arguments: [["WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "8"], ["WATCHDOG_USEC": "0"], [:]])
    func withoutAWatchdogForThisProcessThereIsNoSignOfLife(environment: [String: String]) throws {
        let manager = try Manager.inAFolder()
        let health = try self.health(manager, environment)
        health.become(.ready)
        self.clock.advance(seconds: 60)
        health.beat()
        #expect(manager.heard() == ["READY=1\nSTATUS=ready"])
    }

    @Test func speaksToAnAbstractSocket() throws {
        let manager = try Manager("@flotilla-\(UUID().uuidString)")
        try self.health(manager).become(.ready)
        #expect(manager.heard() == ["READY=1\nSTATUS=ready"])
    }

    /// The manager's queue is full for a moment. The readiness is told with a later turn.
    @Test func aNoticeThatFoundNoRoomIsSentAgain() throws {
        let manager = try Manager.inAFolder()
        let socket = try NotifySocket(manager.name)
        while socket.send("X=1") {}
        let health = try self.health(manager)
        health.become(.ready)
        #expect(manager.heard().contains { $0.hasPrefix("READY") } == false)
        self.clock.advance(seconds: 1)
        health.beat()
        #expect(manager.heard() == ["READY=1\nSTATUS=ready"])
    }

    @Test func withoutAManagerNothingIsTold() throws {
        #expect(try ServiceNotices(environment: [:], process: 7) == nil)
        #expect(try ServiceNotices(environment: ["NOTIFY_SOCKET": ""], process: 7) == nil)
    }

    @Test(arguments: [
        "vsock:2:9999", "relative", "/", "@", "/\(String(repeating: "a", count: 107))", "/a\0b",
    ])
    func aSocketOfAnotherKindIsRefused(name: String) {
        #expect(throws: ServiceNotices.Unusable.self) {
            _ = try ServiceNotices(environment: ["NOTIFY_SOCKET": name], process: 7)
        }
    }
}
