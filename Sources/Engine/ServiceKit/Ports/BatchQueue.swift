package import UpstreamHTTP

/// The parts that wait to be sent and the batches in flight: a state machine without clock or socket.
///
/// A part that finds fewer requests of its key in flight than allowed is sent at once, with everything that
/// waits beside it (`WaitingParts`). So batches are small while the upstream is quick and full while it is not,
/// and no part waits for company.
package struct BatchQueue: Sendable {
    /// A completion of one part.
    package typealias Completion = (id: UInt64, result: Result<HTTPResponse, TransferError>)

    /// A batch that is to be sent.
    package struct Batch: Sendable {
        package let template: any BatchTemplate
        package let elements: [[UInt8]]
    }

    /// A batch in flight.
    private struct Flight {
        let key: String
        let members: [BatchMember]
        /// Whether its parts are sent again if it is refused for the sake of one of them.
        var maySplit = true
        /// Whether its records have failed before while others succeeded.
        var isKnown: Bool { self.members.allSatisfy { $0.failures > 0 } }
    }

    /// The parts of one key.
    private struct Line {
        let template: any BatchTemplate
        var waiting = WaitingParts()
        /// Halves of batches that were refused. Each is sent as it is: joined with others, the part that is at
        /// fault would never stand alone.
        var halves = Fifo<[BatchMember]>()
        var requestsOut = 0
        /// The number of failed requests since the last response, or since the waiting parts went back.
        var failuresInARow = 0
        /// Whether the key stands in `sendable`.
        var isListed = false

        var hasWork: Bool { !self.waiting.isEmpty || !self.halves.isEmpty }
        var maySend: Bool { self.hasWork && self.requestsOut < self.template.requestsLimit }
    }

    private var lines: [String: Line] = [:]
    /// The keys that may send, in the order of their turns.
    private var sendable = Fifo<String>()
    /// The most elements of the next requests of a key.
    private var sizes = BatchSizes()
    private var out: [UInt64: Flight] = [:]
    /// The number of parts that wait or are in flight.
    package private(set) var partCount = 0
    /// The bytes of these parts.
    package private(set) var bytes = 0

    package init() {}

    /// The number of batches in flight.
    package var batchesOut: Int { self.out.count }
    /// Whether `next` may return a batch.
    package var canSend: Bool { !self.sendable.isEmpty }

    /// Takes in a part.
    ///
    /// - Parameters:
    ///   - id: the caller's number for the part, different from those of all others in hand.
    ///   - failures: how often calls for the part's record have failed while others succeeded.
    package mutating func add(_ part: BatchPart, id: UInt64, failures: Int = 0) {
        let key = part.template.key
        self.partCount += 1
        self.bytes += part.element.count
        self.lines[key, default: Line(template: part.template)].waiting.append(
            BatchMember(id: id, element: part.element, failures: failures),
            limit: part.template.elementsLimit
        )
        self.list(key)
    }

    /// Takes the next batch out to be sent; nil if none may be, although `canSend` was true.
    ///
    /// - Parameter id: the number under which the batch's result will come.
    package mutating func next(as id: UInt64) -> Batch? {
        guard let key = self.nextKey(), var line = self.lines.removeValue(forKey: key) else { return nil }
        line.isListed = false
        line.requestsOut += 1
        let members =
            line.halves.popFirst()
            ?? line.waiting.next(
                atMost: min(line.template.elementsLimit, self.sizes[key]),
                bytesLimit: line.template.bytesLimit
            )
        self.out[id] = Flight(key: key, members: members)
        self.lines[key] = line
        self.list(key)
        return Batch(template: line.template, elements: members.map(\.element))
    }

    /// Takes the key whose turn it is. Keys whose parts have ended meanwhile lose their turn.
    private mutating func nextKey() -> String? {
        while let key = self.sendable.popFirst() {
            if self.lines[key]?.maySend == true { return key }
            self.lines[key]?.isListed = false
        }
        return nil
    }

    /// Notes the result of a batch.
    ///
    /// - Returns: The completions of parts that follow from it.
    package mutating func completed(
        _ id: UInt64,
        _ result: Result<HTTPResponse, TransferError>
    ) -> [Completion] {
        guard let flight = self.out.removeValue(forKey: id),
            var line = self.lines.removeValue(forKey: flight.key)
        else { return [] }
        let key = flight.key
        line.requestsOut -= 1
        let completions = self.completions(of: flight, result, in: &line)
        self.partCount -= completions.count
        if line.hasWork || line.requestsOut > 0 {
            self.lines[key] = line
            self.list(key)
        }
        return completions
    }

    /// Takes out every part that is not in flight, and sees to it that those in flight are not sent again.
    ///
    /// - Returns: The completions of these parts, as calls that were not sent.
    package mutating func dropUnsent() -> [Completion] {
        let error = TransferError(
            kind: .other,
            mayHaveBeenSent: false,
            wasTried: false,
            message: "not sent, because the record is no longer in hand"
        )
        var completions: [Completion] = []
        for key in self.lines.keys {
            guard var line = self.lines.removeValue(forKey: key) else { continue }
            completions += self.end(Self.empty(&line), with: .failure(error))
            line.isListed = false
            if line.requestsOut > 0 { self.lines[key] = line }
        }
        for id in self.out.keys { self.out[id]?.maySplit = false }
        self.sendable = Fifo()
        self.partCount -= completions.count
        return completions
    }

    private mutating func completions(
        of flight: Flight,
        _ result: Result<HTTPResponse, TransferError>,
        in line: inout Line
    ) -> [Completion] {
        let members = flight.members
        switch result {
        // Every other request of the key would be found as unready, and no element is to blame.
        case .failure(let error) where error.isNotReady:
            return self.end(members + Self.empty(&line), with: result)
        case .success(let response):
            line.failuresInARow = 0
            let scope = line.template.scope(of: response)
            if scope == .failed {
                self.sizes.failed(flight.key, with: members.count, isKnown: flight.isKnown)
            } else {
                self.sizes.answered(flight.key, to: members.count, limit: line.template.elementsLimit)
            }
            switch scope {
            case .somePart where members.count > 1 && flight.maySplit:
                let middle = members.count / 2
                line.halves.append(Array(members[..<middle]))
                line.halves.append(Array(members[middle...]))
                return []
            case .request, .failed, .somePart: return self.end(members, with: result)
            case .key: return self.end(members + Self.empty(&line), with: result)
            }
        case .failure(let error):
            line.failuresInARow += 1
            self.sizes.failed(flight.key, with: members.count, isKnown: flight.isKnown)
            let ended = self.end(members, with: result)
            // If as many requests in a row failed as may be in flight, the parts that wait might only take their
            // turn to fail in the same way, each after its own timeout. So they go back, and whoever made them asks
            // again whether the upstream may be called.
            guard line.failuresInARow >= line.template.requestsLimit else { return ended }
            line.failuresInARow = 0
            let unsent = TransferError(
                kind: error.kind,
                mayHaveBeenSent: false,
                wasTried: false,
                message: "not sent, because the requests before it failed"
            )
            return ended + self.end(Self.empty(&line), with: .failure(unsent))
        }
    }

    private mutating func end(
        _ members: [BatchMember],
        with result: Result<HTTPResponse, TransferError>
    ) -> [Completion] {
        members.map { member in
            self.bytes -= member.element.count
            return (member.id, result)
        }
    }

    private static func empty(_ line: inout Line) -> [BatchMember] {
        var members: [BatchMember] = []
        while let half = line.halves.popFirst() { members += half }
        return members + line.waiting.removeAll()
    }

    private mutating func list(_ key: String) {
        guard let line = self.lines[key], line.maySend, !line.isListed else { return }
        self.lines[key]?.isListed = true
        self.sendable.append(key)
    }
}
