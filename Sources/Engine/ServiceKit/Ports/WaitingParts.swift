/// A part in a `BatchQueue`.
struct BatchMember: Sendable {
    /// The caller's number for the part.
    let id: UInt64
    let element: [UInt8]
    /// How often calls for the part's record have failed while others succeeded.
    let failures: Int
}

/// The parts of one key that wait for a request.
///
/// Parts whose records have failed before share smaller requests, and only with one another: an upstream may
/// fail to answer a whole request for the sake of one element, and the others must not fail with it again and
/// again. Each failure makes the number of elements eight times smaller, so that after one or two a record stands
/// alone.
struct WaitingParts: Sendable {
    /// The parts by the most elements of their request, each with its place in the order of arrival.
    private var lines: [Int: Fifo<(member: BatchMember, turn: UInt64)>] = [:]
    private var lastTurn: UInt64 = 0

    var isEmpty: Bool { self.lines.isEmpty }

    /// Takes in a part.
    ///
    /// - Parameter limit: The most elements of a request whose records have not failed.
    mutating func append(_ member: BatchMember, limit: Int) {
        self.lastTurn += 1
        let size = max(1, limit >> (3 * member.failures))
        self.lines[size, default: Fifo()].append((member, self.lastTurn))
    }

    /// Takes out the parts of the next request: the one that has waited longest, with those that may share its
    /// request.
    ///
    /// - Parameters:
    ///   - limit: The most elements.
    ///   - bytesLimit: The most bytes of all elements, with a byte between two of them. A larger element goes
    ///     alone.
    mutating func next(atMost limit: Int, bytesLimit: Int) -> [BatchMember] {
        let oldest = self.lines.min { ($0.value.first?.turn ?? .max) < ($1.value.first?.turn ?? .max) }
        guard let size = oldest?.key, var line = self.lines.removeValue(forKey: size) else { return [] }
        var members: [BatchMember] = []
        var bytes = 0
        while members.count < min(size, limit), let first = line.first {
            bytes += first.member.element.count + 1
            guard members.isEmpty || bytes - 1 <= bytesLimit else { break }
            _ = line.popFirst()
            members.append(first.member)
        }
        if !line.isEmpty { self.lines[size] = line }
        return members
    }

    /// Takes out every part.
    mutating func removeAll() -> [BatchMember] {
        var members: [BatchMember] = []
        while !self.isEmpty { members += self.next(atMost: .max, bytesLimit: .max) }
        return members
    }
}
