import Testing
import WorkerKit

struct HeadOfLineTests {
    private static let window = Int64(PartitionProgress.window)

    /// A partition in which so many offsets were taken up and the first few are unfinished.
    private static func progress(from start: Int64, used: Int64, unfinished: Int64) -> PartitionProgress {
        var progress = PartitionProgress(position: start)
        for offset in start..<start + used { _ = progress.begin(offset) }
        for offset in start + unfinished..<start + used { progress.finish(offset) }
        return progress
    }

    @Test func namesTheRecordThatTheOthersWaitFor() throws {
        let head = try #require(HeadOfLine(of: Self.progress(from: 5_000, used: 16_000, unfinished: 1)))
        #expect(head.offset == 5_000)
        #expect(head.used == 16_000)
        #expect(head.finished == 15_999)
    }

    @Test(arguments: [
        // 90 % of 16,384 is 14,745.6, and 98 % of what is in use is asked for on top.
        (14_745, 1, false), (14_746, 1, true), (14_746, 294, true), (14_746, 295, false),
        (16_384, 327, true), (16_384, 328, false), (100, 1, false), (0, 0, false),
    ])
    func drawsTheLineWhereTheSharesSay(used: Int64, unfinished: Int64, isHeld: Bool) {
        let progress = Self.progress(from: 123, used: used, unfinished: unfinished)
        #expect((HeadOfLine(of: progress) != nil) == isHeld)
    }

    @Test func aWindowThatIsDoneIsHeldUpByNobody() {
        #expect(HeadOfLine(of: Self.progress(from: 0, used: Self.window, unfinished: 0)) == nil)
    }

    @Test func whatAnEarlierOwnerFinishedFurtherOnDoesNotCount() {
        var progress = PartitionProgress(position: 0, finishedBeyond: Array(1..<Self.window))
        _ = progress.begin(0)
        #expect(progress.inHandCount == 1)
        #expect(progress.finishedCount == 0)
        #expect(HeadOfLine(of: progress) == nil)
    }

    @Test(arguments: [1, 90, 16_000])
    func theFarEndOfTheWindowIsNotTakenForItsBeginning(used: Int64) {
        // The last offset of the window has its bit beside that of the first.
        var progress = PartitionProgress(position: 10, finishedBeyond: [10 + Self.window - 1])
        for offset in 10..<10 + used { _ = progress.begin(offset) }
        #expect(progress.finishedCount == 0)
        #expect(progress.unfinishedCount == Int(used))
    }
}
