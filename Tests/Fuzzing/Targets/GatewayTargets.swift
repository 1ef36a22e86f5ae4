import Glibc
import NIOHTTP1
import Operations
import Records

@testable import Gateway
@testable import WireFormats

/// Requests of phones and ad platforms, as far as the gateway reads them itself: HTTP is NIO's.
extension FuzzTarget {
    /// The target on a line, then the headers, an empty line and the body.
    static let gatewayRequest = FuzzTarget(
        "gateway-request",
        longestInput: 2_048,
        words: [
            "/v3/projects/a/collect?stm=1\n", "/push-arrivals\n", "/clicks/gdt?muid=1&click_id=2\n",
            "X-Compress-Codec: 3\n", "content-type: application/protobuf\n", "\n\n",
            #"{"type":"arrived","deviceId":"d"}"#, #""serverMs":1"#, #""server_ms":"#, #""type":"sent""#,
            "__MUID__", "%5F_", #"\u0074ype"#, "[{", "}\n{",
        ]
    ) { input in
        var reader = InputReader(input)
        let target = reader.text()
        let settings = GatewayClaims.settings
        guard let route = Route(of: target, settings: settings) else { return }
        let request = reader.record()
        let headers = HTTPHeaders(
            request.headers.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) }
        )
        let body = request.value ?? []
        let post = Post(target: target, headers: headers, client: "203.0.113.7", body: body)
        guard let records = try? post.records(on: route, settings: settings) else { return }
        try claim("a request that is taken has records", !records.isEmpty)
        try claim("all are of one topic", records.allSatisfy { $0.topic == settings.topics[route] })
        for record in records {
            switch route {
            case .uploads: try GatewayClaims.check(upload: record, target, body)
            case .pushArrivals: try GatewayClaims.check(report: record, settings)
            case .clicks: try GatewayClaims.check(click: record, target)
            }
        }
        try claim("there are no more records than allowed", records.count <= settings.reportsLimit)
    }

    /// A network on a line, the address of the peer on the next, and then the values of `X-Forwarded-For`.
    static let forwardedFor = FuzzTarget(
        "forwarded-for",
        words: [
            "10.0.0.0/8\n", "::/0\n", "2001:db8::/32\n", "10.0.0.1\n", "203.0.113.7", "::ffff:10.0.0.2", ", ",
            "192.0.2.1/", "/128", "fe80::1%eth0",
        ]
    ) { input in
        var reader = InputReader(input)
        let (network, peerText) = (reader.text(), reader.text())
        let forwarded = reader.remainingText().split(separator: "\n").map { String($0) }
        try GatewayClaims.check(address: peerText)
        guard let peer = ClientAddress(peerText), let range = AddressRange(network) else { return }
        let client = TrustedProxies([range]).client(behind: peer, forwarded: forwarded).address
        if !range.contains(peer) { try claim("only a trusted peer is believed", client == peer) }
        if !range.contains(client) {
            let more = TrustedProxies([range]).client(behind: peer, forwarded: ["198.51.100.1"] + forwarded)
                .address
            try claim("what a client puts before the list means nothing", more == client)
        }
        let untrusting = TrustedProxies([]).client(behind: peer, forwarded: forwarded).address
        try claim("without trust, the peer is the client", untrusting == peer)
    }
}

private enum GatewayClaims {
    /// The defaults; the missing brokers matter to nobody here.
    static let settings = GatewaySettings(SettingsReader(file: nil, overrides: []))

    static func check(upload record: OutboundRecord, _ target: String, _ body: [UInt8]) throws {
        let read = try Objection.unless(
            SDKUploadRequest(of: Self.inbound(record)),
            "a worker reads the record of an upload"
        )
        try claim("an upload goes on as it came", read.target == target && read.body == body)
        try claim("the address of the phone is told", read.clientIP == "203.0.113.7")
        try claim("an upload has no key", record.key == nil)
    }

    static func check(report record: OutboundRecord, _ settings: GatewaySettings) throws {
        let value = record.value ?? []
        try claim("a report is a JSON object", JSONObject(value) != nil)
        // Foundation refuses numbers beyond a Double, and nesting beyond 512 levels.
        guard let members = FoundationJSON(value)?.members else { return }
        let type = members.text("type").flatMap(PushEvent.Kind.init)
        try claim("the type of a report is allowed", type.map(settings.reportTypes.contains) ?? false)
        for name in ["serverMs", "server_ms"] where members[name] != nil {
            try claim("no device tells the time of the server", members[name] == .null)
        }
        if let key = record.key { try claim("a key is short", (1...256).contains(key.count)) }
    }

    static func check(click record: OutboundRecord, _ target: String) throws {
        let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        try claim("a click goes on as it came", record.value == Array(query))
        let key = try Objection.unless(record.key, "a click has a key")
        try claim(
            "a key is short, and no macro",
            (1...256).contains(key.count) && !key.starts(with: "__".utf8)
        )
    }

    /// Compares our reading of an address with the C library's, which reads up to a zero.
    static func check(address text: String) throws {
        guard !text.utf8.contains(0) else { return }
        var bytes = [UInt8](repeating: 0, count: 16)
        let isV4 = unsafe inet_pton(AF_INET, text, &bytes) == 1
        if isV4 { bytes = Array(repeating: 0, count: 10) + [0xFF, 0xFF] + bytes[..<4] }
        let isAddress = unsafe isV4 || inet_pton(AF_INET6, text, &bytes) == 1
        let address = ClientAddress(text)
        try claim("an address is what inet_pton reads, and nothing else", (address != nil) == isAddress)
        guard let address else { return }
        let words = [bytes[..<8], bytes[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        try claim("an address has the same bits", [address.high, address.low] == words)
        try claim("an address is read as it was written", ClientAddress(address.text) == address)
    }

    private static func inbound(_ record: OutboundRecord) -> InboundRecord {
        var inbound = InboundRecord(topic: record.topic, partition: 0, offset: 7, timestamp: InputReader.now)
        inbound.headers = record.headers
        inbound.value = record.value
        return inbound
    }
}
