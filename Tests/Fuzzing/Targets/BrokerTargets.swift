import NIOCore

@testable import EmbeddedBroker

extension FuzzTarget {
    /// How many bytes arrive at a time, and what a client sends on its connection.
    static let brokerConnection = FuzzTarget(
        "broker-connection",
        longestInput: 1_024,
        words: ["\0\0\0\u{E}\0\u{12}\0\0\0\0\0\u{1}\0\u{4}test", "\0\0\0\u{A}\0\u{3}\0\u{1}\0\0\0\u{2}"]
    ) { input in
        let bytes = Array(input.dropFirst())
        let bench = try BrokerBench()
        defer { bench.tearDown() }
        try bench.send(bytes, piece: Int(input.first ?? 0))
        try BrokerClaims.check(bench, asked: BrokerClaims.requests(in: bytes))
    }

    /// Requests with a right header, in the order in which they come: which one, its version, the length of the body,
    /// the body.
    static let brokerRequests = FuzzTarget(
        "broker-requests",
        longestInput: 1_024,
        words: [
            "\0\u{1}t", "\0\u{1}g", "\0\u{2}id", "\0\u{6}MEMBER", "\0\0\0\u{1}", "\0\0\u{27}\u{10}",
            "\0\u{5}range",
            "\0\u{8}consumer", "\0\0\0\0\0\0\0\u{1}\0\0",
        ]
    ) { input in
        var rest = input[...]
        let bench = try BrokerBench()
        defer { bench.tearDown() }
        var asked: [BrokerClaims.Request] = []
        while asked.count < 8, let request = BrokerClaims.nextRequest(from: &rest, number: asked.count) {
            asked.append(request)
            try bench.send(bench.frame(of: request), piece: 0)
        }
        try BrokerClaims.check(bench, asked: asked)
    }
}

enum BrokerClaims {
    struct Request {
        var api: Int16
        var version: Int16
        var correlation: Int32
        var body: ArraySlice<UInt8> = []
    }

    /// The next one of several that an input holds.
    static func nextRequest(from rest: inout ArraySlice<UInt8>, number: Int) -> Request? {
        guard rest.count >= 3 else { return nil }
        let numbers = Array(rest.prefix(3))
        let body = rest.dropFirst(3).prefix(Int(numbers[2]))
        rest = rest[body.endIndex...]
        let api = API.allCases[Int(numbers[0]) % API.allCases.count]
        let versions = api.versions
        let version = versions.upperBound - Int16(numbers[1]) % Int16(versions.count)
        return Request(api: api.rawValue, version: version, correlation: Int32(number), body: body)
    }

    /// The requests on a connection, frame by frame, up to a frame that is cut off or too short to be a
    /// request.
    static func requests(in bytes: [UInt8]) -> [Request] {
        var rest = bytes[...]
        var found: [Request] = []
        while let length = self.number(rest, at: 0, bytes: 4), rest.count - 4 >= length {
            let frame = rest.dropFirst(4).prefix(Int(length))
            guard let api = self.number(frame, at: 0, bytes: 2),
                let version = self.number(frame, at: 2, bytes: 2),
                let correlation = self.number(frame, at: 4, bytes: 4)
            else { break }
            found.append(
                Request(
                    api: Int16(truncatingIfNeeded: api),
                    version: Int16(truncatingIfNeeded: version),
                    correlation: Int32(truncatingIfNeeded: correlation)
                )
            )
            rest = rest.dropFirst(4 + Int(length))
        }
        return found
    }

    private static func number(_ bytes: ArraySlice<UInt8>, at place: Int, bytes count: Int) -> Int64? {
        let digits = bytes.dropFirst(place).prefix(count)
        return digits.count == count ? digits.reduce(0) { $0 << 8 | Int64($1) } : nil
    }

    /// Looks at what has been answered, once every wait is over.
    static func check(_ bench: BrokerBench, asked: [Request]) throws {
        bench.pass(.hours(2))
        var open = asked[...]
        for answer in try bench.answers() {
            let correlation = self.number(answer[...], at: 4, bytes: 4).map { Int32(truncatingIfNeeded: $0) }
            // A producer may want no answer.
            while let first = open.first, first.correlation != correlation, first.api == API.produce.rawValue
            {
                open.removeFirst()
            }
            let request = try Objection.unless(open.popFirst(), "nobody is answered who did not ask")
            try claim("answers come in the order of the requests", request.correlation == correlation)
            try claim(
                "an answer is as long as it says",
                self.number(answer[...], at: 0, bytes: 4) == Int64(answer.count) - 4
            )
            try AnswerShape.check(answer, of: request)
        }
        let isOwed = open.contains { $0.api != API.produce.rawValue }
        try claim("who is not answered is sent away", !isOwed || !bench.isOpen)
        try claim("the broker has room for others", try bench.answersOthers())
    }
}
