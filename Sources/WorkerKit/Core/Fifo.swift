/// A queue in the order of arrival: constant time at both ends, no allocation once it has grown.
package struct Fifo<Element: Sendable>: Sendable {
    private var ring: [Element?] = []
    private var head = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { self.count == 0 }

    package mutating func append(_ element: Element) {
        if self.count == self.ring.count { self.grow() }
        self.ring[(self.head + self.count) % self.ring.count] = element
        self.count += 1
    }

    package mutating func popFirst() -> Element? {
        guard self.count > 0 else { return nil }
        let element = self.ring[self.head]
        self.ring[self.head] = nil
        self.head = (self.head + 1) % self.ring.count
        self.count -= 1
        return element
    }

    package var first: Element? { self.count > 0 ? self.ring[self.head] : nil }

    private mutating func grow() {
        var grown: [Element?] = []
        grown.reserveCapacity(max(16, self.count * 2))
        for index in 0..<self.count { grown.append(self.ring[(self.head + index) % self.ring.count]) }
        for _ in self.count..<max(16, self.count * 2) { grown.append(nil) }
        self.ring = grown
        self.head = 0
    }
}
