import Cryptography
import Foundation
import TestMaterial
import Testing
import WireMessages

@testable import WireFormats

/// A row of `push_payloads.jsonl`.
struct PushPayloadRow: Sendable, CustomTestStringConvertible {
    var name: String
    var provider: String
    /// As it stands in the file: nothing has been through a parser that knows numbers.
    var payload: [UInt8]
    var messageID: String?
    var isEligible: Bool
    var campaignID: String?
    var sentAtSeconds: Int64?
    var installationID: String?

    var testDescription: String { self.name }

    static let all: [PushPayloadRow] = VectorFile.lines("push_payloads").compactMap { line in
        guard let row = JSONOutline(Array(line.utf8)), let name = Self.text("name", of: row),
            let provider = Self.text("provider", of: row), let payload = row.member(row.root, "payload"),
            let isEligible = row.member(row.root, "nse_eligible"),
            row.member(row.root, "message_id") != nil
        else { return nil }
        return PushPayloadRow(
            name: name,
            provider: provider,
            payload: Array(row.bytes(payload)),
            messageID: Self.text("message_id", of: row),
            isEligible: row.kind(isEligible) == .true,
            campaignID: Self.text("campaign_id", of: row),
            sentAtSeconds: Self.text("sent_at_s", of: row).flatMap { Int64($0) },
            installationID: Self.text("installation_id", of: row)
        )
    }

    /// The text of a leaf, or its digits; nil for null, and if there is no such member.
    private static func text(_ name: String, of row: JSONOutline) -> String? {
        guard let index = row.member(row.root, name), row.kind(index) != .null else { return nil }
        return row.string(index) ?? String(decoding: row.bytes(index), as: UTF8.self)
    }
}

@Suite struct PushPayloadTests {
    static func payload(
        _ text: String,
        paths: PushPayloadPaths = PushPayloadPaths(),
        declared: String = ""
    ) throws -> PushPayload {
        try #require(PushPayload(Array(text.utf8), paths: paths, declared: declared))
    }

    @Test func findsTheVectors() { #expect(PushPayloadRow.all.count == 15) }

    @Test(arguments: PushPayloadRow.all)
    func readsThePayloadOfARow(row: PushPayloadRow) throws {
        let payload = try #require(PushPayload(row.payload, declared: row.provider))
        #expect(payload.messageID == row.messageID ?? "")
        #expect(payload.isEligible == row.isEligible)
        #expect(payload.campaignID == row.campaignID ?? "")
        #expect(payload.sentMS == row.sentAtSeconds.map { $0 * 1_000 })
        #expect(payload.installationID == row.installationID ?? "")
        #expect((payload.provider.isEmpty ? "apns" : payload.provider) == row.provider)
    }

    @Test(arguments: PushPayloadRow.all)
    func readsTheEventOfARow(row: PushPayloadRow) throws {
        for isDeclared in [true, false] {
            let event = try PushEventDraft {
                $0.provider = isDeclared ? row.provider : ""
                ($0.messageID, $0.campaignID) = ("", "")
                $0.payload = String(decoding: row.payload, as: UTF8.self)
            }.event()
            #expect(event.provider == row.provider)
            #expect(event.messageID == row.messageID ?? "" && event.isEligible == row.isEligible)
            #expect(event.payloadSHA256.utf8.count == 64)
        }
    }

    /// From the surest to the least sure, each with all that come after it.
    static let ids: [(member: String, id: String, provider: String)] = [
        (#""mid":"own""#, "own", "apns"), (#""msg_id":"own-2""#, "own-2", "apns"),
        (#""gcm.notification.mid":"own-3""#, "own-3", "apns"),
        (#""gcm.notification.msg_id":"own-4""#, "own-4", "apns"),
        (#""gcm.message_id":"g-1""#, "g-1", "fcm"), (#""google.message_id":"g-2""#, "g-2", "fcm"),
        (#""_j_msgid":29273432613945685"#, "29273432613945685", "jpush"),
        (#""d":"uu79163143445552300911""#, "uu79163143445552300911", "umeng"),
        (#""_gmid_":"t:m""#, "t:m", "getui"), (#""xg":{"msgid":77}"#, "77", "tpns"),
    ]

    static let paths = PushPayloadPaths(
        [("tpns", "xg.msgid"), ("aliyun", "i.x")].compactMap {
            PushPayloadPaths.Path(provider: $0, path: $1)
        }
    )

    @Test(arguments: ids.indices)
    func prefersTheSurerID(index: Int) throws {
        let rest = Self.ids[index...]
        let text = "{\(rest.reversed().map(\.member).joined(separator: ",")),\"aps\":{}}"
        let payload = try Self.payload(text, paths: Self.paths)
        #expect(payload.messageID == Self.ids[index].id)
        // An id of our own is nobody else's, whatever channel the rest shows.
        #expect(payload.provider == rest.first?.provider)
        let alone = try Self.payload("{\(Self.ids[index].member)}", paths: Self.paths)
        #expect(alone.messageID == Self.ids[index].id && alone.provider == Self.ids[index].provider)
    }

    /// A push that goes out over two channels carries two ids of theirs, and one of its sender's: it is one message.
    @Test(arguments: ["", "fcm", "jpush"])
    func onePushOverTwoChannelsIsOneMessage(declared: String) throws {
        let channels = [
            #"{"aps":{"alert":"x","mutable-content":1},"mid":"own-1","gcm.message_id":"g-1"}"#,
            #"{"aps":{"alert":"x","mutable-content":1},"mid":"own-1","_j_msgid":29273432613945685}"#,
            #"{"aps":{"alert":"x","mutable-content":1},"mid":"own-1"}"#,
        ]
        for messageID in ["", "own-1"] {
            let keys = try channels.map { payload in
                CohortKey(
                    of: try PushEventDraft {
                        ($0.provider, $0.messageID, $0.payload) = (declared, messageID, payload)
                    }.event()
                )
            }
            #expect(Set(keys).count == 1)
            #expect(keys.allSatisfy { $0.messageID == "own-1" && $0.provider == "apns" })
        }
    }

    /// An event that names a message of a channel itself means that one, whatever the push carries besides.
    @Test func anIDThatTheEventNamesStaysItsProviders() throws {
        let event = try PushEventDraft {
            ($0.provider, $0.messageID, $0.payload) = (
                "fcm", "g-1", #"{"mid":"own-1","gcm.message_id":"g-1"}"#
            )
        }.event()
        #expect(event.provider == "fcm" && event.messageID == "g-1")
    }

    /// Trap 1: neighbours of each other, and one and the same as a Double.
    @Test(arguments: [
        ("29273432613945685", "29273432613945685"), ("29273432613945684", "29273432613945684"),
        ("9223372036854775807", "9223372036854775807"), ("18446744073709551615", "18446744073709551615"),
        (#""18100287008772329""#, "18100287008772329"), (#""0018100287008772329""#, "18100287008772329"),
        // These have been through a Double, or are no id of JPush's.
        ("2.9273432613945684e16", ""), ("29273432613945684.0", ""), ("18446744073709551616", ""),
        ("-5", ""), ("0", ""),
        (#""""#, ""), (#""abc""#, ""), (#""12 ""#, ""), ("null", ""), ("true", ""), ("[1]", ""),
    ])
    func keepsEveryDigitOfJPush(value: String, id: String) throws {
        let payload = try Self.payload(#"{"_j_msgid":\#(value),"_j_business":1}"#)
        #expect(payload.messageID == id && payload.provider == "jpush")
    }

    @Test(arguments: [
        (#""uu79163143445552300911""#, true), (#""us0123456789""#, true), (#""uu123456789""#, false),
        (#""ux79163143445552300911""#, false), (#""uu7916314344555x""#, false), (#""uu""#, false),
        ("79163143445552300911", false),
        (#"{"uu":1}"#, false), (#""delivered""#, false), (#""UU79163143445552300911""#, false),
    ])
    func takesForUmengsOnlyWhatLooksLikeIt(value: String, isUmengs: Bool) throws {
        let payload = try Self.payload(#"{"d":\#(value),"p":0}"#)
        #expect(payload.messageID.isEmpty == !isUmengs && payload.provider == (isUmengs ? "umeng" : ""))
    }

    /// A value that is no id does not hide one that comes after it.
    @Test(arguments: [
        #""""#, "null", "true", "[]", #"{"id":1}"#, "1.5", "-1", "1e3",
    ])
    func passesOverWhatIsNoID(value: String) throws {
        let text = #"{"mid":\#(value),"msg_id":\#(value),"gcm.message_id":\#(value),"_gmid_":"next"}"#
        #expect(try Self.payload(text).messageID == "next")
        #expect(try Self.payload(#"{"cid":\#(value),"campaign_id":"c"}"#).campaignID == "c")
        #expect(try Self.payload(#"{"google.c.fid":\#(value)}"#).installationID.isEmpty)
    }

    @Test func takesNumbersForIDs() throws {
        let payload = try Self.payload(#"{"mid":12345678901234567890123,"cid":9007199254740993}"#)
        #expect(payload.messageID == "12345678901234567890123" && payload.campaignID == "9007199254740993")
    }

    /// Trap 3, and what the legacy API makes of our own members.
    @Test(arguments: [
        (#"{"cid":"a","campaign_id":"b","google.c.a.c_id":"c"}"#, "a"),
        (#"{"campaign_id":"b","google.c.a.c_id":"c"}"#, "b"), (#"{"google.c.a.c_id":"c"}"#, "c"),
        (#"{"google.c.a.c_id":5941428497527920876}"#, "5941428497527920876"),
        (#"{"gcm.notification.cid":"d","google.c.a.c_id":"c"}"#, "d"), ("{}", ""),
    ])
    func readsTheCampaign(text: String, campaign: String) throws {
        #expect(try Self.payload(text).campaignID == campaign)
    }

    /// Trap 4: one time in seconds among others in milliseconds.
    @Test(
        arguments: [
            (#"{"st":1716595200123}"#, 1_716_595_200_123), (#"{"st":"1716595200123"}"#, 1_716_595_200_123),
            (#"{"st":1.716595200123e12}"#, 1_716_595_200_123),
            (#"{"google.c.a.ts":1566565920}"#, 1_566_565_920_000),
            (#"{"google.c.a.ts":"1566565920"}"#, 1_566_565_920_000),
            (#"{"st":1716595200123,"google.c.a.ts":1566565920}"#, 1_716_595_200_123),
            (#"{"gcm.notification.st":"1716595200123","google.c.a.ts":1566565920}"#, 1_716_595_200_123),
            // Seconds where milliseconds belong, and the other way round.
            (#"{"st":1716595200,"google.c.a.ts":1566565920}"#, 1_566_565_920_000),
            (#"{"st":1716595200}"#, nil),
            // The second one comes out as a time of 2026, if nobody looks.
            (#"{"google.c.a.ts":9223372036854775807}"#, nil), (#"{"google.c.a.ts":18446745868957552}"#, nil),
            (#"{"google.c.a.ts":-9223372036854775808}"#, nil),
            (#"{"st":0}"#, nil), (#"{"st":-1}"#, nil), (#"{"st":1716595200123.5}"#, nil),
            (#"{"st":"soon"}"#, nil),
            (#"{"st":1e400}"#, nil), (#"{"st":true}"#, nil), (#"{"st":null}"#, nil), ("{}", nil),
        ] as [(String, Int64?)]
    )
    func readsTheTimeOfSending(text: String, time: Int64?) throws {
        #expect(try Self.payload(text).sentMS == time)
    }

    /// Trap 2.
    @Test(arguments: [
        (#""alert":"x","mutable-content":1"#, true), (#""alert":"x","mutable-content":1.0"#, true),
        (#""alert":"x","mutable-content":10e-1"#, true), (#""alert":"x","mutable-content":true"#, false),
        (#""alert":"x","mutable-content":"1""#, false), (#""alert":"x","mutable-content":0"#, false),
        (#""alert":"x","mutable-content":2"#, false), (#""alert":"x","mutable-content":-1"#, false),
        (#""alert":"x","mutable-content":1.5"#, false), (#""alert":"x","mutable-content":null"#, false),
        (#""alert":"x","mutable-content":[1]"#, false), (#""alert":"x","mutable_content":1"#, false),
        (#""alert":"x","mutable-content":1000000000000000000000000000001"#, false),
        (#""alert":"x""#, false), (#""alert":"x","content-available":1"#, false),
        (#""alert":"x","content-available":1,"mutable-content":1"#, true),
        (#""content-available":1,"mutable-content":1"#, false), (#""badge":1,"mutable-content":1"#, false),
        (#""alert":"","mutable-content":1"#, false), (#""alert":{},"mutable-content":1"#, false),
        (#""alert":null,"mutable-content":1"#, false), (#""alert":7,"mutable-content":1"#, false),
        (#""alert":["x"],"mutable-content":1"#, false), (#""alert":{"title":7},"mutable-content":1"#, false),
        (#""alert":{"launch-image":"x"},"mutable-content":1"#, false),
        (#""alert":{"loc-args":["x"]},"mutable-content":1"#, false),
        (#""alert":{"title":"x"},"mutable-content":1"#, true),
        (#""alert":{"subtitle":"x"},"mutable-content":1"#, true),
        (#""alert":{"title":"","body":"x"},"mutable-content":1"#, true),
        (#""alert":{"loc-key":"x"},"mutable-content":1"#, true),
        (#""alert":{"title-loc-key":"x"},"mutable-content":1"#, true),
        (#""alert":{"subtitle-loc-key":"x"},"mutable-content":1"#, true),
    ])
    func tellsWhetherAnExtensionRuns(aps: String, isEligible: Bool) throws {
        #expect(try Self.payload("{\"aps\":{\(aps)}}").isEligible == isEligible)
    }

    @Test(arguments: [
        "{}", #"{"aps":null}"#, #"{"aps":[]}"#, #"{"aps":"x"}"#, #"{"alert":"x","mutable-content":1}"#,
    ])
    func runsNoExtensionWithoutAps(text: String) throws {
        #expect(try !Self.payload(text).isEligible)
    }

    @Test(arguments: ["", "null", "[]", "[{}]", "7", #""{}""#, "{", #"{"a":1,}"#, "{}{}", "{'a':1}"])
    func refusesWhatIsNoObject(text: String) {
        #expect(PushPayload(Array(text.utf8)) == nil)
    }

    @Test func hasOneDigestHoweverItIsWritten() throws {
        let canonical = #"{"_j_msgid":29273432613945685,"aps":{"alert":"é","mutable-content":1}}"#
        let expected = String(decoding: Digest.sha256.hexadecimal(Array(canonical.utf8)), as: UTF8.self)
        #expect(expected == "264cd8646bf16710987798a54b8c04a3200c285ae38e6c327f4806dea3398bd7")
        let other = #" { "aps" : {"mutable-content":1, "alert":"\u00e9"}, "_j_msgid":29273432613945685 } "#
        #expect(try Self.payload(canonical).sha256 == expected && Self.payload(other).sha256 == expected)
        let neighbour = canonical.replacing("685", with: "684")
        #expect(try Self.payload(neighbour).sha256 != expected)
    }

    // MARK: Configured paths

    static func paths(_ paths: (String, String)...) throws -> PushPayloadPaths {
        PushPayloadPaths(
            try paths.map { try #require(PushPayloadPaths.Path(provider: $0.0, path: $0.1)) }
        )
    }

    @Test(arguments: [
        ("custom.i", #"{"custom":{"i":"o-1"}}"#, "o-1"), ("a", #"{"a":"x"}"#, "x"),
        ("a.b.c", #"{"a":{"b":{"c":"x"}}}"#, "x"), ("a.b.c", #"{"a.b":{"c":"x"}}"#, "x"),
        ("a.b.c", #"{"a":{"b.c":"x"}}"#, "x"),
        ("a.b.c", #"{"a":{"b":{"c":"short"}},"a.b":{"c":"longer"},"a.b.c":"longest"}"#, "longest"),
        ("a.b.c", #"{"a":{"b":{"c":"short"}},"a.b":{"c":"longer"}}"#, "longer"),
        // The search goes back from a path that leads nowhere.
        ("a.b.c", #"{"a":{"b":{"c":"short"}},"a.b":{"x":1},"a.b.c":null}"#, "short"),
        ("a.b", #"{"a":"x"}"#, ""), ("a.b", #"{"a":["b"]}"#, ""), ("a", #"{"a":{}}"#, ""),
        ("a.b", #"{"a":{"b":1.5}}"#, ""),
    ])
    func followsAPath(path: String, text: String, id: String) throws {
        let payload = try Self.payload(text, paths: Self.paths(("onesignal", path)))
        #expect(payload.messageID == id && payload.provider == (id.isEmpty ? "" : "onesignal"))
    }

    @Test func triesThePathsOfTheDeclaredProviderFirst() throws {
        let paths = try Self.paths(("aliyun", "a"), ("baidu", "b"), ("baidu", "c"))
        let text = #"{"a":"1","b":"2","c":"3"}"#
        #expect(try Self.payload(text, paths: paths).messageID == "1")
        #expect(try Self.payload(text, paths: paths, declared: "baidu").messageID == "2")
        #expect(try Self.payload(#"{"a":"1"}"#, paths: paths, declared: "baidu").messageID == "1")
        #expect(try Self.payload(#"{"c":"3"}"#, paths: paths).provider == "baidu")
    }

    @Test(arguments: [
        ("", "a"), ("x", ""), ("x", "."), ("x", "a."), ("x", ".a"), ("x", "a..b"),
        ("x", String(repeating: "a.", count: 16) + "a"),
    ])
    func refusesAPathThatLeadsNowhere(provider: String, path: String) {
        #expect(PushPayloadPaths.Path(provider: provider, path: path) == nil)
        #expect(PushPayloadPaths.Path(provider: "x", path: String(repeating: "a.", count: 15) + "a") != nil)
    }
}
