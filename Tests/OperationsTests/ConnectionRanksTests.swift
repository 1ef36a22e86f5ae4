import NIOCore
import Testing

@testable import Operations

/// The choice of the connection that is closed when there are too many.
struct ConnectionRanksTests {
    /// An attacker that opened connections and never sent a byte once closed everybody's slow uploads.
    @Test func aClientThatOpensManyConnectionsClosesItsOwn() throws {
        var ranks = ConnectionRanks<Int, String>()
        for honest in 0..<60 { ranks.opened(honest, from: "client \(honest)") }
        ranks.opened(100, from: "attacker")
        for connection in 101..<1_000 {
            ranks.opened(connection, from: "attacker")
            let first = try #require(ranks.first)
            #expect(first == connection - 1)
            ranks.closed(first)
        }
        #expect(ranks.count == 61)
    }

    @Test func aThousandConnectionsOfManyAddressesCloseNoOther() throws {
        var ranks = ConnectionRanks<Int, String>()
        ranks.opened(0, from: "honest")
        for connection in 1...1_000 {
            ranks.opened(connection, from: "slow \(connection % 200)")
            guard ranks.count > 512 else { continue }
            let first = try #require(ranks.first)
            #expect(first != 0)
            ranks.closed(first)
        }
        #expect(ranks.count == 512)
    }

    @Test func amongClientsWithOneConnectionTheSlowestIsClosed() {
        var ranks = ConnectionRanks<Int, String>()
        for connection in 1...3 { ranks.opened(connection, from: "client \(connection)") }
        ranks.progressed(1)
        #expect(ranks.first == 2)
        ranks.progressed(2)
        #expect(ranks.first == 3)
        ranks.closed(3)
        ranks.closed(3)
        ranks.progressed(3)
        #expect(ranks.first == 1 && ranks.count == 2)
        ranks.closed(1)
        ranks.closed(2)
        #expect(ranks.first == nil && ranks.count == 0)
    }

    @Test func amongConnectionsOfOneClientTheSlowestIsClosed() {
        var ranks = ConnectionRanks<Int, String>()
        ranks.opened(0, from: "other")
        for connection in 1...3 { ranks.opened(connection, from: "client") }
        ranks.progressed(1)
        #expect(ranks.first == 2)
        ranks.closed(2)
        #expect(ranks.first == 3)
        ranks.closed(3)
        #expect(ranks.first == 0, "both have one now, and this one has waited for longest")
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8::1", "2001:db8::ffff:1", true), ("2001:db8::1", "2001:db8:0:1::1", false),
        ("::ffff:192.0.2.1", "192.0.2.1", true),
    ])
    func aClientHasOneAddressOfIPv4OrANetworkOfIPv6(one: String, other: String, isSame: Bool) throws {
        let networks = try [one, other].map { try SocketAddress(ipAddress: $0, port: 80).clientNetwork }
        #expect((networks[0] == networks[1]) == isSame)
    }
}
