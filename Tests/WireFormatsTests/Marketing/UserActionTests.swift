import SwiftProtobuf
import Testing
import WireMessages

@testable import WireFormats

/// The actions that Tencent's `user_actions/add` is sent. The texts are written by hand from Tencent's tables.
@Suite struct UserActionTests {
    private static let id = "00000000-0000-5000-8000-000000000000"

    /// The muid is the official pair of this IDFA.
    @Test func writesAnActivation() throws {
        let action = UserAction.json(of: try ActivationDraft().activation(), id: Self.id)
        #expect(
            String(decoding: action, as: UTF8.self)
                == #"{"outer_action_id":"\#(Self.id)","action_time":1795248000,"action_type":"ACTIVATE_APP","#
                + #""user_id":{"hash_idfa":"40c7084b4845eebce9d07b8a18a055fc"}}"#
        )
    }

    @Test func writesAPaymentWithEverything() throws {
        let draft = ActivationDraft {
            $0.appType = "ANDROID"
            $0.conversionType = "MOBILEAPP_COST"
            $0.deviceID = "354649050046412"
            $0.value = 1_250
            $0.clickID = #"a"b\c"#
            $0.clientIp = "10.11.12.13"
        }
        let head =
            #"{"outer_action_id":"\#(Self.id)","action_time":1795248000,"action_type":"PURCHASE","#
            + #""user_id":{"hash_imei":"b496ec1169770ea274a2b4f42ca4fb71"},"action_param":{"value":1250}"#
        let report = UserAction.json(of: try draft.activation(), id: Self.id)
        let tail = #","trace":{"click_id":"a\"b\\c"},"ext_info":{"ip":"10.11.12.13"}}"#
        #expect(String(decoding: report, as: UTF8.self) == head + tail)
        let callback = UserAction.json(of: try draft.activation(), id: Self.id, for: .callback)
        #expect(String(decoding: callback, as: UTF8.self) == head + "}")
    }

    /// The digest of the OAID is that of Tencent's own example. A device without a muid has the others alone.
    @Test(arguments: ["354649050046412", ""])
    func writesTheOtherIDsOfADevice(imei: String) throws {
        let draft = ActivationDraft {
            $0.appType = "ANDROID"
            $0.deviceID = imei
            $0.hashOaid = "83e9158a4fb54c0e1ef0b238639a23ae"
            $0.hashAndroidID = "b496ec1169770ea274a2b4f42ca4fb71"
            ($0.caid, $0.caidVersion) = ("507b36cb", "1005")
            $0.userAgent = "Mozilla/5.0 (Linux)"
        }
        let muid = imei.isEmpty ? "" : #""hash_imei":"b496ec1169770ea274a2b4f42ca4fb71","#
        let head =
            #"{"outer_action_id":"\#(Self.id)","action_time":1795248000,"action_type":"ACTIVATE_APP","#
            + #""user_id":{\#(muid)"hash_oaid":"83e9158a4fb54c0e1ef0b238639a23ae","#
            + #""hash_android_id":"b496ec1169770ea274a2b4f42ca4fb71","caid":"507b36cb","caid_version":"1005"}"#
        let report = UserAction.json(of: try draft.activation(), id: Self.id)
        #expect(
            String(decoding: report, as: UTF8.self)
                == head + #","ext_info":{"user_agent":"Mozilla/5.0 (Linux)"}}"#
        )
        let callback = UserAction.json(of: try draft.activation(), id: Self.id, for: .callback)
        #expect(String(decoding: callback, as: UTF8.self) == head + "}")
    }

    @Test(arguments: [
        ("MOBILEAPP_REGISTER", "REGISTER"), ("MOBILEAPP_ADDTOCART", "ADD_TO_CART"),
        ("MOBILEAPP_SCORE", "RATE"), ("MOBILEAPP_SEARCH", "SEARCH"),
    ])
    func namesEveryType(conversionType: String, actionType: String) throws {
        let activation = try ActivationDraft { $0.conversionType = conversionType }.activation()
        let action = String(decoding: UserAction.json(of: activation, id: Self.id), as: UTF8.self)
        #expect(action.contains(#""action_type":"\#(actionType)""#))
    }

    @Test func theIDIsThatOfTheRecordAndItsContent() throws {
        let activation = try ActivationDraft().activation()
        let id = UserAction.id(of: activation, in: "activation/3/42")
        #expect(id == UserAction.id(of: activation, in: "activation/3/42"))
        #expect(id.utf8.count == 36 && id.dropFirst(14).first == "5")
        // A topic that was made anew has another record at the same place.
        let others = [
            UserAction.id(of: activation, in: "activation/3/43"),
            UserAction.id(
                of: try ActivationDraft { $0.convertedAt.seconds += 1 }.activation(),
                in: "activation/3/42"
            ),
            UserAction.id(
                of: try ActivationDraft { $0.conversionType = "MOBILEAPP_SEARCH" }.activation(),
                in: "activation/3/42"
            ),
        ]
        #expect(Set(others + [id]).count == 4)
    }

    @Test func joinsActionsAndEscapesTheToken() throws {
        let target = UserActionTarget(
            baseURL: try BaseURL("https://api.e.qq.com/v3.0/"),
            accountID: 10_000,
            actionSetID: 77
        )
        #expect(
            String(decoding: target.body(of: [Array("{1}".utf8), Array("{2}".utf8)]), as: UTF8.self)
                == #"{"account_id":10000,"user_action_set_id":77,"actions":[{1},{2}]}"#
        )
        #expect(
            target.url(token: Array("a+b/c=".utf8), at: 1_700_000_000, nonce: "n")
                == "https://api.e.qq.com/v3.0/user_actions/add?access_token=a%2Bb%2Fc%3D&timestamp=1700000000&nonce=n"
        )
    }
}
