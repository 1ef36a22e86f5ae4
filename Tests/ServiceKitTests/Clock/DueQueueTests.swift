import ServiceKit
import Testing

struct DueQueueTests {
    @Test(arguments: 0..<100)
    func givesWhatIsDueInOrderAndNothingEarly(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = DueQueue<Int>()
        var naive: [(due: Int64, element: Int)] = []
        var now: Int64 = 0
        for element in 0..<300 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                now += .random(in: 0..<5, using: &random)
                while let popped = queue.popDue(at: now) {
                    // Stable: the first of those that are due first.
                    let least = naive.map(\.due).min()
                    let index = naive.firstIndex { $0.due == least }
                    let expected = index.map { naive.remove(at: $0).element }
                    #expect(expected == popped, "seed \(seed)")
                    #expect(least.map { $0 <= now } == true, "seed \(seed)")
                }
                #expect(naive.allSatisfy { $0.due > now }, "seed \(seed)")
            default:
                let due = now + .random(in: -2..<20, using: &random)
                queue.add(element, due: due)
                naive.append((due, element))
            }
            if element % 50 == 0 {
                queue.keep { $0 % 3 != 0 }
                naive.removeAll { $0.element % 3 == 0 }
            }
            #expect(queue.count == naive.count)
            #expect(queue.nextDue == naive.map(\.due).min())
        }
    }
}
