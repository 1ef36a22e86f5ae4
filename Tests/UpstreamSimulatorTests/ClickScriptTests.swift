import Testing

@testable import UpstreamSimulator

struct ClickScriptTests {
    @Test(
        arguments: [
            (
                "sim-503x2-a",
                [.status(503, retryAfterSeconds: nil), .status(503, retryAfterSeconds: nil), nil]
            ),
            ("sim-429x1-a", [.status(429, retryAfterSeconds: 1), nil]),
            ("sim-429after7x1-a", [.status(429, retryAfterSeconds: 7), nil]),
            ("sim-503after2x1", [.status(503, retryAfterSeconds: 2), nil]),
            ("sim-cutx1-a", [.cutBefore, nil]),
            ("sim-cutafterx1-a", [.cutAfter, nil]),
            ("sim-htmlx1-a", [.proxyPage, nil]),
            ("sim-truncatedx1-a", [.truncate, nil]),
            ("sim-large-a", [.enlarge, .enlarge]),
            ("sim-hangx1-a", [.hang, nil]),
            ("sim-ret-15-a", [.ret(.illegalMuid), .ret(.illegalMuid), .ret(.illegalMuid)]),
            ("sim-ret-15", [.ret(.illegalMuid), .ret(.illegalMuid)]),
            ("sim-ret-12x2-a", [.ret(.noKeys), .ret(.noKeys), nil, nil]),
            (
                "sim-503x1.cutafterx1.ret-1",
                [.status(503, retryAfterSeconds: nil), .cutAfter, .ret(.illegalRequest)]
            ),
        ] as [(String, [Misbehaviour?])]
    )
    func readsAFate(clickID: String, fate: [Misbehaviour?]) throws {
        let script = try #require(ClickScript(clickID: clickID))
        for (earlier, misbehaviour) in fate.enumerated() {
            #expect(script.step(after: earlier)?.misbehaviour == misbehaviour)
        }
    }

    @Test func slowIsADelayAndNoMisbehaviour() throws {
        let script = try #require(ClickScript(clickID: "sim-slow300-a"))
        #expect(script.step(after: 5) == ClickScript.Step(delayMilliseconds: 300))
    }

    @Test(arguments: [
        "sim-", "sim-x", "sim-503x-a", "sim-503y", "sim-50x2", "sim-700", "sim-ret15", "sim-ret-",
        "sim-slow-a",
        "sim-cuts-a", "sim-503x1.", "sim-503x99999999999999999999", "other-503x1",
    ])
    func doesNotGuess(clickID: String) {
        #expect(ClickScript(clickID: clickID) == nil)
    }
}
