package import Records

/// The position of a record in a distributed trace (W3C Trace Context, level 2). It is carried from the input
/// record to the upstream call, the result and the dead letter.
package struct TraceContext: Hashable, Sendable {
    /// The trace id: 32 lower-case hexadecimal digits, not all zero.
    private let traceDigits: [UInt8]
    /// The id of the calling step: 16 lower-case hexadecimal digits, not all zero.
    private let parentDigits: [UInt8]
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
        self.traceDigits = Array(parent[3..<35])
        self.parentDigits = Array(parent[36..<52])
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
        guard let parent = headers.last(where: { $0.isNamed(Self.parentHeader) })?.value else { return nil }
        self.init(parent: parent, state: headers.last { $0.isNamed(Self.stateHeader) }?.value)
    }

    private init(traceID: [UInt8], parentID: [UInt8], flags: UInt8, state: String?) {
        self.traceDigits = traceID
        self.parentDigits = parentID
        self.flags = flags
        self.state = state
    }

    /// Returns the context of a step within this one.
    ///
    /// - Parameter random: a random number, from which the step's id is made.
    package func child(random: UInt64) -> TraceContext {
        TraceContext(
            traceID: self.traceDigits,
            parentID: Self.digits(of: random),
            flags: self.flags,
            state: self.state
        )
    }

    /// Makes the context of a new trace that is sampled. It stands for no step yet; `child` makes the first.
    ///
    /// - Parameters:
    ///   - traceHigh: the first half of the trace id, a random number.
    ///   - low: the second half, from which `randomness` is taken.
    package init(traceHigh: UInt64, low: UInt64) {
        let id = Self.digits(of: traceHigh) + Self.digits(of: low)
        self.init(traceID: id, parentID: Self.digits(of: low), flags: Self.knownFlags, state: nil)
    }

    /// Returns the 16 digits of an id. An id of all zeros is not allowed, so 0 becomes 1.
    private static func digits(of random: UInt64) -> [UInt8] {
        let id = random == 0 ? 1 : random
        return stride(from: 60, through: 0, by: -4).map { shift in
            let value = UInt8(truncatingIfNeeded: id >> UInt64(shift)) & 0x0F
            return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
    }

    /// The trace id: 32 lower-case hexadecimal digits.
    package var traceID: String { String(decoding: self.traceDigits, as: UTF8.self) }

    /// The id of the calling step: 16 lower-case hexadecimal digits.
    package var parentID: String { String(decoding: self.parentDigits, as: UTF8.self) }

    /// Whether the caller records the trace.
    package var isSampled: Bool { self.flags & 1 == 1 }

    /// The last 56 bits of the trace id, by which OpenTelemetry samples consistently: below `randomnessEnd`.
    package var randomness: UInt64 {
        self.traceDigits[18...].reduce(0) { $0 << 4 | UInt64($1.hexadecimalValue ?? 0) }
    }

    /// The first number that is too large for a randomness.
    package static let randomnessEnd: UInt64 = 1 << 56

    /// The value for the header `traceparent`.
    package var parent: String {
        var text = Array("00-".utf8)
        text += self.traceDigits
        text.append(UInt8(ascii: "-"))
        text += self.parentDigits
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
