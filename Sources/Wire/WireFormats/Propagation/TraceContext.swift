package import Records

/// The position of a record in a distributed trace (W3C Trace Context, level 2). It is carried from the input
/// record to the upstream call, the result and the dead letter.
package struct TraceContext: Hashable, Sendable {
    /// The trace id: 32 lower-case hexadecimal digits, not all zero.
    private let traceID: [UInt8]
    /// The id of the calling step: 16 lower-case hexadecimal digits, not all zero.
    private let parentID: [UInt8]
    private let flags: UInt8
    /// The value of `tracestate`, to which vendors add their entries; it is passed on untouched.
    package let state: String?

    /// The header of the trace id and the parent id, in records and in HTTP requests.
    package static let parentHeader = "traceparent"
    /// The header of the vendors' entries, in records and in HTTP requests.
    package static let stateHeader = "tracestate"

    /// The most bytes of a `tracestate`. A longer one is dropped as a whole, as the standard allows, because
    /// a part of it would mean something else.
    package static let stateBytesLimit = 512

    /// The two flags that are passed on: sampled, and random trace id.
    private static let knownFlags: UInt8 = 0b11

    /// Reads the headers' values. Nil if `traceparent` is not valid; `tracestate` has no meaning then either.
    /// A later version is read as far as version 00 defines it.
    package init?(parent: [UInt8], state: [UInt8]? = nil) {
        guard parent.count >= 55,
            [2, 35, 52].allSatisfy({ parent[$0] == UInt8(ascii: "-") }),
            [0..<2, 3..<35, 36..<52, 53..<55].allSatisfy({ parent[$0].allSatisfy(\.isLowercaseHexadecimal) }),
            parent[0..<2] != Array("ff".utf8)[...],
            parent.count == 55 || (parent[0..<2] != Array("00".utf8)[...] && parent[55] == UInt8(ascii: "-")),
            parent[3..<35].contains(where: { $0 != UInt8(ascii: "0") }),
            parent[36..<52].contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        self.traceID = Array(parent[3..<35])
        self.parentID = Array(parent[36..<52])
        let flags = parent[53..<55].reduce(0) { $0 << 4 | ($1.hexadecimalValue ?? 0) }
        self.flags = flags & Self.knownFlags
        self.state = state.flatMap { state in
            guard !state.isEmpty, state.count <= Self.stateBytesLimit,
                state.allSatisfy({ $0.isVisible || $0 == 0x20 || $0 == 0x09 })
            else { return nil }
            return String(decoding: state, as: UTF8.self)
        }
    }

    /// Reads the context of a record from its headers.
    package init?(_ headers: [RecordHeader]) {
        guard let parent = headers.last(where: { $0.name == Self.parentHeader })?.value else { return nil }
        self.init(parent: parent, state: headers.last { $0.name == Self.stateHeader }?.value)
    }

    private init(traceID: [UInt8], parentID: [UInt8], flags: UInt8, state: String?) {
        self.traceID = traceID
        self.parentID = parentID
        self.flags = flags
        self.state = state
    }

    /// Returns the context of a step within this one.
    ///
    /// - Parameter random: a random number, from which the step's id is made.
    package func child(random: UInt64) -> TraceContext {
        // An id of all zeros is not allowed.
        let id = random == 0 ? 1 : random
        let digits = stride(from: 60, through: 0, by: -4).map { shift in
            let value = UInt8(truncatingIfNeeded: id >> UInt64(shift)) & 0x0F
            return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        return TraceContext(traceID: self.traceID, parentID: digits, flags: self.flags, state: self.state)
    }

    /// The value for the header `traceparent`.
    package var parent: String {
        var text = Array("00-".utf8)
        text += self.traceID
        text.append(UInt8(ascii: "-"))
        text += self.parentID
        text += "-0".utf8
        text.append(UInt8(ascii: "0") + self.flags)
        return String(decoding: text, as: UTF8.self)
    }

    /// The headers that carry the context on.
    package var headers: [RecordHeader] {
        [RecordHeader(Self.parentHeader, self.parent)]
            + (self.state.map { [RecordHeader(Self.stateHeader, $0)] } ?? [])
    }
}
