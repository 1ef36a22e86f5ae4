/// A queue in the order of arrival: constant time at both ends, no allocation once it has grown.
/// Its functions can be inlined, as those of `DueQueue`.
public struct Fifo<Element: Sendable>: Sendable {
    /// The elements in a ring, whose size is a power of two.
    @usableFromInline var ring: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline var filled = 0

    @inlinable public init() {}

    @inlinable public var count: Int { self.filled }

    @inlinable public var isEmpty: Bool { self.count == 0 }

    /// Adds an element at the end.
    @inlinable public mutating func append(_ element: Element) {
        if self.count == self.ring.count { self.grow() }
        self.ring[(self.head + self.count) & (self.ring.count - 1)] = element
        self.filled += 1
    }

    /// Removes and returns the oldest element; nil if there is none.
    @inlinable public mutating func popFirst() -> Element? {
        guard self.count > 0 else { return nil }
        let element = self.ring[self.head]
        self.ring[self.head] = nil
        self.head = (self.head + 1) & (self.ring.count - 1)
        self.filled -= 1
        return element
    }

    /// Removes and returns the newest element; nil if there is none.
    @inlinable public mutating func popLast() -> Element? {
        guard self.count > 0 else { return nil }
        let place = (self.head + self.count - 1) & (self.ring.count - 1)
        let element = self.ring[place]
        self.ring[place] = nil
        self.filled -= 1
        return element
    }

    /// Removes and returns a random element. The oldest element moves to its place.
    @inlinable public mutating func popAny(using random: inout some RandomNumberGenerator) -> Element? {
        guard self.count > 1 else { return self.popFirst() }
        let place = (self.head + .random(in: 0..<self.count, using: &random)) & (self.ring.count - 1)
        self.ring.swapAt(self.head, place)
        return self.popFirst()
    }

    /// The oldest element; nil if there is none.
    @inlinable public var first: Element? { self.count > 0 ? self.ring[self.head] : nil }

    /// The elements from the oldest to the newest.
    @inlinable public var elements: [Element] {
        (0..<self.count).compactMap { self.ring[(self.head + $0) & (self.ring.count - 1)] }
    }

    /// Removes the elements that are not wanted any more, and keeps the order of the rest.
    @inlinable public mutating func keep(where isWanted: (Element) -> Bool) {
        for _ in 0..<self.count {
            guard let element = self.popFirst() else { return }
            if isWanted(element) { self.append(element) }
        }
    }

    @inlinable mutating func grow() {
        var grown: [Element?] = []
        grown.reserveCapacity(max(16, self.count * 2))
        for index in 0..<self.count { grown.append(self.ring[(self.head + index) & (self.ring.count - 1)]) }
        for _ in self.count..<max(16, self.count * 2) { grown.append(nil) }
        self.ring = grown
        self.head = 0
    }
}
