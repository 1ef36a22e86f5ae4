/// Elements that are due at a time, the earliest first; a binary heap.
///
/// Its functions are public, although nobody outside of this package uses them: Swift 6.3 keeps the body of a
/// function with `package` access to its module, and a module without the bodies calls them with the type of the
/// element as an argument. That took a quarter of a simulated storm.
public struct DueQueue<Element> {
    @usableFromInline var heap: [(due: Int64, order: UInt64, element: Element)] = []
    @usableFromInline var lastOrder: UInt64 = 0

    @inlinable public init() {}

    @inlinable public var count: Int { self.heap.count }

    /// The time at which the earliest element is due; nil if the queue is empty.
    @inlinable public var nextDue: Int64? { self.heap.first?.due }

    /// Adds an element that is due at this time.
    @inlinable public mutating func add(_ element: Element, due: Int64) {
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

    /// Removes and returns the earliest element if it is due, never before its time. Elements that are due at
    /// the same time come out in the order in which they were added.
    @inlinable public mutating func popDue(at now: Int64) -> Element? {
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

    /// The elements in no particular order, each with the time at which it is due.
    @inlinable public var elements: [(element: Element, due: Int64)] {
        self.heap.map { ($0.element, $0.due) }
    }

    /// Removes the elements that are not wanted any more.
    @inlinable public mutating func keep(where isWanted: (Element) -> Bool) {
        // A sorted array is a heap.
        self.heap = self.heap.filter { isWanted($0.element) }.sorted {
            ($0.due, $0.order) < ($1.due, $1.order)
        }
    }

    @inlinable func precedes(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (self.heap[left], self.heap[right])
        return (left.due, left.order) < (right.due, right.order)
    }
}

extension DueQueue: Sendable where Element: Sendable {}
