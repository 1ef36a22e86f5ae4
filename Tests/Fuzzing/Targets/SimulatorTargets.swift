import WireFormats

@testable import UpstreamSimulator

extension FuzzTarget {
    /// A request target, as the simulator judges it; and what stands in the fields of its query.
    static let simulatorRequest = FuzzTarget(
        "simulator-request",
        longestInput: 1_024,
        words: [
            "/conv/app/112233/conv?", "v=", "&conv_type=MOBILEAPP_COST", "&app_type=IOS",
            "&advertiser_id=10000",
            "http://t.gdt.qq.com", "%2B", "+", "&sign=",
        ]
    ) { input in
        let desk = try SimulatorDesk.made.get()
        let judgement = desk.judge.judge(target: input, now: InputReader.now / 1_000)
        try claim("only what is signed is accepted", judgement.ret != .accepted || judgement.report != nil)
        // Without the keys nobody guesses a signature: the one report of the corpus is ours. The type of the
        // conversion stands outside of it.
        if let report = judgement.report {
            try claim("only our own report is signed", report.clickID == desk.report.clickID)
            try claim("a signed device is ours", report.conversion.muid == desk.report.conversion.muid)
        }
        if let query = SignedQuery(deciphering: input, with: Array("k".utf8)) {
            try claim("a signed query is a part of it", query.query.count < input.count)
        }
    }

    static let simulatorFaults = FuzzTarget(
        "simulator-faults",
        longestInput: 1_024,
        words: [
            "{\"down\":{\"milliseconds\":", "\"latency\":{\"milliseconds\":1,\"jitter_milliseconds\":2}",
            "\"hang\":{}",
            "\"server_error\":{\"status\":503}", "\"throttle\":{\"retry_after_seconds\":",
            "\"when\":{\"probability\":0.5}",
            "\"wrong_rets\":[{\"ret\":-12}]", "\"next\":", "\"for_milliseconds\":", "9223372036854775807",
            "-9223372036854775808",
        ]
    ) { input in
        guard let faults = try? StrictJSON.decode(Faults.self, from: input) else { return }
        let written = try StrictJSON.encode(faults)
        try claim(
            "what is written is read as the same",
            try StrictJSON.decode(Faults.self, from: written) == faults
        )
        let desk = try SimulatorDesk.made.get()
        var simulation = GDTSimulation(
            judge: desk.judge,
            director: FaultDirector(seed: 1, scriptedByClickID: true)
        )
        simulation.set(faults, now: InputReader.now)
        let judgement = GDTJudgement(ret: .accepted, report: desk.report)
        for turn in 0..<3 {
            let course = simulation.settle(judgement, now: InputReader.now + Int64(turn))
            try claim("a delay has a bound", (0...7_200_000).contains(course.delayMilliseconds))
        }
        try claim("every request is counted", simulation.ledger.requests == 3)
    }

    static let clickScript = FuzzTarget(
        "click-script",
        longestInput: 128,
        words: [
            "sim-", "503x2", "cutafter", "ret-15", "slow250", "429after3", ".", "-any", "hang", "truncated",
            "large", "html",
        ]
    ) { input in
        guard let script = ClickScript(clickID: String(decoding: input, as: UTF8.self)) else { return }
        for earlier in [0, 1, 7, Int.max] {
            guard let step = script.step(after: earlier) else { continue }
            try claim("a step does something", step.misbehaviour != nil || step.delayMilliseconds >= 0)
            if case .status(let status, _) = step.misbehaviour {
                try claim("a status is one of HTTP's", (300...599).contains(status))
            }
        }
    }
}

/// The simulator's judge with one account, and the one report that this account has made.
struct SimulatorDesk {
    static let made = Result { try SimulatorDesk() }

    let judge: GDTJudge
    let target: String
    let report: GDTReport

    private init() throws {
        let keys = UpstreamSimulator.GDTKeys(
            appID: "112233",
            advertiserID: "10000",
            signKey: "test_sign_key",
            encryptKey: "test_encrypt_key"
        )
        let account = GDTAccount(appID: 112_233, advertiserID: 10_000)
        let conversion = try GDTBench.made.get().activation
        let writer = ConversionReport(
            for: account,
            keys: try WireFormats.GDTKeys(signKey: keys.signKey, encryptKey: keys.encryptKey)
        )
        self.judge = GDTJudge(keys: [keys])
        self.target = String(writer.url(of: conversion).dropFirst(ConversionReport.host.count))
        let judgement = self.judge.judge(target: Array(self.target.utf8), now: InputReader.now / 1_000)
        self.report = try Objection.unless(judgement.report, "the simulator accepts our own report")
    }
}
