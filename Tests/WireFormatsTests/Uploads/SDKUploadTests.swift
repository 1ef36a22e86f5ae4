import Foundation
import Records
import TestMaterial
import Testing

@testable import WireFormats

struct SDKUploadTests {
    static let good = UploadRow.all.filter { $0.error == nil }
    static let bad = UploadRow.all.filter { $0.error != nil }

    private func request(_ row: UploadRow) -> SDKUploadRequest {
        SDKUploadRequest(
            method: row.request.method,
            target: row.request.target,
            headers: row.request.headers.map { ($0.key, $0.value) },
            body: row.body
        )
    }

    /// The fault with which decoding ends; nil if it succeeds.
    private func fault(_ request: SDKUploadRequest, _ limits: SDKUpload.Limits = .init()) -> SDKUploadFault? {
        do throws(SDKUploadFault) {
            _ = try SDKUpload(decoding: request, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func everyRowIsRead() {
        #expect(Self.good.count == 19)
        #expect(Self.bad.count == 12)
    }

    @Test(arguments: good) func readsEveryEvent(of row: UploadRow) throws {
        let upload = try SDKUpload(decoding: self.request(row))
        let object = try JSONSerialization.jsonObject(with: Data(upload.json))
        var found = try #require(object as? [String: Any])
        #expect(found.removeValue(forKey: "dropped") as? Int == 0)
        let empty = ["events": [Any](), "activations": [Any]()]
        #expect(found.merging(empty) { found, _ in found } as NSDictionary == row.expected)
    }

    @Test(arguments: bad) func saysWhyAnUploadCannotBeRead(_ row: UploadRow) {
        #expect(self.fault(self.request(row))?.rawValue == row.error)
    }

    @Test(arguments: UploadRow.all) func readsTheSameFromARecordAndFromALine(_ row: UploadRow) {
        let request = self.request(row)
        var record = InboundRecord(topic: "sdk-upload", partition: 0, offset: 0, value: row.body)
        record.headers = row.request.headers.map { RecordHeader($0.key, $0.value) }
        #expect(SDKUploadRequest(of: record) == nil)
        record.headers.append(RecordHeader("upload.target", row.request.target))
        record.headers.append(RecordHeader("upload.method", row.request.method))
        #expect(SDKUploadRequest(of: record) == request)
        #expect(SDKUploadRequest(json: row.line) == request)
    }

    // MARK: - Codecs

    private func record(of event: SDKEvent) -> [UInt8] {
        event.record(id: event.id, account: "", upload: "", receivedAt: nil, clientIP: nil)
    }

    @Test(arguments: good) func aCutBodyIsRefusedOrHasFewerEvents(_ row: UploadRow) throws {
        var request = self.request(row)
        let whole = try SDKUpload(decoding: request)
        let body = request.body
        for count in body.indices {
            request.body = Array(body[..<count])
            do throws(SDKUploadFault) {
                // Protobuf is not delimited: a list that is cut between two events is a shorter list.
                let cut = try SDKUpload(decoding: request)
                #expect(cut.events.count < whole.events.count)
                for (event, other) in zip(cut.events, whole.events) {
                    #expect(self.record(of: event) == self.record(of: other))
                }
            } catch {
                continue
            }
        }
    }

    @Test(arguments: [
        "", "?", "?stm", "?stm=", "?stm=-1", "?stm=+1", "?stm=12x", "?stm=999999999999999999999999999999",
        "?x=1", "?STM=1",
    ])
    func anEncryptedUploadNeedsItsFactor(_ query: String) throws {
        let row = try UploadRow.named("pb_xor_hint0")
        var request = self.request(row)
        request.target = "/v3/projects/0a1b2c3d4e5f6789/collect\(query)"
        #expect(self.fault(request) == .stm)
        request.cryptCodec = nil
        #expect(self.fault(request) == nil, "the factor of pb_xor_hint0 is 0, so its body is plain")
    }

    @Test func theFactorIsTheLowestByteOfALongNumber() throws {
        var request = self.request(try UploadRow.named("headers_any_case"))
        let stm = try #require(UInt64("1700000000987"))
        request.target = "/v3/projects/a/collect?a=b&stm=\(stm &+ 0xFFFF_FF00_0000_0000)"
        #expect(self.fault(request) == nil)
    }

    @Test(arguments: [
        "/v3/projects//collect", "/v3/projects/a/b/collect", "/v2/projects/a/collect",
        "v3/projects/a/collect",
        "/v3/projects/a/collect/", "/v3/projects/a", "", "?stm=1", "/v3/projects/a b/collect",
        "/v3/projects/a/collect?" + String(repeating: "&", count: 8_192),
    ])
    func anotherTargetIsNoUpload(_ target: String) throws {
        var request = self.request(try UploadRow.named("json_empty_array"))
        request.target = target
        #expect(self.fault(request) == .target)
    }

    @Test func codecNumbersAreKnownOrRefused() throws {
        var request = self.request(try UploadRow.named("json_empty_array"))
        request.compressCodec = "0"
        request.cryptCodec = "0"
        #expect(self.fault(request) == nil)
        request.cryptCodec = "2"
        #expect(self.fault(request) == .unknownCryptCodec)
        request.cryptCodec = nil
        request.compressCodec = "1"
        #expect(self.fault(request) == .unknownCompressCodec)
    }

    /// The encryption, the compression, then the form: the first that cannot be undone names the fault.
    @Test func faultsAreNamedInTheOrderInWhichTheStepsAreUndone() throws {
        var request = self.request(try UploadRow.named("bad_lz4_cut"))
        request.contentType = "text/plain"
        #expect(self.fault(request) == .lz4Truncated)
        request.compressCodec = "9"
        #expect(self.fault(request) == .unknownCompressCodec)
        request.target = "/v3/projects/a/collect"
        #expect(self.fault(request) == .stm)
        request.cryptCodec = "2"
        #expect(self.fault(request) == .unknownCryptCodec)
        request = self.request(try UploadRow.named("headers_any_case"))
        request.contentType = "text/plain"
        #expect(self.fault(request) == .contentType)
    }

    // MARK: - Bounds

    @Test func whatIsTooLargeIsRefused() throws {
        let request = self.request(try UploadRow.named("json_plain_mixed"))
        var limits = SDKUpload.Limits()
        limits.bodyBytes = request.body.count - 1
        #expect(self.fault(request, limits) == .tooLarge)
        limits = SDKUpload.Limits()
        limits.decodedBytes = request.body.count - 1
        #expect(self.fault(request, limits) == .tooLarge)
        limits = SDKUpload.Limits()
        limits.fields = 20
        #expect(self.fault(request, limits) == .tooLarge)
        #expect(self.fault(self.request(try UploadRow.named("pb_plain_mixed")), limits) == .tooLarge)
        limits = SDKUpload.Limits()
        limits.events = 3
        #expect(self.fault(request, limits) == .tooManyEvents)
        let protobuf = self.request(try UploadRow.named("pb_plain_mixed"))
        #expect(self.fault(protobuf, limits) == .tooManyEvents)
    }

    @Test func aSnappyBombIsRefusedBeforeItIsMade() {
        // The block announces 4 GiB.
        let body: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00, 0x41]
        let request = SDKUploadRequest(
            target: "/v3/projects/a/collect",
            headers: [("X-Compress-Codec", "2")],
            body: body
        )
        #expect(self.fault(request) == .tooLarge)
    }

    // MARK: - Events

    private func json(_ text: String) throws(SDKUploadFault) -> SDKUpload {
        try SDKUpload(
            decoding: SDKUploadRequest(
                target: "/v3/projects/a/collect",
                headers: [],
                body: Array(text.utf8)
            )
        )
    }

    @Test func eventsThatNobodyCanAttributeAreCounted() throws {
        let whole = #""deviceId":"d","dataSourceId":"s","timestamp":1"#
        let upload = try self.json(
            """
            [{\(whole)},{"dataSourceId":"s","timestamp":1},{"deviceId":"d","timestamp":1},
             {"deviceId":"","dataSourceId":"s","timestamp":1},{"deviceId":"d","dataSourceId":"s","timestamp":0},
             {"deviceId":"d","dataSourceId":"s","timestamp":-5},{"deviceId":"d","dataSourceId":"s"}]
            """
        )
        #expect(upload.events.count == 1)
        #expect(upload.dropped == 6)
    }

    @Test func unknownTypesAndMembersAreKept() throws {
        let upload = try self.json(
            #"[{"deviceId":"d","dataSourceId":"s","timestamp":1,"eventType":"APM_CRASH","st\u0061ck":[{"a":null}]}]"#
        )
        let event = try #require(upload.events.first)
        #expect(event.type.name == "APM_CRASH")
        #expect(event.entries(.other).map(\.name) == ["stack"])
        #expect(event.entries(.other).map(\.value) == [#"[{"a":null}]"#])
        let text = String(decoding: upload.json, as: UTF8.self)
        #expect(text.contains(#""stack":[{"a":null}]"#))
    }

    /// A phone chooses how many members an event has. Looking for the type at each of them would take hours.
    @Test(.timeLimit(.minutes(5))) func anEventOfManyOddMembersIsReadInOneWalk() throws {
        let odd = String(repeating: #","index":{}"#, count: 100_000)
        let event = #"{"deviceId":"d","dataSourceId":"s","timestamp":1,"eventType":"HYBRID_X"\#(odd)}"#
        let upload = try self.json("[\(event)]")
        #expect(upload.events.first?.integer(.timestamp) == 1 && upload.events.count == 1)
        let known = event.replacingOccurrences(of: "HYBRID_X", with: "CUSTOM")
        #expect(throws: SDKUploadFault.jsonShape) { try self.json("[\(known)]") }
    }

    // MARK: - Ids

    /// The ids of events that differ in these members only.
    private func ids(_ members: String...) throws -> [String] {
        let objects = members.map { #"{"deviceId":"d","dataSourceId":"s","timestamp":1\#($0)}"# }
        return try self.json("[" + objects.joined(separator: ",") + "]").events.map(\.id)
    }

    /// The SDK counts the events of five types only. Two of another type in one millisecond had one id, so one of
    /// them was lost. The attributes of an activation are filled in late, when it is sent again.
    @Test(arguments: [
        (#","attributes":{"a":"1"}"#, #","attributes":{"a":"2"}"#),
        (#","attributes":{"a":"bc"}"#, #","attributes":{"ab":"c"}"#),
        (#","attributes":{"a":"1"}"#, #","attributes":{"a":"1","b":"1"}"#),
        (#","attributes":{"a":"1"}"#, #","a":"1""#),
        (#","stack":{"a":1}"#, #","stack":{"a":2}"#),
        (#","stack":1"#, ""),
    ])
    func whatAnEventSaysTellsItFromOthersUnlessItIsAnActivation(one: String, other: String) throws {
        let type = #","eventType":"LOGIN_USER_ATTRIBUTES""#
        let ids = try self.ids(type + one, type + other)
        #expect(Set(ids).count == 2)
        let activation = #","eventType":"ACTIVATE""#
        let activations = try self.ids(activation + one, activation + other)
        #expect(activations.count == 2 && Set(activations).count == 1)
    }

    @Test(arguments: [
        (#","attributes":{"a":"1","b":"2"}"#, #","attributes":{"b":"2","a":"1"}"#),
        (#","x":1,"y":[2]"#, #","y":[2],"x":1"#), (#","index":0,"eventSequenceId":0"#, ""),
        (#","attributes":{"a":"1","b":"","c":null}"#, #","attributes":{"a":1}"#),
        (#","attributes":{}"#, ""),
        (#","resourceItem":{"id":null,"key":"k","attributes":null}"#, #","resourceItem":{"key":"k"}"#),
    ])
    func theOrderOfMembersAndWhatIsAbsentChangeNoID(one: String, other: String) throws {
        let ids = try self.ids(one, other)
        #expect(ids.count == 2 && Set(ids).count == 1)
    }

    /// JSON writes a zero that protobuf leaves out.
    @Test func aZeroInJSONIsTheSameAsNoneInProtobuf() throws {
        let ids = try self.ids(#","eventType":"PAGE","index":0,"globalSequenceId":0,"attributes":{"a":"1"}"#)
        let attribute: [UInt8] = [0xC2, 0x01, 6, 0x0A, 1, 0x61, 0x12, 1, 0x31]
        let event: [UInt8] = [0x0A, 1, 0x64, 0x2A, 1, 0x73, 0x30, 6, 0x40, 1] + attribute
        let request = SDKUploadRequest(
            target: "/v3/projects/a/collect",
            headers: [("Content-Type", "application/protobuf")],
            body: [0x0A, UInt8(event.count)] + event
        )
        let upload = try SDKUpload(decoding: request)
        #expect(upload.events.map(\.id) == ids)
    }

    @Test func theSameEventsHaveTheirIDsInEveryForm() throws {
        let forms = ["json_plain_mixed", "pb_plain_mixed", "sdk_lz4_json", "sdk_lz4_protobuf"]
        let ids = try forms.map { name in
            try SDKUpload(decoding: self.request(UploadRow.named(name))).events.map(\.id)
        }
        #expect(Set(ids).count == 1 && Set(ids[0]).count == 4)
    }

    /// The members of that JSON stand in the order of the fields' numbers.
    @Test(arguments: good) func theJSONOfAnEventHasItsID(row: UploadRow) throws {
        for event in try SDKUpload(decoding: self.request(row)).events {
            let again = try self.json("[" + String(decoding: event.json, as: UTF8.self) + "]")
            #expect(again.events.map(\.id) == [event.id])
        }
    }

    @Test(arguments: [
        #"[1]"#, #"[[]]"#, #"[null]"#, #""text""#, #"[{"deviceId":[]}]"#, #"[{"deviceId":{}}]"#,
        #"[{"timestamp":"soon"}]"#, #"[{"timestamp":1.5}]"#, #"[{"timestamp":99999999999999999999}]"#,
        #"[{"latitude":"north"}]"#, #"[{"attributes":"a"}]"#, #"[{"resourceItem":1}]"#,
    ])
    func jsonOfAnotherShapeIsRefused(_ text: String) {
        #expect(throws: SDKUploadFault.jsonShape) { try self.json(text) }
    }

    /// It was once called no JSON.
    @Test func jsonBeyondTheLimitsIsNotCalledAnotherThing() {
        let many = "[" + String(repeating: "0,", count: 2_000_000) + "0]"
        #expect(throws: SDKUploadFault.tooLarge) { try self.json(many) }
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(throws: SDKUploadFault.json) { try self.json(deep) }
    }

    /// An event of a type that no SDK has yet takes none of the others with it: it may use a known name in its own way, and
    /// nest as deep as it likes.
    @Test(arguments: [
        #""index":{"a":1}"#, #""title":{}"#, #""index":1.5"#, #""attributes":[1]"#, #""latitude":"north""#,
        #""resourceItem":{"id":"1","key":{},"attributes":{"a":"b"}}"#, #""attributes":{"a":"b"},"index":"x""#,
        #""deep":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))"#,
    ])
    func anEventOfAnUnknownTypeIsKeptAsItIs(member: String) throws {
        let who = #""deviceId":"d","dataSourceId":"s","timestamp":1"#
        let known = #"{\#(who),"eventType":"ACTIVATE"}"#
        let upload = try self.json(#"[\#(known),{\#(who),\#(member),"eventType":"HYBRID_X"},\#(known)]"#)
        #expect(upload.events.map(\.type.name) == ["ACTIVATE", "HYBRID_X", "ACTIVATE"])
        let event = try #require(upload.events.dropFirst().first)
        let found = try #require(JSONSerialization.jsonObject(with: Data(event.json)) as? NSDictionary)
        let written = try JSONSerialization.jsonObject(with: Data("{\(member)}".utf8)) as? NSDictionary
        let misfits = found["misfits"] as? NSDictionary
        for (name, value) in try #require(written) {
            #expect((found[name] ?? misfits?[name]) as? NSObject == value as? NSObject)
        }
        // Under the names of fields there is nothing but what an event of a known type may have there.
        let published = String(decoding: event.json, as: UTF8.self)
        #expect(try self.json("[\(published.replacing("HYBRID_X", with: "PAGE"))]").events.count == 1)
        guard !member.contains("deep") else { return }
        for type in ["ACTIVATE", "PAGE"] {
            let text = #"[{\#(who),"eventType":"\#(type)",\#(member)}]"#
            #expect(throws: SDKUploadFault.jsonShape) { try self.json(text) }
        }
    }

    @Test func identifiersOfZerosAndBlanksAreNone() throws {
        let upload = try self.json(
            #"""
            [{"deviceId":"d","dataSourceId":"s","timestamp":1999,"eventType":"ACTIVATE","idfa":" ",
              "idfv":"00000000-0000-0000-0000-000000000000","imei":" 354649050046412 ",
              "attributes":{"userAgent":"","deep_link_id":" l "}}]
            """#
        )
        let activation = try #require(upload.activations.first)
        #expect(activation.kind == .activation)
        #expect(activation.convertedAt == 1)
        #expect(activation.idfa == nil)
        #expect(activation.idfv == nil)
        #expect(activation.imei == "354649050046412")
        #expect(activation.userAgent == nil)
        #expect(activation.deepLinkID == "l")
    }
}
