import ServiceKit
import Synchronization
import Testing

@testable import Gateway

/// The shares of clients and routes, without a network.
struct LimitTests {
    private static let now = Moment(monotonic: 50_000_000_000, wall: 0)

    private static func limits(_ gateway: [String] = []) throws -> RequestLimits {
        RequestLimits(try Stage.settings(brokers: "localhost:9092", gateway: gateway))
    }

    private static func client(_ number: Int) throws -> ClientAddress {
        try #require(ClientAddress("203.0.113.\(number)"))
    }

    /// Stands for a connection.
    private final class Place: Sendable {}

    /// Holds the bytes of a new body, all of which has come.
    private static func holds(
        _ count: Int,
        of client: ClientAddress,
        on route: Route,
        _ limits: RequestLimits
    ) -> Answer? {
        let place = Place()
        // The place must live as long as its name counts.
        Self.places.withLock { $0.append(place) }
        return limits.withBodies { bodies in
            let refusal = bodies.hold(
                count,
                for: ObjectIdentifier(place),
                of: client,
                on: route,
                at: 0,
                giveUp: {}
            )
            _ = bodies.complete(ObjectIdentifier(place))
            return refusal
        }
    }

    private static let places = Mutex<[Place]>([])

    /// Two addresses with 33 MB between them once closed the route of uploads, for as long as they sent a byte now and then.
    @Test func bodiesThatDoNotComeInMakeRoomForOthers() throws {
        let settings = try Stage.settings(
            brokers: "localhost:9092",
            gateway: ["bytes_in_hand: 4MiB", "body_limit: 600000"]
        )
        var bodies = BodiesInHand(settings)
        let places = (0..<8).map { _ in Place() }
        let givenUp = Mutex<[Int]>([])
        func hold(_ count: Int, _ place: Int, of client: Int, at now: Int64) throws -> Answer? {
            bodies.hold(
                count,
                for: ObjectIdentifier(places[place]),
                of: try Self.client(client),
                on: .uploads,
                at: now,
                giveUp: { givenUp.withLock { $0.append(place) } }
            )
        }
        // A route has 2 MiB, and a client one of them.
        for place in 0..<2 { #expect(try hold(500_000, place, of: 1, at: Int64(place)) == nil) }
        for place in 2..<4 { #expect(try hold(500_000, place, of: 2, at: Int64(place)) == nil) }
        // The slowest goes on by a byte now and then.
        #expect(try hold(1, 0, of: 1, at: 50) == nil)
        #expect(try hold(100_000, 4, of: 3, at: 100) == nil)
        #expect(givenUp.withLock { $0 } == [0] && bodies.total == 1_600_000)
        #expect(
            bodies.isGivenUp(ObjectIdentifier(places[0])) && !bodies.complete(ObjectIdentifier(places[0]))
        )
        #expect(try hold(1, 0, of: 1, at: 101) == .unavailable)
        bodies.release(ObjectIdentifier(places[0]))
        #expect(bodies.total == 1_600_000)
        // A body that has come whole waits for the cluster, and stays. A client that would hold more makes nobody leave.
        #expect(bodies.complete(ObjectIdentifier(places[1])) == true)
        #expect(try hold(500_000, 5, of: 4, at: 200) == nil)
        #expect(try hold(90_000, 6, of: 3, at: 201) == nil)
        #expect(givenUp.withLock { $0 } == [0, 2])
        for place in [3, 5] { #expect(bodies.complete(ObjectIdentifier(places[place])) == true) }
        #expect(try hold(600_000, 7, of: 5, at: 300) == .unavailable)
        for place in 1..<8 { bodies.release(ObjectIdentifier(places[place])) }
        #expect(bodies.total == 0)
    }

    /// A client that kept all its bodies moving once had the slower body of everybody else given up.
    @Test func theClientThatHoldsMostMakesRoomFirst() throws {
        let settings = try Stage.settings(
            brokers: "localhost:9092",
            gateway: ["bytes_in_hand: 4MiB", "body_limit: 600000"]
        )
        var bodies = BodiesInHand(settings)
        let places = (0..<6).map { _ in Place() }
        let givenUp = Mutex<[Int]>([])
        func hold(_ count: Int, _ place: Int, of client: Int, at now: Int64) throws -> Answer? {
            bodies.hold(
                count,
                for: ObjectIdentifier(places[place]),
                of: try Self.client(client),
                on: .uploads,
                at: now,
                giveUp: { givenUp.withLock { $0.append(place) } }
            )
        }
        // A slow phone, and a client with three bodies of which each has moved since.
        #expect(try hold(400_000, 0, of: 1, at: 0) == nil)
        for place in 1..<4 { #expect(try hold(349_000, place, of: 2, at: 0) == nil) }
        for place in [1, 3] { #expect(try hold(256, place, of: 2, at: 100) == nil) }
        // Many small parts are progress too.
        for _ in 0..<4 { #expect(try hold(100, 2, of: 2, at: 200) == nil) }
        #expect(try hold(300_000, 4, of: 3, at: 300) == nil)
        #expect(try hold(300_000, 4, of: 3, at: 301) == nil)
        #expect(try hold(100_000, 5, of: 4, at: 302) == nil)
        #expect(givenUp.withLock { $0 == [1] || $0 == [3] })
        for place in 0..<6 { bodies.release(ObjectIdentifier(places[place])) }
        #expect(bodies.total == 0)
    }

    /// 205 requests of one client, each with 500 small reports, once filled the queue of all routes.
    @Test func allRoutesTogetherDoNotFillTheQueueOfTheProducer() throws {
        let settings = try Stage.settings(brokers: "localhost:9092")
        let property = settings.producerProperties["queue.buffering.max.messages"] ?? ""
        let queue = try #require(Int(property))
        let limits = RequestLimits(settings)
        let late = try Self.client(99)
        var held = 0
        for route in Route.allCases {
            for number in 0..<10 {
                let client = try Self.client(number)
                while limits.hold(records: 500, of: client, on: route) == nil { held += 500 }
            }
            #expect(limits.hold(records: 500, of: late, on: route) == .unavailable)
        }
        #expect(held > 0 && held < queue)
    }

    @Test func oneClientCanHaveAQuarterOfTheRecordsOfARoute() throws {
        let limits = try Self.limits()
        let (one, other) = (try Self.client(1), try Self.client(2))
        let quarter = RequestLimits.recordsLimit / 4
        #expect(limits.hold(records: quarter, of: one, on: .pushArrivals) == nil)
        #expect(limits.hold(records: 1, of: one, on: .pushArrivals) == .tooFast(seconds: 1))
        #expect(limits.hold(records: quarter, of: other, on: .pushArrivals) == nil)
        #expect(limits.hold(records: 1, of: one, on: .clicks) == nil)
        #expect(limits.recordsInHand(on: .pushArrivals) == 2 * quarter)
        limits.release(records: quarter, of: one, on: .pushArrivals)
        #expect(limits.hold(records: 1, of: one, on: .pushArrivals) == nil)
    }

    /// Uploads to a topic that was stuck once closed all routes.
    @Test(arguments: [("uploads,push-arrivals", 2), ("uploads", 1)])
    func aRouteLeavesBytesForTheOthers(routes: String, share: Int) throws {
        let limits = try Self.limits(["routes: [\(routes)]", "bytes_in_hand: 8MiB", "body_limit: 2048"])
        for number in 0..<10 {
            let client = try Self.client(number)
            while Self.holds(1_024, of: client, on: .uploads, limits) == nil {}
        }
        #expect(limits.bytesInHand == (8 << 20) / share)
        let other = try Self.client(99)
        #expect(Self.holds(1_024, of: other, on: .uploads, limits) == .unavailable)
        let isOtherRouteOpen = Self.holds(1_024, of: other, on: .pushArrivals, limits) == nil
        #expect(isOtherRouteOpen == (share == 2))
    }

    @Test func aRouteCanHaveOneBodyInAnyCase() throws {
        let limits = try Self.limits(["bytes_in_hand: 1MiB", "body_limit: 900000"])
        let client = try Self.client(1)
        #expect(Self.holds(900_000, of: client, on: .uploads, limits) == nil)
    }

    /// An IPv6 network of 48 bits, which anybody can have, is 256 clients. Together they once took the whole rate.
    @Test func oneSiteCanTakeHalfOfARate() throws {
        let limits = try Self.limits(["rate: 100", "client_rate: 1"])
        func taken(on route: Route, bySites first: String, _ count: Int) throws -> Int {
            try (0..<count).count { number in
                let client = try #require(ClientAddress("\(first):\(String(number << 8, radix: 16))::1"))
                return limits.take(of: client, on: route, at: Self.now) == nil
            }
        }
        #expect(try taken(on: .uploads, bySites: "2001:db8:1", 100) == 50)
        #expect(try taken(on: .pushArrivals, bySites: "2001:db8:1", 100) == 0)
        #expect(try taken(on: .clicks, bySites: "2001:db8:1", 100) == 50)
        #expect(try taken(on: .uploads, bySites: "2001:db8:2", 100) == 50)
    }

    /// One host with 20,000 clicks a second once took all that the ad platform could send.
    @Test func oneClientCanTakeHalfOfTheRateOfClicks() throws {
        let limits = try Self.limits(["rate: 10"])
        for number in 1...2 {
            let client = try Self.client(number)
            for _ in 0..<5 {
                #expect(limits.take(of: client, on: .clicks, at: Self.now) == nil)
                #expect(limits.take(on: .clicks, at: Self.now) == nil)
            }
            #expect(limits.take(of: client, on: .clicks, at: Self.now) == 1)
            #expect(limits.take(of: client, on: .uploads, at: Self.now) == nil)
        }
        #expect(limits.take(on: .clicks, at: Self.now) == 1)
    }
}
