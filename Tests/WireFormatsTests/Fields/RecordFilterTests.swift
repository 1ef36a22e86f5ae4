import Records
import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

/// Conditions on headers and fields, in JSON and in protobuf.
struct RecordFilterTests {
    private static func record(_ value: [UInt8], headers: [RecordHeader] = []) -> InboundRecord {
        InboundRecord(topic: "t", partition: 0, offset: 0, value: value, headers: headers)
    }

    private static func isMet(_ text: String, by record: InboundRecord) throws -> Bool {
        let filter = try #require(RecordFilter(text))
        return filter.isMet(by: record, RecordObject.activation(record))
    }

    @Test(arguments: ["", "header", "header:", "header:=1", "field:=", "key:a", "Header:a", "field"])
    func refusesTextsThatAreNoCondition(text: String) {
        #expect(RecordFilter(text) == nil)
    }

    @Test func aHeaderIsThereOrHasAValue() throws {
        let record = Self.record(
            [],
            headers: [
                RecordHeader("test", "1"), RecordHeader("empty", nil), RecordHeader("test", "a=b"),
            ]
        )
        for text in ["header:test", "header:test=1", "header:test=a=b", "header:empty", "header:empty="] {
            #expect(try Self.isMet(text, by: record), "\(text)")
        }
        for text in ["header:Test", "header:test=", "header:test=2", "header:tes", "field:test"] {
            #expect(try !Self.isMet(text, by: record), "\(text)")
        }
    }

    @Test func aFieldIsComparedByItsTextInJSON() throws {
        let json =
            #"{"appId":112233,"app_type":"I\u004fS","value":"5","trackingAuthorized":false,"clickId":null,"#
            + #""x":{}}"#
        let record = Self.record(Array(json.utf8))
        for text in [
            "field:appId", "field:appId=112233", "field:appType=IOS", "field:value=5", "field:x",
            "field:trackingAuthorized=false",
        ] {
            #expect(try Self.isMet(text, by: record), "\(text)")
        }
        for text in [
            "field:appid", "field:appId=11", "field:clickId", "field:value=\"5\"", "field:y", "header:appId",
        ] {
            #expect(try !Self.isMet(text, by: record), "\(text)")
        }
    }

    @Test func aFieldInProtobufIsComparedInTheSameWay() throws {
        var message = Flotilla_Activation_V1_Activation()
        message.appID = 112233
        message.appType = "IOS"
        let record = Self.record(try message.serializedBytes())
        #expect(try Self.isMet("field:appId=112233", by: record))
        #expect(try Self.isMet("field:appType=IOS", by: record))
        #expect(try !Self.isMet("field:appType=ANDROID", by: record))
        // A field with its default value is not sent.
        #expect(try !Self.isMet("field:muid", by: record))
    }

    @Test(arguments: ["", "[1]", "nothing", "{\"a\":"])
    func aValueThatCannotBeReadHasNoFields(value: String) throws {
        #expect(try !Self.isMet("field:a", by: Self.record(Array(value.utf8))))
    }
}
