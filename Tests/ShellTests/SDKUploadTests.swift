import FlotillaRecords
import Testing

/// Uploads of a company's own build of the SDK, with an encryption of its own.
struct SDKUploadTests {
    /// Subtracts a number from each byte.
    private struct Shift: UploadCipher {
        struct Unknown: Error {}

        var codec: Int
        var distance: UInt8 = 3

        func decrypt(_ body: [UInt8], target: String) throws -> [UInt8] {
            guard target.contains("stm=") else { throw Unknown() }
            return body.map { $0 &- self.distance }
        }
    }

    private static let event = """
        [{"eventType":"ACTIVATE","deviceId":"d","dataSourceId":"s","timestamp":1700000000000,"idfa":"I"}]
        """

    private static func upload(_ codec: String?, query: String = "?stm=1", shift: UInt8 = 3) -> SDKUpload {
        SDKUpload(
            target: "/v3/projects/p/collect\(query)",
            headers: [("Content-Type", "application/json")] + (codec.map { [("X-Crypt-Codec", $0)] } ?? []),
            body: self.event.utf8.map { $0 &+ shift }
        )
    }

    @Test func aRegisteredEncryptionIsUndone() throws {
        let events = try Self.upload("7").events(ciphers: [Shift(codec: 7)])
        #expect(events.account == "p")
        #expect(events.events.map(\.type) == ["ACTIVATE"])
        #expect(String(decoding: events.events[0].json, as: UTF8.self).contains("\"idfa\":\"I\""))
    }

    @Test func aRegisteredEncryptionReplacesTheStandardOne() throws {
        #expect(try Self.upload("1").events(ciphers: [Shift(codec: 1)]).events.count == 1)
        #expect(throws: RecordError.self) { try Self.upload("1").events() }
    }

    @Test func theNumberZeroStaysUnencrypted() throws {
        #expect(try Self.upload("0", shift: 0).events(ciphers: [Shift(codec: 0)]).events.count == 1)
    }

    @Test(arguments: [("7", "", "upload.crypt"), ("8", "?stm=1", "upload.unknown_crypt_codec")])
    func namesWhatIsWrong(codec: String, query: String, code: String) {
        let error = #expect(throws: RecordError.self) {
            try Self.upload(codec, query: query).events(ciphers: [Shift(codec: 7)])
        }
        #expect(error?.code == code)
    }

    @Test func anUploadSurvivesItsTopic() throws {
        let upload = Self.upload("7")
        let record = upload.record()
        let read = Record(topic: record.topic, value: record.value, headers: record.headers)
        #expect(SDKUpload(read) == upload)
        #expect(SDKUpload(Record(topic: "sdk-upload", value: [1])) == nil)
    }
}
