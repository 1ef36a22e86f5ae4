import DeadLetters
import Records
import SwiftProtobuf
import WireMessages

@testable import WireFormats

extension FuzzTarget {
    /// A record of the topic `push-arrival`: headers, an empty line, the value.
    static let pushEvent = FuzzTarget(
        "push-event",
        longestInput: 1_024,
        words: RecordClaims.words + PushClaims.words + [
            "\"type\":\"arrived\"", "\"type\":\"sent\"", "\"status\":\"rejected\"", "deviceId", "message_id",
            "sentMs", "device_ms", "uploadMs", "serverMs", "1795248000000", "nseEligible", "\"payload\":",
            "payloadSha256", "environment", "development", "\"type\":\"converted\"", "valueMicros",
            "currency", "EUR",
            "appVersion", "os_version", "\"9.3\"", "deviceModel", "country", "\"de\"",
        ],
        seeds: {
            PushClaims.payloads.map { payload in
                Array("\n{\"type\":\"arrived\",\"deviceId\":\"d\",\"payload\":".utf8) + payload + "}".utf8
            }
        }
    ) { input in
        var reader = InputReader(input)
        try PushClaims.check(reader.record(topic: "push-arrival", key: Array("install-42".utf8)))
    }

    /// The userInfo of a notification.
    static let pushPayload = FuzzTarget(
        "push-payload",
        longestInput: 1_024,
        words: PushClaims.words,
        seeds: { PushClaims.payloads }
    ) { input in
        try PushClaims.check(outline: input)
        try PushClaims.check(payload: input)
    }
}

private enum PushClaims {
    static let words = [
        "\"aps\":{\"alert\":", "\"mutable-content\":1", "\"mid\":", "\"gcm.message_id\":",
        "\"google.c.fid\":",
        "\"google.c.a.ts\":", "\"_j_msgid\":29273432613945685", "\"d\":\"uu79163143445552300911\"",
        "\"_gmid_\":",
        "\"st\":", "\"xg\":{\"msgid\":", "\"loc-key\":", "gcm.notification.", "\\u0061", "\\ud83d",
        "\\ude00",
    ]

    /// Not by way of Foundation, which does not keep every digit.
    static let payloads = VectorRows.lines(of: "push_payloads").compactMap { line in
        (try? JSONTree(parsing: line))?.member("payload")?.compact
    }

    static let paths = PushPayloadPaths(
        [("tpns", "xg.msgid"), ("other", "a.b.c")].compactMap {
            PushPayloadPaths.Path(provider: $0, path: $1)
        }
    )

    // MARK: Payloads

    static func check(outline input: [UInt8]) throws {
        let tree = try? JSONTree(parsing: input)
        guard let outline = JSONOutline(input) else {
            return try claim("what is no outline is no tree", tree == nil)
        }
        try claim("an outline says what a tree says", self.tree(outline, outline.root) == tree)
        let canonical = outline.canonical
        let again = try Objection.unless(JSONOutline(canonical), "a canonical form can be read")
        try claim("it has itself for its canonical form", again.canonical == canonical)
        let indented = tree.map { Array($0.lines().joined(separator: "\n").utf8) } ?? []
        try claim("white space and escapes mean nothing", JSONOutline(indented)?.canonical == canonical)
    }

    private static func tree(_ outline: JSONOutline, _ index: Int) -> JSONTree {
        switch outline.kind(index) {
        case .null: return .null
        case .true, .false: return .bool(outline.kind(index) == .true)
        case .number: return .number(String(decoding: outline.bytes(index), as: UTF8.self))
        case .string: return .string(outline.string(index) ?? "")
        case .array:
            var elements: [JSONTree] = []
            var element = index + 1
            while element < outline.index(after: index) {
                elements.append(self.tree(outline, element))
                element = outline.index(after: element)
            }
            return .array(elements)
        case .object:
            var members: [JSONTree.Member] = []
            outline.members(of: index) {
                members.append(.init(outline.string($0) ?? "", self.tree(outline, $1)))
            }
            return .object(members)
        }
    }

    static func check(payload input: [UInt8]) throws {
        let tree = try? JSONTree(parsing: input)
        var isObject = false
        if case .object? = tree { isObject = true }
        guard let payload = PushPayload(input, paths: self.paths) else {
            return try claim("every object is a payload", !isObject)
        }
        try claim("every payload is an object", isObject)
        try claim("a digest has 64 digits", self.isDigest(payload.sha256))
        try claim("a time is one of ours", payload.sentMS.map(PushTime.isPlausible) ?? true)
        let lines = tree.map { Array($0.lines().joined(separator: "\n").utf8) } ?? []
        try claim("it means the same however written", PushPayload(lines, paths: self.paths) == payload)
        try claim("nothing of an id is lost", self.holds(payload.messageID, input, tree))
    }

    /// An id is a text of the payload, or digits of it.
    private static func holds(_ id: String, _ input: [UInt8], _ tree: JSONTree?) -> Bool {
        switch tree {
        case .string(let text)?: return text == id || text.hasSuffix(id) && id.utf8.allSatisfy(\.isDigit)
        case .number(let digits)?: return digits == id
        case .array(let elements)?: return elements.contains { self.holds(id, input, $0) } || id.isEmpty
        case .object(let members)?: return members.contains { self.holds(id, input, $0.value) } || id.isEmpty
        default: return id.isEmpty
        }
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy(\.isLowercaseHexadecimal)
    }

    // MARK: Events

    private static let codes: Set<String> = RecordClaims.codes.union(
        [
            "type.unknown", "status.unknown", "environment.unknown", "reason.malformed",
            "payload_sha256.malformed", "payload.too_large", "payload.malformed", "device_id.missing",
            "field.not_utf8", "country.malformed", "currency.malformed", "currency.missing",
            "value_micros.missing",
            "value_micros.out_of_range",
        ]
            + [
                "provider", "message_id", "campaign_id", "app_bundle", "device_id", "event_id", "app_version",
                "os_version", "device_model",
            ].flatMap { [$0 + ".too_long", $0 + ".malformed"] }
    )

    private static let now = InputReader.now

    static func check(_ record: InboundRecord) throws {
        let reading = self.reading(record)
        try RecordClaims.check(record, saysTheSameAs: { self.reading($0) == reading })
        try self.checkQuickReaders(record)
        switch reading {
        case .success(let event): try self.check(event)
        case .failure(.record(let fault)): try StoreClaims.check(fault.reason, of: self.codes)
        case .failure(.refused(let reason, let header)):
            try StoreClaims.check(reason, of: self.codes)
            try claim("a result can tell of it", self.isWritten(.refused(header)))
            for text in [header.provider, header.messageID, header.deviceID, header.appBundle] {
                try claim("what is shown is short and plain", self.isPlain(text))
            }
        }
    }

    private static func reading(_ record: InboundRecord) -> Result<PushEvent, PushEvent.Fault> {
        do throws(PushEvent.Fault) {
            return .success(try PushEvent(decoding: record, now: self.now, paths: self.paths))
        } catch {
            return .failure(error)
        }
    }

    private static func checkQuickReaders(_ record: InboundRecord) throws {
        guard let payload = try? RecordPayload(of: record) else { return }
        let general = (try? payload.decode(as: Flotilla_Pusharrival_V1_PushEvent.self))
            .map { PushEventFields($0) }
        switch payload.format {
        case .protobuf:
            let quick = PushEventFields(protobuf: payload.bytes, from: payload.start)
            try claim("the quick reader says nothing else", quick == nil || quick == general)
        case .json:
            guard let outline = JSONOutline(payload.bytes, from: payload.start),
                let quick = PushEventFields(json: outline),
                PushEventFields.withoutPayloads(outline) == nil
            else { return }
            try claim("the quick reader says nothing else", quick == general)
        }
    }

    private static func check(_ event: PushEvent) throws {
        try claim("it names a provider and a device", !event.provider.isEmpty && !event.deviceID.isEmpty)
        for text in [event.provider, event.messageID, event.campaignID, event.deviceID, event.appBundle] {
            try claim("an id is short and plain", self.isPlain(text))
        }
        for text in PushSegments.Dimension.allCases.map(event.segments.segment(by:)) {
            try claim("a segment is short and plain", self.isPlain(text) && text.utf8.count <= 64)
        }
        try claim("only a conversion has a value", event.value == nil || event.kind == .converted)
        try claim("the server's time is one", PushTime.isPlausible(event.serverMS, asOf: self.now))
        try claim(
            "a time of sending is one",
            event.sentMS.map { PushTime.isPlausible($0, asOf: event.serverMS) } ?? true
        )
        try claim("a digest is one", event.payloadSHA256.isEmpty || self.isDigest(event.payloadSHA256))
        var handedOn = InboundRecord(topic: "push-arrival", partition: 1, offset: 8)
        handedOn.value = event.encoded()
        try claim("handed on, it is read as the same", self.reading(handedOn) == .success(event))
        let time = PushTime(of: event)
        try claim(
            "it happened between the sending and the receiving",
            time.correctedMS >= event.sentMS ?? .min
                && time.correctedMS <= max(event.serverMS, event.sentMS ?? .min)
        )
        try claim("a lag is none below 0", time.lagMS ?? 0 >= 0)
        try claim("a result can tell of it", self.isWritten(.event(event, .accepted, time)))
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 256 && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// In both formats, and read as the same by the general decoder.
    private static func isWritten(_ subject: PushArrivalResult.Subject) -> Bool {
        let outcome = Outcome(
            topic: "push-arrival",
            partition: 0,
            offset: 7,
            fate: .succeeded,
            reason: nil,
            attempts: 0,
            deadLetterID: nil,
            receivedAt: self.now,
            settledAt: self.now,
            worker: "push-arrival-worker",
            workerVersion: "0.1.0"
        )
        typealias Message = Flotilla_Pusharrival_V1_PushArrivalResult
        let json = PushArrivalResult.encode(outcome, subject, as: .json)
        let protobuf = PushArrivalResult.encode(outcome, subject, as: .protobuf)
        guard let message = try? Message(serializedBytes: protobuf) else { return false }
        return (try? Message(jsonUTF8Bytes: json)) == message && message.encoded() == protobuf
    }
}
