import ServiceKit
import Testing
import WorkerKit

/// A `PartitionProgress` without cleverness.
private struct NaiveProgress {
    var position: Int64
    var next: Int64
    var finished: Set<Int64>

    init(position: Int64, finishedBeyond: [Int64]) {
        self.position = position
        self.next = position
        self.finished = Set(finishedBeyond)
    }

    mutating func begin(_ offset: Int64) -> PartitionProgress.Beginning {
        self.finished.formUnion(self.next..<offset)
        self.next = offset + 1
        defer { self.advance() }
        return self.finished.contains(offset) ? .alreadyFinished : .unfinished
    }

    mutating func finish(_ offset: Int64) {
        self.finished.insert(offset)
        self.advance()
    }

    private mutating func advance() {
        while self.position < self.next, self.finished.contains(self.position) { self.position += 1 }
    }

    var beyond: [Int64] { self.finished.filter { $0 >= self.position }.sorted() }
}

struct PartitionProgressTests {
    @Test(arguments: 0..<200)
    func agreesWithSetsWhateverTheOrder(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var progress = PartitionProgress(position: .random(in: 0...100_000, using: &random))
        var naive = NaiveProgress(position: progress.position, finishedBeyond: [])
        var inHand: [Int64] = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let gap: Int64 =
                    .random(in: 0..<8, using: &random) == 0 ? .random(in: 0..<40, using: &random) : 0
                let offset = progress.next + gap
                guard progress.hasRoom(for: offset) else { continue }
                let beginning = progress.begin(offset)
                let expected = naive.begin(offset)
                #expect(beginning == expected, "seed \(seed)")
                if beginning == .unfinished { inHand.append(offset) }
            case 5..<9:
                guard let index = inHand.indices.randomElement(using: &random) else { continue }
                let offset = inHand.remove(at: index)
                progress.finish(offset)
                naive.finish(offset)
            default:
                // A restart: what is unfinished is read again, what is finished beyond is not.
                let metadata = ProgressMetadata(
                    place: .test,
                    position: progress.position,
                    finished: progress.finishedBeyondPosition
                )
                let restored = try ProgressMetadata(metadata.text, at: .test, from: progress.position)
                    .finished
                #expect(restored == naive.beyond, "seed \(seed)")
                progress = PartitionProgress(position: progress.position, finishedBeyond: restored)
                naive = NaiveProgress(position: naive.position, finishedBeyond: restored)
                inHand = []
            }
            #expect(progress.position == naive.position, "seed \(seed)")
            #expect(progress.next == naive.next, "seed \(seed)")
            #expect(progress.unfinishedCount == inHand.count, "seed \(seed)")
        }
        #expect(progress.finishedBeyondPosition == naive.beyond, "seed \(seed)")
    }

    @Test func holdsThePositionBackToTheOldestUnfinished() {
        var progress = PartitionProgress(position: 10)
        for offset: Int64 in 10...13 { _ = progress.begin(offset) }
        progress.finish(12)
        progress.finish(11)
        #expect(progress.position == 10)
        #expect(progress.finishedBeyondPosition == [11, 12])
        progress.finish(10)
        #expect(progress.position == 13)
        #expect(progress.finishedBeyondPosition.isEmpty)
    }

    @Test func hasRoomUpToTheEdgeOfTheWindowAndNotBeyond() {
        var progress = PartitionProgress(position: 5)
        _ = progress.begin(5)
        let last = 5 + Int64(PartitionProgress.window) - 1
        #expect(progress.hasRoom(for: last))
        #expect(!progress.hasRoom(for: last + 1))
        _ = progress.begin(last)
        progress.finish(last)
        #expect(progress.finishedBeyondPosition == Array(6...last))
        progress.finish(5)
        #expect(progress.position == last + 1)
    }

    @Test func aWindowThatIsReusedRemembersNothingOfItsLastRound() {
        var progress = PartitionProgress(position: 0)
        for round: Int64 in 0..<3 {
            let start = round * Int64(PartitionProgress.window)
            for offset in start..<start + Int64(PartitionProgress.window) {
                let beginning = progress.begin(offset)
                #expect(beginning == .unfinished)
            }
            for offset in (start..<start + Int64(PartitionProgress.window)).reversed() {
                progress.finish(offset)
            }
            #expect(progress.position == start + Int64(PartitionProgress.window))
        }
    }

    @Test func aGapThatNothingPrecedesIsSkippedHoweverLong() {
        var progress = PartitionProgress(position: 0)
        _ = progress.begin(1_000_000_000_000)
        #expect(progress.position == 1_000_000_000_000)
        #expect(!progress.hasRoom(for: 2_000_000_000_000))
        progress.finish(1_000_000_000_000)
        #expect(progress.hasRoom(for: 2_000_000_000_000))
    }

    @Test func offsetsWithoutARecordAreCountedOnce() {
        var progress = PartitionProgress(position: 0, finishedBeyond: [4])
        for offset: Int64 in [0, 1, 4] { _ = progress.begin(offset) }
        var counts = [progress.takeAbsent(), progress.takeAbsent()]
        _ = progress.pass(to: 8)
        counts.append(progress.takeAbsent())
        _ = progress.begin(8)
        counts.append(progress.takeAbsent())
        #expect(counts == [2, 0, 3, 0])
    }

    @Test func whatIsRestoredOutsideTheWindowIsIgnored() {
        let outside: [Int64] = [3, 10 + Int64(PartitionProgress.window), .max]
        let progress = PartitionProgress(position: 10, finishedBeyond: outside + [12])
        #expect(progress.finishedBeyondPosition == [12])
        #expect(PartitionProgress(position: .max, finishedBeyond: [.max]).finishedBeyondPosition.isEmpty)
    }

    // MARK: - A position that is held

    @Test func aHeldPositionStaysAndRemembersWhatIsFinished() {
        var progress = PartitionProgress(position: 10, finishedBeyond: [11, 12])
        progress.hold()
        #expect(progress.begin(10) == .unfinished)
        progress.finish(10)
        #expect(progress.begin(11) == .alreadyFinished)
        #expect(progress.position == 10)
        #expect(progress.finishedBeyondPosition == [10, 11, 12])
        #expect(progress.release() == true)
        #expect(progress.position == 12)
        #expect(progress.finishedBeyondPosition == [12])
        #expect(progress.release() == false)
    }

    /// A gap was once skipped although the position was held.
    @Test func aHeldPositionIsMovedByNoGap() {
        var progress = PartitionProgress(position: 10)
        progress.hold()
        let beginning = progress.begin(20)
        #expect(beginning == .unfinished)
        progress.finish(20)
        #expect(progress.position == 10)
        let wasHeld = progress.release()
        #expect(wasHeld)
        #expect(progress.position == 21)
    }
}
