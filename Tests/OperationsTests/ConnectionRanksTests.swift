import NIOCore
import Testing

@testable import Operations

/// The choice of the connection that is closed when there are too many.
struct ConnectionRanksTests {
    private static let start = ContinuousClock.now

    /// An attacker that opened connections and never sent a byte once closed everybody's slow uploads.
    @Test func aClientThatOpensManyConnectionsClosesItsOwn() throws {
        var ranks = ConnectionRanks<Int, String>(limit: 512)
        for honest in 0..<60 { ranks.opened(honest, from: "client \(honest)", at: Self.start) }
        ranks.opened(100, from: "attacker", at: Self.start)
        for connection in 101..<1_000 {
            ranks.opened(connection, from: "attacker", at: Self.start)
            let first = try #require(ranks.first(at: Self.start))
            #expect(first == connection - 1)
            ranks.closed(first)
        }
        #expect(ranks.count == 61)
    }

    @Test func aThousandConnectionsOfManyAddressesCloseNoOther() throws {
        var ranks = ConnectionRanks<Int, String>(limit: 512)
        ranks.opened(0, from: "honest", at: Self.start)
        for connection in 1...1_000 {
            ranks.opened(connection, from: "slow \(connection % 200)", at: Self.start)
            guard ranks.count > 512 else { continue }
            let first = try #require(ranks.first(at: Self.start))
            #expect(first != 0)
            ranks.closed(first)
        }
        #expect(ranks.count == 512)
    }

    @Test func amongClientsWithOneConnectionTheSlowestIsClosed() {
        var ranks = ConnectionRanks<Int, String>(limit: 512)
        for connection in 1...3 { ranks.opened(connection, from: "client \(connection)", at: Self.start) }
        ranks.progressed(1, at: Self.start)
        #expect(ranks.first(at: Self.start) == 2)
        ranks.progressed(2, at: Self.start)
        #expect(ranks.first(at: Self.start) == 3)
        ranks.closed(3)
        ranks.closed(3)
        ranks.progressed(3, at: Self.start)
        #expect(ranks.first(at: Self.start) == 1 && ranks.count == 2)
        ranks.closed(1)
        ranks.closed(2)
        #expect(ranks.first(at: Self.start) == nil && ranks.count == 0)
    }

    @Test func amongConnectionsOfOneClientTheSlowestIsClosed() {
        var ranks = ConnectionRanks<Int, String>(limit: 512)
        ranks.opened(0, from: "other", at: Self.start)
        for connection in 1...3 { ranks.opened(connection, from: "client", at: Self.start) }
        ranks.progressed(1, at: Self.start)
        #expect(ranks.first(at: Self.start) == 2)
        ranks.closed(2)
        #expect(ranks.first(at: Self.start) == 3)
        ranks.closed(3)
        #expect(ranks.first(at: Self.start) == 0, "both have one now, and this one has waited for longest")
    }

    /// An attacker with many networks once closed the connections of a carrier's many phones, because they were the most of
    /// one network.
    @Test func manyNetworksOfSilentConnectionsCloseNoPhoneOfACarrier() throws {
        var ranks = ConnectionRanks<Int, String>(limit: 64)
        for silent in 0..<62 { ranks.opened(silent, from: "attacker \(silent)", at: Self.start) }
        let later = Self.start + .seconds(2)
        for phone in 100..<108 { ranks.opened(phone, from: "carrier", at: later) }
        // A phone that waits for its answer is not silent, however long the cluster takes.
        ranks.waits(100)
        for expected in 0..<62 {
            let first = try #require(ranks.first(at: later))
            #expect(first == expected)
            ranks.closed(first)
        }
        #expect(ranks.first(at: later + .seconds(60)) == 101)
    }

    /// Silence counts only where no network has more than its share: its own connections pay first.
    @Test func aNetworkBeyondItsShareClosesItsOwnHoweverBusyItIs() {
        var ranks = ConnectionRanks<Int, String>(limit: 64)
        for silent in 0..<10 { ranks.opened(silent, from: "phone \(silent)", at: Self.start) }
        let later = Self.start + .seconds(30)
        for busy in 100..<117 { ranks.opened(busy, from: "attacker", at: later) }
        #expect(ranks.first(at: later) == 100)
        ranks.closed(100)
        #expect(ranks.first(at: later) == 0)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("2001:db8::1", "2001:db8:0:ff::1", true), ("2001:db8::1", "2001:db8:0:100::1", false),
        ("::ffff:192.0.2.1", "192.0.2.1", true),
    ])
    func aClientHasOneAddressOfIPv4OrANetworkOfIPv6(one: String, other: String, isSame: Bool) throws {
        let networks = try [one, other].map { try SocketAddress(ipAddress: $0, port: 80).clientNetwork }
        #expect((networks[0] == networks[1]) == isSame)
    }
}
