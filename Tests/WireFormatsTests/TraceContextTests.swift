import Records
import Testing

@testable import WireFormats

@Suite struct TraceContextTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let good = "00-\(trace)-00f067aa0ba902b7-01"

    @Test(arguments: [
        (good, good), ("00-\(trace)-00f067aa0ba902b7-00", "00-\(trace)-00f067aa0ba902b7-00"),
        ("00-\(trace)-00f067aa0ba902b7-ff", "00-\(trace)-00f067aa0ba902b7-03"),
        ("01-\(trace)-00f067aa0ba902b7-01", good), ("fe-\(trace)-00f067aa0ba902b7-01-what-comes", good),
        ("cc-\(trace)-00f067aa0ba902b7-01-", good),
    ])
    func readsAParent(text: String, expected: String) throws {
        let context = try #require(TraceContext(parent: Array(text.utf8)))
        #expect(context.parent == expected)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-00f067aa0ba902b7", "\(good)-", "\(good)0", " \(good)",
        "ff-\(trace)-00f067aa0ba902b7-01",
        "0g-\(trace)-00f067aa0ba902b7-01", "00-\(trace.uppercased())-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-\(trace)-0000000000000000-01",
        "00-\(trace)-00f067aa0ba902b7-0x", "00_\(trace)-00f067aa0ba902b7-01",
        "01-\(trace)-00f067aa0ba902b7-01x",
        "00-\(trace)-00F067aa0ba902b7-01", "00-\(trace)0-0f067aa0ba902b7-01",
    ])
    func refusesWhatIsNoParent(text: String) {
        #expect(TraceContext(parent: Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [
            (0x00f0_67aa_0ba9_02b8, "00f067aa0ba902b8"), (0, "0000000000000001"), (.max, "ffffffffffffffff"),
        ] as [(UInt64, String)]
    )
    func makesAChild(random: UInt64, id: String) throws {
        let child = try #require(TraceContext(parent: Array(Self.good.utf8))).child(random: random)
        #expect(child.parent == "00-\(Self.trace)-\(id)-01")
    }

    @Test(arguments: [
        ("congo=t61rcWkgMzE,rojo=00f067aa0ba902b7", true), (" a=1 ", true), ("", false),
        (String(repeating: "a", count: 512), true), (String(repeating: "a", count: 513), false),
        ("a=é", false),
        ("a=1\r\nX: y", false),
    ])
    func passesStateOnUnchanged(state: String, isKept: Bool) throws {
        let headers = [RecordHeader("traceparent", Self.good), RecordHeader("tracestate", state)]
        let child = try #require(TraceContext(headers)).child(random: 1)
        #expect(child.state == (isKept ? state : nil))
        #expect(child.headers.map(\.name) == (isKept ? ["traceparent", "tracestate"] : ["traceparent"]))
    }

    @Test func isNilWithoutAParent() {
        #expect(TraceContext([RecordHeader("tracestate", "a=1")]) == nil)
        #expect(TraceContext([RecordHeader("traceparent", nil)]) == nil)
    }

    @Test func tellsItsIdsAndItsRandomness() throws {
        let context = try #require(TraceContext(parent: Array(Self.good.utf8)))
        #expect(context.traceID == Self.trace)
        #expect(context.parentID == "00f067aa0ba902b7")
        #expect(context.isSampled)
        #expect(context.randomness == 0xce_929d_0e0e_4736)
        let other = try #require(TraceContext(parent: Array("\(Self.good.dropLast(2))02".utf8)))
        #expect(!other.isSampled)
    }

    @Test func aNewTraceIsSampledAndValid() throws {
        let halves: [(UInt64, UInt64)] = [(0, 0), (.max, 1), (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736)]
        for (high, low) in halves {
            let context = TraceContext(traceHigh: high, low: low).child(random: 7)
            #expect(context.isSampled)
            #expect(TraceContext(parent: Array(context.parent.utf8)) == context)
        }
    }
}
