import Kafka
import Testing

@testable import ServiceKit
@testable import WorkerKit

struct ParkedRecordsTests {
    private static let place = PartitionMark(clusterID: "c", TopicPartition(topic: "t", partition: 0))
    private static let past = ParkedRecords.Past(receivedAt: 0)

    private static func ticket(_ offset: Int64, _ key: String?, _ room: WaitingRoom = .any) -> ParkingTicket {
        ParkingTicket(
            place: self.place,
            offset: offset,
            key: key.map { KeyMark(Array($0.utf8)) },
            timestamp: 0,
            room: room
        )
    }

    /// The offsets that a whole pass takes in hand.
    private static func pass(
        _ parked: inout ParkedRecords,
        at now: Int64 = 0,
        where mayCome: (ParkedRecords.Record) -> Bool = { _ in true }
    ) -> [Int64] {
        var offsets: [Int64] = []
        parked.beginPass()
        while let next = parked.next(where: { ($1?.due ?? .min) <= now && mayCome($0) }) {
            offsets.append(next.offset)
            parked.takeInHand(next.offset)
            parked.pass(next.offset)
        }
        return offsets
    }

    @Test func comeBackInTheOrderOfTheirOffsets() {
        var parked = ParkedRecords([5, 1, 3].map { Self.ticket($0, nil) })
        #expect(parked.first?.offset == 1)
        #expect(Self.pass(&parked) == [1, 3, 5])
        #expect(parked.count == 3 && parked.rooms.isEmpty)
        for offset in [3, 1, 5] as [Int64] { parked.remove(offset) }
        #expect(parked.isEmpty && parked.first == nil)
    }

    /// A run that reads up to an offset waits for what is parked before it, and for nothing else.
    @Test func tellsWhetherAnythingIsParkedBeforeAnOffset() {
        var parked = ParkedRecords([Self.ticket(3, nil), Self.ticket(7, nil)])
        #expect([3, 4, 8].map { parked.hasAny(before: $0) } == [false, true, true])
        parked.remove(3)
        #expect([3, 4, 7, 8].map { parked.hasAny(before: $0) } == [false, false, false, true])
    }

    /// A record whose room is closed keeps those that come after it, and nobody else.
    @Test func nobodyOvertakesARecordOfItsKey() {
        var parked = ParkedRecords([
            Self.ticket(1, "a", .lane("closed")), Self.ticket(2, "b"), Self.ticket(3, "a"),
            Self.ticket(4, nil),
        ])
        #expect(Self.pass(&parked) { $0.room == .any } == [2, 4])
        #expect(Self.pass(&parked) == [1, 3])
    }

    @Test func aTicketOnItsWayKeepsThoseBehindIt() {
        var parked = ParkedRecords([Self.ticket(3, "a")])
        parked.begin(Self.ticket(1, "a"), Self.past)
        #expect(Self.pass(&parked) == [])
        parked.written(1)
        #expect(Self.pass(&parked) == [1, 3])
    }

    @Test func tellsForWhatAKeyWaits() {
        var parked = ParkedRecords()
        let key = KeyMark(Array("a".utf8))
        #expect(parked.room(of: key) == nil)
        parked.begin(Self.ticket(1, "a", .endpoint("e")), Self.past)
        #expect(parked.room(of: key) == .endpoint("e"))
        parked.written(1)
        #expect(parked.rooms == [.endpoint("e"): 1])
        parked.takeInHand(1)
        #expect(parked.room(of: key) == nil && parked.rooms == [:])
        parked.putBack(1, in: .lane("l"), Self.past)
        #expect(parked.room(of: key) == .lane("l") && parked.rooms == [.lane("l"): 1])
        parked.remove(1)
        #expect(parked.room(of: key) == nil && parked.rooms == [:] && parked.isEmpty)
    }

    @Test func noneComesBeforeItIsDue() {
        var parked = ParkedRecords([Self.ticket(1, "a"), Self.ticket(2, "a"), Self.ticket(3, "b")])
        parked.takeInHand(1)
        parked.putBack(1, in: .any, ParkedRecords.Past(attempts: 2, receivedAt: 0, due: 10))
        #expect(Self.pass(&parked, at: 9) == [3])
        #expect(parked.past(of: 1)?.attempts == 2)
        #expect(Self.pass(&parked, at: 10) == [1, 2])
        #expect(parked.past(of: 1) == nil)
    }

    @Test func whoIsPutBackDuringAPassKeepsThoseBehindIt() {
        var parked = ParkedRecords([Self.ticket(1, "a"), Self.ticket(2, "a")])
        parked.beginPass()
        #expect(parked.next { _, _ in true }?.offset == 1)
        parked.takeInHand(1)
        parked.pass(1)
        parked.putBack(1, in: .any, Self.past)
        #expect(parked.next { _, _ in true } == nil)
        #expect(Self.pass(&parked) == [1, 2])
    }

    /// Its deadline may pass before its next try is due.
    @Test func aWaitOfItsOwnIsForWhoeverAsksToJudge() {
        var parked = ParkedRecords([Self.ticket(1, nil)])
        parked.takeInHand(1)
        parked.putBack(1, in: .any, ParkedRecords.Past(attempts: 2, receivedAt: 0, due: .max))
        parked.beginPass()
        #expect(parked.next { $1?.due != .max } == nil)
        parked.beginPass()
        #expect(parked.next { $1?.due == .max }?.offset == 1)
    }

    /// Probes of an endpoint in doubt: never called for by this worker, each the first of its key, from anywhere.
    @Test func probesAreTheFirstOfTheirKeysAndWereNeverCalled() {
        let room = WaitingRoom.endpoint("main")
        var parked = ParkedRecords(
            [Self.ticket(1, "a", room), Self.ticket(2, "a", room), Self.ticket(3, "b", room)]
                + [Self.ticket(4, nil, room), Self.ticket(5, "c"), Self.ticket(6, "d", room)]
        )
        parked.takeInHand(3)
        parked.putBack(3, in: room, ParkedRecords.Past(attempts: 1, receivedAt: 0))
        var random = SplitMix64(seed: 1)
        func fresh(before end: Int64, atMost count: Int, without key: String? = nil) -> [Int64] {
            let probes = parked.probes(in: room, before: end, at: 0, atMost: count, using: &random) {
                $0 != key.map { KeyMark(Array($0.utf8)) }
            }
            #expect(!probes.haveFailed)
            return probes.offsets
        }
        #expect(fresh(before: 100, atMost: 10) == [1, 4, 6])
        #expect(fresh(before: 6, atMost: 10) == [1, 4])
        #expect(fresh(before: 100, atMost: 10, without: "a") == [4, 6])
        var chosen: Set<Int64> = []
        for _ in 0..<100 {
            let one = fresh(before: 100, atMost: 1)
            #expect(one.count == 1)
            chosen.formUnion(one)
        }
        #expect(chosen == [1, 4, 6])
    }

    /// Sound records that failed at the beginning of an outage once stayed parked behind poison, which took all probes.
    @Test func probesAreThoseThatFailedLeastWhereEachHasFailed() {
        let room = WaitingRoom.endpoint("main")
        var parked = ParkedRecords((1...6).map { Self.ticket($0, "k\($0)", room) })
        for offset in 1...6 as ClosedRange<Int64> {
            let due: Int64 = offset == 3 ? 10 : .min
            parked.takeInHand(offset)
            let past = ParkedRecords.Past(
                attempts: 1,
                receivedAt: 0,
                hasFailed: true,
                failuresAlone: offset > 4 ? 3 : 1,
                due: due
            )
            parked.putBack(offset, in: room, past)
        }
        var random = SplitMix64(seed: 1)
        func probes(at now: Int64) -> ParkedRecords.Probes {
            parked.probes(in: room, before: 100, at: now, atMost: 9, using: &random) { _ in true }
        }
        #expect(probes(at: 0).offsets == [1, 2, 4] && probes(at: 0).haveFailed)
        #expect(probes(at: 10).offsets == [1, 2, 3, 4])
        for offset in 1...4 as ClosedRange<Int64> { parked.takeInHand(offset) }
        #expect(probes(at: 10).offsets == [5, 6])
        for offset in 5...6 as ClosedRange<Int64> { parked.takeInHand(offset) }
        #expect(probes(at: 10).offsets == [] && !probes(at: 10).haveFailed)
    }

    @Test func knowsTheFirstOfAKey() {
        var parked = ParkedRecords([Self.ticket(1, "a"), Self.ticket(2, "a"), Self.ticket(3, nil)])
        #expect([1, 2, 3].map { parked.isFirstOfItsKey($0) } == [true, false, true])
        parked.takeInHand(1)
        #expect(parked.isFirstOfItsKey(2))
        parked.putBack(1, in: .any, Self.past)
        #expect(!parked.isFirstOfItsKey(2))
    }

    /// An outage leaves many behind, and each is looked up by its offset.
    @Test func manyCostNoMoreThanTheirNumber() {
        var parked = ParkedRecords((0..<20_000).map { Self.ticket($0, "k\($0 % 100)") })
        #expect(Self.pass(&parked).count == 20_000)
        for offset in 0..<Int64(20_000) {
            parked.remove(offset)
            #expect(parked[offset] == nil)
        }
        #expect(parked.isEmpty)
        parked.begin(Self.ticket(7, nil), Self.past)
        #expect(parked.count == 1 && parked[7] != nil)
    }
}
