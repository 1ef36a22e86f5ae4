import Testing

@testable import WorkerKit

struct UnparkedShareTests {
    private var share = UnparkedShare(recordsLimit: 400, bytesLimit: 4_000)
    private let key = KeyMark(Array("key".utf8))

    @Test mutating func aQuarterOfWhatIsInHandMayBeRecordsThatCameBack() {
        #expect(self.share.room == 100)
        for _ in 0..<100 { self.share.cameBack(nil, bytes: 1) }
        #expect(self.share.isFull)
        #expect(self.share.room == 0)
        self.share.left(nil, bytes: 1)
        #expect(self.share.room == 1)
    }

    /// The size of a parked record is not known before the read, so that of the last ones is assumed.
    @Test mutating func theRoomFollowsFromTheSizeOfTheLastRecords() {
        self.share.read(largest: 300)
        #expect(self.share.room == 4)
        self.share.cameBack(nil, bytes: 999)
        #expect(self.share.room == 1)
        self.share.cameBack(nil, bytes: 1)
        #expect(self.share.isFull)
        #expect(self.share.room == 0)
    }

    @Test mutating func oneKeyDoesNotFillTheShare() {
        for _ in 0..<64 {
            #expect(self.share.hasRoom(for: self.key))
            self.share.cameBack(self.key, bytes: 1)
        }
        #expect(!self.share.hasRoom(for: self.key))
        #expect(self.share.hasRoom(for: KeyMark(Array("another".utf8))))
        for _ in 0..<64 { self.share.left(self.key, bytes: 1) }
        #expect(!self.share.has(self.key))
        #expect(self.share.isEmpty)
    }

    /// Records that fail each time they come back are the oldest, and once left no room for the others.
    @Test mutating func recordsThatAreProbablyAtFaultTakeHalfOfIt() {
        for _ in 0..<50 {
            #expect(self.share.hasRoomForFaulty)
            self.share.cameBack(nil, bytes: 1, isFaulty: true)
        }
        #expect(!self.share.hasRoomForFaulty && self.share.room == 50)
        self.share.left(nil, bytes: 1, isFaulty: true)
        self.share.cameBack(nil, bytes: 1)
        #expect(self.share.hasRoomForFaulty)
        self.share.cameBack(nil, bytes: 451, isFaulty: true)
        #expect(!self.share.hasRoomForFaulty)
        self.share.removeAll()
        #expect(self.share.hasRoomForFaulty && self.share.isEmpty)
    }

    @Test mutating func theQueuesShareAQuarterOfIt() {
        #expect(self.share.followers(ofEach: 5) == 5)
        self.share.read(largest: 50)
        #expect(self.share.followers(ofEach: 5) == 1)
    }
}
