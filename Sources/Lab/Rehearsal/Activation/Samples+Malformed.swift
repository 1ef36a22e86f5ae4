import Harness
import Records
import WireFormats
import WireMessages

extension Samples {
    /// Records that the publisher made wrongly, so that no retry can help.
    static func malformed(_ make: inout Activations) -> [Sample] {
        let appID = "\"\(DemoAccount.appID)\""
        let json = [self.contentType(.json)]
        var stranger = make.message()
        stranger.appID = 998_877
        return [
            .dead("tombstone", make.raw(nil, self.oddHeaders), as: .undecodable, because: "value.tombstone"),
            .dead("no bytes at all", make.raw([]), as: .undecodable, because: "value.empty"),
            .dead(
                "bytes that mean nothing",
                make.raw([0xFF, 0xFE, 0x00, 0x9F]),
                as: .undecodable,
                because: "value.not_protobuf"
            ),
            .dead(
                "JSON that ends early",
                make.raw(Array(#"{"appId":"112233","#.utf8)),
                as: .undecodable,
                because: "value.not_json"
            ),
            .dead(
                "text that is not UTF-8",
                make.raw(self.invalidText, json),
                as: .undecodable,
                because: "value.not_json"
            ),
            .dead(
                "a frame around nothing",
                make.raw([0, 0, 0, 0, 7]),
                as: .undecodable,
                because: "value.framing"
            ),
            .dead(
                "an unknown content type",
                make.raw(Array("<a/>".utf8), [RecordHeader("content-type", "text/xml")]),
                as: .undecodable,
                because: "value.unknown_content_type"
            ),
            .dead(
                "a field of the wrong type",
                make.spoilt(appID, by: "true"),
                as: .invalid,
                because: "field.wrong_type"
            ),
            .dead("no app id", make.spoilt(appID, by: "0"), as: .invalid, because: "app_id.missing"),
            .dead(
                "an unknown app type",
                make.spoilt("IOS", by: "WINDOWS"),
                as: .invalid,
                because: "app_type.unknown"
            ),
            .dead(
                "an unknown conversion type",
                make.spoilt("MOBILEAPP_ACTIVITE", by: "MOBILEAPP_ACTIVATE"),
                as: .invalid,
                because: "conversion_type.unknown"
            ),
            .dead(
                "an app without keys",
                make.json(stranger),
                as: .invalid,
                because: "configuration.unknown_app"
            ),
        ]
    }

    /// Kafka allows all of these headers, and a dead letter must return them unchanged.
    private static let oddHeaders = [
        RecordHeader("tried-by", "a"), RecordHeader("tried-by", "b"),
        RecordHeader("nothing", nil as [UInt8]?),
        RecordHeader("bytes", [0x00, 0xFF]),
    ]

    private static let invalidText =
        Array(#"{"appId":"112233",""#.utf8) + [0xC3, 0x28] + Array(#"":1}"#.utf8)
}
