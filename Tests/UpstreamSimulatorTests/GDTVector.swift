import Testing

@testable import UpstreamSimulator

/// Reports as reporters make them, with what decides their answer. Row 1 is the service's official example.
struct GDTVector: Sendable, CustomTestStringConvertible {
    let name: String
    let appID: String
    let advertiserID: String
    let signKey: String
    let encryptKey: String
    let time: Int64
    let muid: String
    let conversionType: String
    /// With every byte of `v` escaped that needs it.
    let target: String
    /// With a raw `+` in `v`, where the report has one: what a reporter without that escaping sends.
    let rawPlusTarget: String?

    var testDescription: String { self.name }

    var keys: GDTKeys {
        GDTKeys(
            appID: self.appID,
            advertiserID: self.advertiserID,
            signKey: self.signKey,
            encryptKey: self.encryptKey
        )
    }

    static let all: [GDTVector] = [
        GDTVector(
            name: "official_worked_example",
            appID: "112233",
            advertiserID: "10000",
            signKey: "test_sign_key",
            encryptKey: "test_encrypt_key",
            time: 1_422_263_664,
            muid: "0f074dc8e1f0547310e729032ac0730b",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/112233/conv?v=GRAaEGJVCFNFTRQXZw5UH0RQR0NsVF4GRUtJRGxZBBpEUkBEPUMNDBwPLwA2BgBE\
                RVFBRm1TXVVETVYXMwIAFwA6GgRiVF5NQ0heRW1FVEpSFhoTMVhWAkYdRxJqWFdKEgFKRT1WWVdBSRRCbFIATxJS\
                QENuBw%3D%3D&conv_type=MOBILEAPP_ACTIVITE&app_type=ANDROID&advertiser_id=10000
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "seed_shape_ios",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMVXQVcCwNcAQkGAFUOBAwEAANTC1cEUQUFW1RYDl0NVF9XAVYP&conv_type=MOBILEAPP_\
                ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "idfa_lower_case_in",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMVXQVcCwNcAQkGAFUOBAwEAANTC1cEUQUFW1RYDl0NVF9XAVYP&conv_type=MOBILEAPP_\
                ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "idfa_padded_in",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMVXQVcCwNcAQkGAFUOBAwEAANTC1cEUQUFW1RYDl0NVF9XAVYP&conv_type=MOBILEAPP_\
                ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "ios_with_client_ip",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMFWAtXWEM7WkFeAlEKSwgbVwVRHAERF1pWDQ1XD10MDFcCVFBUUVJXBlRVAlhVXgFWUlZRB\
                QUBBAJaBw%3D%3D&conv_type=MOBILEAPP_ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "ios_with_ipv6",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMFWAtXWEM7WkFeAlEJVB0GJ1AAChMEJRYCIgdHSgxfW1tSVgZVAFABA1ECWQFVDlQFVgEAD\
                wZdAlNVUQAIXVsHVA%3D%3D&conv_type=MOBILEAPP_ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "key_short",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "abc",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=DBcKBV9XUQFUUVpXA1ZbVVcGBAAABFsHUVUBWQNSWQNTVFcFAkQADgwVPhYKD\
                AdeUFVTUVJTUVJTUUQQCAUNXFZbU1oGUVZUAFZSB1VSWANQVFRXWQZaVlpWAFsAAgZa&conv_type=MOBILEAPP_\
                ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "key_one_byte",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "k",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=Bh4CD1ZfWwhcW1NfCV9TX14ODgkIDlIPW1wJUwpaUwpbXl4NCE0IBAUdNB8CB\
                g5WWlxbW1tbW1tbW00YAgwFVl9TWVMOW19cCl9aDVxaUgpYXl1fUw9SXFNeClIICA9S&conv_type=MOBILEAPP_\
                ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "key_longer_than_data",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: """
                ahovcjqxelszgnubipwdkryfmtahovcjqxelszgnubipwdkryfmtahovcjqxelszgnubipwdkryfmtahovcjqxel\
                szgnubipwdkryfmtahovcjqxelszgnubipwdkryfmtahovcjqxelszgnubipwdkryfmtahov
                """,
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=DB0GEl5eQRtSXEtOBVpNVlwVEgYIF0ACXUMDUA5HWwtBTVAKEFwEARsUNgQeC\
                Q5PSFFdRFFYX0ZTWlcLDAsdR1NWR1oMQENTCkZIAFpFWAlcQ1VeSRxcW0tPBlcWAQ1J&conv_type=MOBILEAPP_\
                ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "key_exactly_data_length",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: """
                AFKPUZEJOTYDINSXCHMRWBGLQVAFKPUZEJOTYDINSXCHMRWBGLQVAFKPUZEJOTYDINSXCHMRWBGLQVAFKPUZEJOT\
                YDINSXCH
                """,
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=LDMiNGhudSl4ZGFwK3prbHYtKDA0J34oYWEjfiphbTt1f3oyOmIqIT0uHDwkP\
                zJ%2FdnthZnF2e2BlamM5JjM3eX12YWAmeHllNnZ2KmZneCd4ZWNufS52Y2FxKHcwOydx&conv_type=MOBILEAP\
                P_ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "v_has_slash_only",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "BAAAAAAAAAAAfNQ9",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=LzQoJXx1cSJ2cXl1BHppDXckJCMiJHglcXYjeQd%2FaVhydHQnImciLi83HjU\
                PIzQEc3ZxcXFxcXFxcWcyDyk%2FBHZ5c3kkcXV2IHVwJ1F%2FaFhxdHd1eSV4dnl0IHgFLTUA&conv_type=MOBI\
                LEAPP_ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "v_has_plus_and_slash",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "BAAAAAAAAAAAVOMd",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=LzQoJXx1cSJ2cXl1NHt1UHckJCMiJHglcXYjeTd%2BdQVydHQnImciLi83HjU\
                %2FIihZc3ZxcXFxcXFxcWcyPygjWXZ5c3kkcXV2IHVwJ2F%2BdAVxdHd1eSV4dnl0IHg1LCld&conv_type=MOBI\
                LEAPP_ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: """
                /conv/app/111111111/conv?v=LzQoJXx1cSJ2cXl1NHt1UHckJCMiJHglcXYjeTd+dQVydHQnImciLi83HjU%2\
                FIihZc3ZxcXFxcXFxcWcyPygjWXZ5c3kkcXV2IHVwJ2F+dAVxdHd1eSV4dnl0IHg1LCld&conv_type=MOBILEAP\
                P_ACTIVITE&app_type=IOS&advertiser_id=222222
                """
        ),
        GDTVector(
            name: "v_two_pad",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMFWAtXWEM7WkFeAVEXVRYFSAVEQV9QCg4HWwlWDFNdDFYFVlcHAwIDB1YJB1hTDFZeVwZUU\
                wZRAQ%3D%3D&conv_type=MOBILEAPP_ACTIVITE&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "click_id_first",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=VAhaUghvCF1YCAVRBlMCAwNcUgFQAFEMXFtWAlIGA1IDQl5EClRcDVVbAlYMV\
                lACD1AGVAZSAlxcXAVRVlpTBw8FAwRWVgIfBldbEGsWW1tSWQIGUwBRCVUIBVYSAV5fUgpHbgpAXAtVCxtWGlMDB\
                RlTFUIKVw8EAF0BVQcDClNSAQQFAQJYXVcIDAMMVAcDAVcFBgBWBwo%3D&conv_type=MOBILEAPP_ACTIVITE&a\
                pp_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "click_id_after_time",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMFWAtRXWgNVwxTAFYLVAgAUgwDAgUHVAYIAFMFXwEJUVISEVtRWVkGBVUJWAgDXQVeAAADU\
                FVSAVcCBQBbXAAEV1YAUQcOUg%3D%3D&conv_type=MOBILEAPP_ACTIVITE&app_type=IOS&advertiser_id=\
                222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "register",
            appID: "111111111",
            advertiserID: "222222",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "40c7084b4845eebce9d07b8a18a055fc",
            conversionType: "MOBILEAPP_REGISTER",
            target: """
                /conv/app/111111111/conv?v=WhFaVV4EUVpSCA1SVlYKAgIBVlMAVVhdVQ9XXlVTClcHUQZXABYCVgtOahJdD\
                1cLBlMDAVMAUQlVCBMVXQVcCwNcAQkGAFUOBAwEAANTC1cEUQUFW1RYDl0NVF9XAVYP&conv_type=MOBILEAPP_\
                REGISTER&app_type=IOS&advertiser_id=222222
                """,
            rawPlusTarget: nil
        ),
        GDTVector(
            name: "android_imei",
            appID: "112233",
            advertiserID: "10000",
            signKey: "0f1e2d3c4b5a6978",
            encryptKey: "7d31c0a9e85f4b26",
            time: 1_700_000_000,
            muid: "b496ec1169770ea274a2b4f42ca4fb71",
            conversionType: "MOBILEAPP_ACTIVITE",
            target: """
                /conv/app/112233/conv?v=WhFaVV5SVQBTXVZXBVQLAQBUVlBRB1VYV1oBAABQUVcDAlEGUhYCVgtOahJdD1cL\
                BlMDAVMAUQlVCBMVXQVcCwZRAlJUVFUOVAoGAw0GVwZRXApUVlZSClwBBFMEWwUF&conv_type=MOBILEAPP_ACT\
                IVITE&app_type=ANDROID&advertiser_id=10000
                """,
            rawPlusTarget: nil
        ),
    ]
}
