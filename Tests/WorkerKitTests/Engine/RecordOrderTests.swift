import ServiceKit
import Testing

@testable import WorkerKit

struct RecordOrderTests {
    private var order = RecordOrder(.init())

    private func id(_ index: Int) -> EntryID { EntryID(index: index, generation: 1) }

    private func key(_ name: UInt8) -> OrderingKey { OrderingKey(partition: 0, key: [name]) }

    /// Queues as plain lists, of which the first element is worked on.
    @Test(arguments: 0..<50) mutating func behavesLikeAListForEachKey(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var lists: [OrderingKey: [EntryID]] = [:]
        for index in 0..<400 {
            let key = self.key(UInt8.random(in: 0..<4, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let place = self.order.enqueue(self.id(index), in: key, at: 0)
                if case .letLoose = place { Issue.record("no key is bypassed without a threshold") }
                lists[key, default: []].append(self.id(index))
                let isFirst = if case .first = place { true } else { false }
                #expect(isFirst == (lists[key]?.count == 1), "seed \(seed)")
            case 2, 3:
                guard let first = lists[key]?.first else { continue }
                lists[key]?.removeFirst()
                #expect(self.order.release(first, in: key) == lists[key]?.first, "seed \(seed)")
            default:
                guard let first = lists[key]?.first else { continue }
                let kept = Int.random(in: 0..<4, using: &random)
                let expected = Array(lists[key]?.dropFirst(1 + kept) ?? [])
                #expect(self.order.cut(behind: first, in: key, keeping: kept) == expected, "seed \(seed)")
                lists[key]?.removeLast(expected.count)
            }
        }
        let crowded = lists.values.filter { $0.count > 1 }.compactMap(\.first)
        #expect(self.order.crowdedFirsts == crowded.sorted { $0.index < $1.index }, "seed \(seed)")
        for (key, list) in lists {
            for (index, id) in list.enumerated() {
                #expect(self.order.release(id, in: key) == list.dropFirst(index + 1).first)
            }
        }
        #expect(self.order.isEmpty)
    }

    @Test mutating func aRecordThatIsNotTheFirstReleasesNobody() {
        let key = self.key(1)
        for index in 0..<3 { _ = self.order.enqueue(self.id(index), in: key, at: 0) }
        #expect(self.order.release(self.id(1), in: key) == nil)
        #expect(self.order.cut(behind: self.id(1), in: key, keeping: 0) == [])
        #expect(self.order.release(self.id(0), in: key) == self.id(1))
        // Settled once more, for example after its transaction was aborted and repeated.
        #expect(self.order.release(self.id(0), in: key) == nil)
        #expect(self.order.release(self.id(1), in: key) == self.id(2))
    }

    @Test mutating func aQueueThatIsTooLongIsLetLoose() {
        self.order = RecordOrder(.init(threshold: 2))
        let key = self.key(1)
        for index in 0..<3 { _ = self.order.enqueue(self.id(index), in: key, at: 0) }
        guard case .letLoose(let records) = self.order.enqueue(self.id(3), in: key, at: 0) else {
            Issue.record("the order is still on")
            return
        }
        #expect(records == [1, 2, 3].map(self.id) && self.order.isEmpty)
        guard case .first = self.order.enqueue(self.id(4), in: key, at: 1) else {
            Issue.record("the order is on again")
            return
        }
        #expect(self.order.isEmpty)
    }
}
