import Records

@testable import WireFormats

extension FuzzTarget {
    /// A line of `traceparent`, and a `tracestate` after it.
    static let traceContext = FuzzTarget(
        "trace-context",
        longestInput: 640,
        words: [
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "01-", "ff-", "-00",
            "-0000000000000000-",
            "congo=t61rcWkgMzE",
        ]
    ) { input in
        var reader = InputReader(input)
        let parent = reader.line()
        let state = reader.remainder()
        let context = TraceContext(parent: parent, state: state)
        try claim("what is valid is read, and nothing else", (context != nil) == TraceClaims.isValid(parent))
        guard let context else { return }

        let written = Array(context.parent.utf8)
        try claim("what is written is valid", TraceClaims.isValid(written) && written.count == 55)
        let again = TraceContext(parent: written, state: context.state.map { Array($0.utf8) })
        try claim("what is written is read as the same", again == context)
        try claim("the trace is the same", written[3..<35] == parent[3..<35])

        let child = context.child(random: UInt64(state.count))
        try claim("a step has an id of its own", TraceClaims.isValid(Array(child.parent.utf8)))
        try claim("a step stays in its trace", child.parent.utf8.prefix(35).elementsEqual(written[..<35]))
        for header in context.headers {
            let value = header.value ?? []
            try claim("a header is short", value.count <= TraceContext.stateBytesLimit)
            try claim(
                "a header can be sent",
                value.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) }
            )
        }
    }
}

private enum TraceClaims {
    /// As the standard has it: version, trace, parent and flags, joined by hyphens; later versions may go on.
    static func isValid(_ parent: [UInt8]) -> Bool {
        let parts = parent.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, parts.prefix(4).map(\.count) == [2, 32, 16, 2],
            parts.prefix(4).joined().allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { return false }
        let (version, trace, span) = (parts[0], parts[1], parts[2])
        let isZero = [trace, span].contains { $0.allSatisfy { $0 == UInt8(ascii: "0") } }
        return !isZero && !version.elementsEqual("ff".utf8)
            && (parts.count == 4 || !version.elementsEqual("00".utf8))
    }
}
