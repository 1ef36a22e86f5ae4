import DeadLetters
import Kafka
import Operations
import Records
import ServiceKit
import Testing
import WireFormats
import WorkerKit

@testable import Fleet

/// Which records of a worker's topics belong to a trace, and what they tell.
struct TraceFilterTests {
    private let reader = LifeReader(
        clusterID: "cluster",
        input: "activation",
        mark: KeyedMark(salt: Secret("a salt for tests"))
    )
    private let original = InboundRecord(
        topic: "activation",
        partition: 1,
        offset: 7,
        timestamp: 1_000,
        key: Array("install-42".utf8),
        value: Array("hello".utf8)
    )

    private func read(_ record: OutboundRecord, offset: Int64 = 0) -> InboundRecord {
        InboundRecord(
            topic: record.topic,
            partition: record.partition ?? 1,
            offset: offset,
            timestamp: 2_000,
            key: record.key,
            value: record.value,
            headers: record.headers
        )
    }

    @Test func readsAnOutcome() throws {
        let value = #"""
            {"outcome":{"id":"activation/1/7","topic":"activation","partition":1,"offset":"7","fate":"rejected",
            "reason":{"code":"gdt.-15","message":"no"},"attempts":2}}
            """#
        let record = OutboundRecord(topic: "activation.result", value: Array(value.utf8))
        let event = try #require(self.reader.event(self.read(record), of: .result))
        #expect(event.subject == RecordPlace("activation/1/7"))
        #expect(event.kind == .outcome(fate: "rejected", reason: "gdt.-15", attempts: 2))
        let other = OutboundRecord(topic: "activation.result", value: Array("{}".utf8))
        #expect(self.reader.event(self.read(other), of: .result) == nil)
    }

    @Test func readsARetryTicket() throws {
        let ticket = RetryTicket(
            of: self.original,
            attempts: 1,
            failures: 1,
            receivedAt: 1_000,
            firstFailedAt: 1_000,
            reason: "http.503",
            due: 61_000,
            notBefore: 61_000,
            from: "activation/1/7"
        )
        let record = ticket.record(of: self.original, to: "activation.retry.1m", partition: 0)
        let event = try #require(self.reader.event(self.read(record), of: .retry))
        #expect(event.subject == RecordPlace("activation/1/7"))
        #expect(event.kind == .retried(reason: "http.503", attempts: 1, due: 61_000))
        #expect(self.reader.event(self.original, of: .retry) == nil)
    }

    @Test func readsAParkingTicketAndItsEnd() throws {
        let place = PartitionMark(clusterID: "cluster", .init(topic: "activation", partition: 1))
        let ticket = ParkingTicket(place: place, offset: 7, key: nil, timestamp: 1_000, room: .lane("112233"))
        let parked = self.read(ticket.record(to: "activation.parked", partition: 1))
        let event = try #require(self.reader.event(parked, of: .parking))
        #expect(event.subject == RecordPlace("activation/1/7"))
        #expect(event.kind == .parked(room: "lane:112233"))
        #expect(event.keyMark == nil)
        let end = self.read(ParkingTicket.end(of: 7, in: "activation.parked", partition: 1))
        #expect(try #require(self.reader.event(end, of: .parking)).kind == .unparked)
        let elsewhere = LifeReader(clusterID: "another", input: "activation", mark: self.reader.mark)
        #expect(elsewhere.event(parked, of: .parking) == nil)
    }

    /// The mark stands for the key, as in the logs and in `dead-letters`.
    @Test func keepsNeitherKeyNorPayload() throws {
        let event = try #require(self.reader.event(self.original, of: .input))
        #expect(event.keyMark == self.reader.mark.text(Array("install-42".utf8)))
        #expect(!"\(event)".contains("install-42"))
        #expect(!"\(event)".contains("hello"))
    }

    private func event(
        _ kind: LifeEvent.Kind,
        _ subject: String?,
        letter: String? = nil,
        origin: String? = nil
    ) -> LifeEvent {
        LifeEvent(
            kind: kind,
            place: RecordPlace(topic: "t", partition: 0, offset: 0),
            subject: subject.flatMap { RecordPlace($0) },
            origin: origin.flatMap { RecordPlace($0) },
            letter: letter,
            keyMark: nil,
            at: 1
        )
    }

    /// The replay is found in the first pass, its outcome in the second: the outcome may lie before it.
    @Test func growsWithTheReplaysOfARecord() {
        let letter = self.event(
            .letter(kind: "rejected", reason: "r", replayable: nil),
            "t/0/1",
            letter: "dl-a"
        )
        let replay = self.event(.replayed(of: "dl-a"), "t/0/9")
        let outcome = self.event(.outcome(fate: "succeeded", reason: nil, attempts: 1), "t/0/9")
        let stranger = self.event(.published, "t/0/2")
        var filter = TraceFilter(TraceSubject("t/0/1"))
        for event in [outcome, replay, letter, stranger] { filter.take(event, key: nil) }
        #expect(filter.events == [letter])
        for event in [outcome, replay, letter, stranger] { filter.take(event, key: nil) }
        #expect(filter.events == [letter, replay])
        let breadth = filter.breadth
        for event in [outcome, replay, letter, stranger] { filter.take(event, key: nil) }
        #expect(filter.events == [letter, replay, outcome])
        #expect(filter.breadth == breadth)
    }

    @Test func findsByKeyByLetterAndByOrigin() {
        var byKey = TraceFilter(TraceSubject("install-42"))
        byKey.take(self.event(.published, "t/0/1"), key: Array("install-42".utf8))
        byKey.take(self.event(.published, "t/0/2"), key: Array("install-43".utf8))
        byKey.take(self.event(.published, "t/0/3"), key: nil)
        #expect(byKey.places == [RecordPlace(topic: "t", partition: 0, offset: 1)])
        let id = "dl-a30105a615f80a14c263230c093106e3"
        var byLetter = TraceFilter(TraceSubject(id))
        byLetter.take(self.event(.published, "t/0/2", letter: "dl-b"), key: nil)
        byLetter.take(self.event(.discarded(by: "ana"), nil, letter: id), key: nil)
        #expect(byLetter.events.count == 1)
        var byPlace = TraceFilter(TraceSubject("t/0/1"))
        byPlace.take(self.event(.published, "t.due/0/5", origin: "t/0/1"), key: nil)
        #expect(byPlace.places.count == 2)
    }

    @Test(arguments: ["install-42", "a/b", "a/b/c", "/0/1", "t/-1/1", "t/0/x", "dl-1"])
    func takesWhatIsNoPlaceForAKey(text: String) { #expect(TraceSubject(text) == .key(Array(text.utf8))) }
}
