import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

/// The reader of the usual spelling must never say anything but what the general decoder says.
@Suite struct UsualActivationTests {
    private static let full = #"""
        {"appId":"112233","advertiserId":10000,"appType":"IOS","conversionType":"MOBILEAPP_COST",
        "deviceId":"1E2DFA89-496A","muid":"","convertedAt":"2026-11-21T08:00:00.250Z","clientIp":"10.11.12.13",
        "clickId":"0072","value":"100","trackingAuthorized":true,"callback":"http%3A",
        "hashOaid":"83e9158a","hashAndroidId":"","caid":"507b36cb","caidVersion":"1005","userAgent":"M/5","note":"é","n":12}
        """#

    @Test(arguments: [
        full,
        "{}",
        #" {"appId" : 0, "value":0 , "trackingAuthorized" :false} "#,
        #"{"convertedAt":"2026-11-21T08:00:00Z","other":null,"x":true,"y":"z"}"#,
    ])
    func readsTheUsualSpelling(_ text: String) throws {
        let usual = try #require(UsualActivation(Array(text.utf8), from: 0))
        #expect(usual.fields == (try Self.general(Array(text.utf8))))
    }

    @Test(arguments: [
        #"{"app_id":"1"}"#, #"{"appId":"1","appId":"2"}"#, #"{"appId":null}"#, #"{"appId":"01"}"#,
        #"{"appId":-1}"#,
        #"{"appId":1.0}"#, #"{"value":1e2}"#, #"{"clickId":"a\u0062"}"#, #"{"\u0061ppId":1}"#, #"{"muid":1}"#,
        #"{"convertedAt":"2026-11-21T08:00:00+01:00"}"#, #"{"convertedAt":"2026-02-29T08:00:00Z"}"#,
        #"{"trackingAuthorized":"true"}"#, #"{"other":[1]}"#, #"{"other":{}}"#, #"{"other":1e999}"#,
        #"{"[x]":1}"#, #"[{"appId":"1"}]"#, #"{"appId":"1"} x"#, #""appId""#, "",
    ])
    func leavesTheRestToTheGeneralDecoder(_ text: String) {
        #expect(UsualActivation(Array(text.utf8), from: 0)?.fields == nil)
    }

    @Test func readsBehindAFrame() throws {
        let text: [UInt8] = [0, 0xFF, 0xFE] + Self.full.utf8
        let usual = try #require(UsualActivation(text, from: 3))
        #expect(usual.fields == (try Self.general(Array(Self.full.utf8))))
    }

    /// Every byte is replaced, removed and doubled.
    @Test func agreesAboutEveryNearMiss() throws {
        let text = Array(Self.full.utf8)
        var read = 0
        for index in text.indices {
            var misses = [
                Array(text[..<index] + text[(index + 1)...]), Array(text[...index] + text[index...]),
            ]
            for byte in Array("\"\\,:{}[]0e-.Z_nA \u{0}\u{7F}".utf8) + [0xC3, 0xFF] {
                var miss = text
                miss[index] = byte
                misses.append(miss)
            }
            for miss in misses {
                guard let usual = UsualActivation(miss, from: 0) else { continue }
                read += 1
                let general = try? Self.general(miss)
                #expect(usual.fields == general, "\(String(decoding: miss, as: UTF8.self))")
            }
        }
        #expect(read > 1_000)
    }

    private static func general(_ text: [UInt8]) throws -> ActivationFields {
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        return ActivationFields(try Flotilla_Activation_V1_Activation(jsonUTF8Bytes: text, options: options))
    }
}
