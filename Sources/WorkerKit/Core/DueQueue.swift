/// Things that are to happen at a time, earliest first; a binary heap.
package struct DueQueue<Element> {
    private var heap: [(due: Int64, order: UInt64, element: Element)] = []
    private var lastOrder: UInt64 = 0

    package init() {}

    package var count: Int { self.heap.count }

    /// When the earliest is due.
    package var nextDue: Int64? { self.heap.first?.due }

    package mutating func add(_ element: Element, due: Int64) {
        self.lastOrder += 1
        self.heap.append((due, self.lastOrder, element))
        var child = self.heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard self.precedes(child, parent) else { return }
            self.heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest out if it is due, never a moment early. Equal times come out in the order they went in.
    package mutating func popDue(at now: Int64) -> Element? {
        guard let first = self.heap.first, first.due <= now else { return nil }
        self.heap.swapAt(0, self.heap.count - 1)
        self.heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < self.heap.count {
                if self.precedes(child, least) { least = child }
            }
            guard least != parent else { return first.element }
            self.heap.swapAt(parent, least)
            parent = least
        }
    }

    /// In no order, with the time at which each is due.
    package var elements: [(element: Element, due: Int64)] { self.heap.map { ($0.element, $0.due) } }

    /// Leaves out what is not wanted any more.
    package mutating func keep(where isWanted: (Element) -> Bool) {
        // A sorted array is a heap.
        self.heap = self.heap.filter { isWanted($0.element) }.sorted {
            ($0.due, $0.order) < ($1.due, $1.order)
        }
    }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (self.heap[left], self.heap[right])
        return (left.due, left.order) < (right.due, right.order)
    }
}

extension DueQueue: Sendable where Element: Sendable {}
