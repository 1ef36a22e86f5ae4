import ServiceKit
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
            while limits.hold(bytes: 1_024, of: client, on: .uploads) == nil {}
        }
        #expect(limits.bytesInHand == (8 << 20) / share)
        let other = try Self.client(99)
        #expect(limits.hold(bytes: 1_024, of: other, on: .uploads) == .unavailable)
        let isOtherRouteOpen = limits.hold(bytes: 1_024, of: other, on: .pushArrivals) == nil
        #expect(isOtherRouteOpen == (share == 2))
    }

    @Test func aRouteCanHaveOneBodyInAnyCase() throws {
        let limits = try Self.limits(["bytes_in_hand: 1MiB", "body_limit: 900000"])
        let client = try Self.client(1)
        #expect(limits.hold(bytes: 900_000, of: client, on: .uploads) == nil)
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
