import Foundation
import Records
import Testing

@testable import WireFormats

/// Members of a record that its schema does not have, and what is said of them.
@Suite struct UnknownFieldsTests {
    private static func record(_ json: String, _ headers: [RecordHeader] = []) -> InboundRecord {
        InboundRecord(topic: "t", partition: 0, offset: 0, value: Array(json.utf8), headers: headers)
    }

    private static func told(_ json: String, _ headers: [RecordHeader] = []) -> String? {
        UnknownFields(of: self.record(json, headers), in: .activation)?.recordHeader.value.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The lists that are written by hand are those of the schemas.
    @Test(
        arguments: zip(
            ["activation", "devicecheck", "receipt", "push-arrival"],
            [SchemaFields.activation, .deviceCheck, .receipt, .pushEvent]
        )
    )
    func everyListIsThatOfItsSchema(name: String, fields: SchemaFields) throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(
                with: Data(ExamplesTests.bytes("json/\(name).schema.json"))
            ) as? [String: Any]
        )
        let properties = try #require(schema["properties"] as? [String: Any])
        #expect(Set(fields.names) == Set(properties.keys))
        #expect(fields.names.count == properties.count)
    }

    @Test(
        arguments: [
            (#"{}"#, nil), (#"{"appId":"1","app_id":"1","muid":""}"#, nil), (#"{"deviceID":1}"#, "deviceID"),
            (#" {"b":{"inner":1},"a":[{"deep":1}],"b":2}"#, "b,a"),
            (#"{"device\u0049d":"an escape","device\u0049D":1}"#, "deviceID"),
            (#"{"1":1,"":2,"a b":3,"é":4,"40c7084b4845eebce9d07b8a18a055fc":5,"x":6}"#, "x,+5"),
            (#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}"#, "a,b,c,d,e,f,g,h,+2"),
            ("[1]", nil), (#"{"a":1"#, nil), ("", nil), ("\u{8}\u{1}", nil),
        ] as [(String, String?)]
    )
    func namesAreToldAndBounded(json: String, header: String?) {
        #expect(Self.told(json) == header)
    }

    @Test func everyWrappingOfARecordIsTakenOff() {
        let structured = RecordHeader("content-type", "application/cloudevents+json")
        #expect(
            Self.told(#"{"specversion":"1.0","id":"i","data":{"appID":1,"appId":2}}"#, [structured])
                == "appID"
        )
        #expect(Self.told("\u{0}\u{0}\u{0}\u{0}\u{7}{\"appID\":1}") == "appID")
        let protobuf = RecordHeader("content-type", "application/x-protobuf")
        #expect(Self.told(#"{"appID":1}"#, [protobuf]) == nil)
    }

    /// A worker before this one may have written the record anew.
    @Test(
        arguments: [
            ("deviceID,os,+2", "deviceID,os,+2"), ("a", "a"), ("+3", "+3"), ("a,+", nil), ("a,,b", nil),
            ("", nil), ("+2,a", nil), ("a b", nil), (String(repeating: "a,", count: 9) + "a", nil),
            (String(repeating: "a", count: 31), nil), ("a,+99999999999", nil),
        ] as [(String, String?)]
    )
    func theHeaderOfAnEarlierWorkerIsRepeated(claim: String, header: String?) {
        let claim = RecordHeader(UnknownFields.header, claim)
        #expect(Self.told(#"{"appId":"1"}"#, [claim]) == header)
        #expect(Self.told(#"{"own":"1"}"#, [claim]) == "own")
    }

    @Test(
        arguments: [
            ("deviceID", "deviceId", 0), ("DEVICE_ID", "deviceId", 0), ("device-id", "deviceId", 0),
            ("devceId", "deviceId", 1), ("deviceIdd", "deviceId", 1), ("deviecId", "deviceId", 2),
            ("devId", "deviceId", nil), ("valeu", "value", nil), ("valu", "value", 1), ("OP", "op", 0),
            ("ip", "op", nil), ("muids", "muid", 1), ("", "op", nil),
        ] as [(String, String, Int?)]
    )
    func nearIsNear(name: String, field: String, distance: Int?) {
        #expect(NearMiss.distance(from: name, to: field) == distance)
    }

    @Test(arguments: [SchemaFields.activation, .deviceCheck, .receipt, .pushEvent])
    func aFieldIsNoLongerThanANameThatIsTold(fields: SchemaFields) {
        #expect(fields.names.allSatisfy { $0.utf8.count <= UnknownFields.nameBytesLimit })
    }

    private static func message(of json: String) -> String? {
        do throws(Activation.Fault) {
            _ = try Activation(decoding: self.record(json))
            return nil
        } catch {
            switch error {
            case .record(let fault): return fault.reason.message
            case .refused(let reason, _): return reason.message
            }
        }
    }

    private static let question = " The record has the unknown field `deviceID`: did you mean `deviceId`?"

    @Test func nearMissesAreAskedAbout() {
        let rest = #""advertiserId":"1","appType":"IOS","conversionType":"MOBILEAPP_ACTIVITE""#
        let time = #""convertedAt":"2026-11-21T08:00:00Z""#
        #expect(
            Self.message(of: #"{"appId":"1",\#(rest),\#(time),"deviceID":"x"}"#)
                == "The device has no id: it cannot be reported." + Self.question
        )
        #expect(
            Self.message(of: #"{"app_Id":"1",\#(rest),\#(time)}"#)
                == "The field `appId` is missing. The record has the unknown field `app_Id`: did you mean `appId`?"
        )
        // The record has the field itself too, so the other one is no miss.
        #expect(
            Self.message(of: #"{"appId":"0","appID":"1",\#(rest)}"#) == "The field `appId` is missing."
        )
        #expect(Self.message(of: #"{"os":"1",\#(rest)}"#) == "The field `appId` is missing.")
    }

    @Test(
        arguments: [
            (#"[1]"#, "a list"), (#"{"a":1}"#, "an object"), (#""x""#, "a string"), ("1.5", "a number"),
            ("true", "true"), ("false", "false"),
        ]
    )
    func theMessageNamesFieldAndType(value: String, noun: String) throws {
        let whole = "The value of `appId` is \(noun); it has to be a whole number."
        #expect(Self.message(of: #"{"appType":"IOS","appId":\#(value)}"#) == whole)
        let receipt = Self.record(#"{"bundleId":"a","requestId":\#(value == "\"x\"" ? "7" : value)}"#)
        do throws(Receipt.Fault) {
            _ = try Receipt(decoding: receipt)
            Issue.record("decoded")
        } catch {
            guard case .refused(let reason, _) = error else {
                Issue.record("\(error)")
                return
            }
            let noun = noun == "a string" ? "a number" : noun
            let text = "The value of `requestId` is \(noun); it has to be a string."
            #expect(reason == Reason("request_id.malformed", text))
        }
    }

    /// A name is quoted as the record spells it, or not at all.
    @Test func aNameWithEscapesStaysOut() {
        let general = "A field's value is not of the type its schema says."
        #expect(Self.message(of: #"{"app\u0049d":[1]}"#) == general)
    }
}
