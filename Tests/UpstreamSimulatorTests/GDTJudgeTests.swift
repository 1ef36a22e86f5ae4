import Testing

@testable import UpstreamSimulator

struct GDTJudgeTests {
    @Test(arguments: GDTVector.all)
    func acceptsEveryVector(vector: GDTVector) {
        let judgement = GDTJudge(keys: [vector.keys]).judge(
            target: Array(vector.target.utf8),
            now: vector.time
        )
        #expect(judgement.ret == .accepted)
        let expected = GDTConversion(
            appID: vector.appID,
            muid: vector.muid,
            conversionType: vector.conversionType
        )
        #expect(judgement.report?.conversion == expected)
    }

    @Test(arguments: GDTVector.all.filter { $0.rawPlusTarget != nil })
    func aRawPlusBreaksTheBase64(vector: GDTVector) throws {
        let target = try #require(vector.rawPlusTarget)
        let judgement = GDTJudge(keys: [vector.keys]).judge(target: Array(target.utf8), now: vector.time)
        #expect(judgement == GDTJudgement(ret: .undecodable, report: nil))
    }

    @Test func aRawPlusWasFoundAmongTheVectors() {
        #expect(GDTVector.all.contains { $0.rawPlusTarget != nil })
    }

    @Test(arguments: GDTVector.all)
    func everyVectorHasItsOwnKeys(vector: GDTVector) {
        var keys = vector.keys
        keys.signKey += "x"
        #expect(Self.ret(vector.target, keys, vector.time) == .unparsable)
        keys = vector.keys
        keys.encryptKey = "\u{1}" + keys.encryptKey
        #expect(Self.ret(vector.target, keys, vector.time) == .unparsable)
    }

    @Test(arguments: [
        ("/conv/app//conv?v=a&conv_type=b&app_type=IOS&advertiser_id=1", GDTRet.illegalRequest),
        ("/conv/app/111/conv/?v=a&conv_type=b&app_type=IOS&advertiser_id=222", .illegalRequest),
        ("/conv/app/111?v=a&conv_type=b&app_type=IOS&advertiser_id=222", .illegalRequest),
        ("/", .illegalRequest),
        ("", .illegalRequest),
        ("http://t.gdt.qq.com", .illegalRequest),
        ("/conv/app/111/conv", .illegalRequest),
        ("/conv/app/111/conv?conv_type=b&app_type=IOS&advertiser_id=222", .illegalRequest),
        ("/conv/app/111/conv?v=&conv_type=b&app_type=IOS&advertiser_id=222", .illegalRequest),
        ("/conv/app/111/conv?v=a&app_type=IOS&advertiser_id=222", .illegalRequest),
        ("/conv/app/111/conv?v=a&conv_type=b&advertiser_id=222", .illegalRequest),
        ("/conv/app/111/conv?v=a&conv_type=b&app_type=IOS", .illegalRequest),
        // From here on everything later in the order is wrong as well: the first fault names the answer.
        ("/conv/app/999/conv?v=!&conv_type=b&app_type=ios&advertiser_id=9", .illegalAppType),
        ("/conv/app/999/conv?v=!&conv_type=b&app_type=IOS&advertiser_id=222", .noKeys),
        ("/conv/app/111/conv?v=!&conv_type=b&app_type=IOS&advertiser_id=9", .noKeys),
        ("/conv/app/111/conv?v=!&conv_type=b&app_type=IOS&advertiser_id=222", .undecodable),
        ("/conv/app/111/conv?v=AAAA&conv_type=b&app_type=IOS&advertiser_id=222", .unparsable),
    ])
    func namesTheFirstFaultOfATarget(target: String, ret: GDTRet) {
        #expect(Self.ret(target) == ret)
    }

    @Test(
        arguments: [
            (Reporter(), GDTRet.accepted),
            (Reporter(path: "http://127.0.0.1:8080/conv/app/111/conv"), .accepted),
            (Reporter(appType: "UNIONANDROID"), .accepted),
            (Reporter(appType: "ANDROID"), .accepted),
            (Reporter(appType: "UNION"), .illegalAppType),
            (Reporter(clearText: "muid"), .unparsable),
            (Reporter(clearText: "muid=1&conv_time=2"), .unparsable),
            (Reporter(clearText: "sign=0123"), .unparsable),
            (Reporter(clearText: "muid=é&sign=0123"), .unparsable),
            (Reporter(query: "muid=1&&conv_time=2"), .unparsable),
            (Reporter(query: "muid=1 2&conv_time=2"), .unparsable),
            (Reporter(signKey: "another", muid: "bad"), .unparsable),
            (Reporter(signedApp: "112", muid: "bad"), .unparsable),
            (Reporter(encryptKey: "another", muid: "bad"), .unparsable),
            (Reporter(muid: nil, time: "0", conversionType: "x"), .illegalMuid),
            (Reporter(muid: "", time: "0", conversionType: "x"), .illegalMuid),
            (Reporter(muid: String(repeating: "0", count: 31), time: "0"), .illegalMuid),
            (Reporter(muid: String(repeating: "0", count: 33), time: "0"), .illegalMuid),
            (Reporter(muid: String(repeating: "A", count: 32), time: "0"), .illegalMuid),
            (Reporter(muid: String(repeating: "g", count: 32), time: "0"), .illegalMuid),
            (Reporter(time: nil, conversionType: "x"), .illegalTime),
            (Reporter(time: "x", conversionType: "x"), .illegalTime),
            (Reporter(time: "1700000000.5", conversionType: "x"), .illegalTime),
            (Reporter(time: "1700000000000", conversionType: "x"), .illegalTime),
            (Reporter(time: "99999999999999999999999", conversionType: "x"), .illegalTime),
            (Reporter(time: String(Reporter.now - 604_800)), .accepted),
            (Reporter(time: String(Reporter.now - 604_801), conversionType: "x"), .illegalTime),
            (Reporter(time: String(Reporter.now + 300)), .accepted),
            (Reporter(time: String(Reporter.now + 301), conversionType: "x"), .illegalTime),
            (Reporter(conversionType: "MOBILE_APP_ACTIVITE"), .noRule),
            (Reporter(conversionType: "MOBILEAPP_COST"), .accepted),
        ] as [(Reporter, GDTRet)]
    )
    func namesTheFirstFaultOfAReport(reporter: Reporter, ret: GDTRet) {
        #expect(Self.ret(reporter.target) == ret)
    }

    @Test func theWindowIsASetting() {
        let window = GDTJudge.Window(oldestSeconds: 10, aheadSeconds: 0)
        let judge = GDTJudge(keys: [Reporter.keys], window: window)
        let target = Array(Reporter().target.utf8)
        #expect(judge.judge(target: target, now: Reporter.now).ret == .accepted)
        #expect(judge.judge(target: target, now: Reporter.now + 10).ret == .accepted)
        #expect(judge.judge(target: target, now: Reporter.now + 11).ret == .illegalTime)
        #expect(judge.judge(target: target, now: Reporter.now - 1).ret == .illegalTime)
    }

    @Test func aRuleBelongsToAnAccount() {
        var keys = Reporter.keys
        keys.conversionTypes = ["MOBILEAPP_REGISTER"]
        #expect(Self.ret(Reporter().target, keys) == .noRule)
        #expect(Self.ret(Reporter(conversionType: "MOBILEAPP_REGISTER").target, keys) == .accepted)
    }

    @Test func anEmptyKeyCountsAsNone() {
        var keys = Reporter.keys
        keys.encryptKey = ""
        #expect(Self.ret(Reporter().target, keys) == .noKeys)
    }

    @Test func survivesEveryTruncation() {
        let target = Reporter().target
        for length in 0..<target.utf8.count {
            let ret = Self.ret(String(target.prefix(length)))
            // Only the tail of the advertiser id can go unnoticed, and then nobody has those keys.
            #expect(ret != .accepted, "\(length)")
        }
    }

    private static func ret(
        _ target: String,
        _ keys: GDTKeys = Reporter.keys,
        _ now: Int64 = Reporter.now
    ) -> GDTRet {
        GDTJudge(keys: [keys]).judge(target: Array(target.utf8), now: now).ret
    }
}
