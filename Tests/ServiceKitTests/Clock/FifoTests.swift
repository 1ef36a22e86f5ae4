import ServiceKit
import Testing

struct FifoTests {
    @Test(arguments: 0..<50)
    func givesBackInTheOrderOfArrival(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var queue = Fifo<Int>()
        var naive: [Int] = []
        for element in 0..<500 {
            if .random(in: 0..<5, using: &random) < 3 {
                queue.append(element)
                naive.append(element)
            } else {
                let (popped, expected) = (queue.popFirst(), naive.isEmpty ? nil : naive.removeFirst())
                #expect(popped == expected)
            }
            if element % 100 == 99 {
                queue.keep { $0 % 2 == 0 }
                naive.removeAll { $0 % 2 != 0 }
            }
            #expect(queue.count == naive.count)
            #expect(queue.first == naive.first)
            #expect(queue.isEmpty == naive.isEmpty)
        }
    }
}
