import Foundation
import TestMaterial
import Testing
import WireFormats

@testable import DeadLetters

@Suite struct DeadLetterConditionTests {
    static let tree =
        ##"{"a":{"b":[{"c":"x y"},7]},"n":9007199254740993,"s":"112233","f":1.50,"t":true,"z":null,"":1,"##
        + ##""a b":"q","neg":-3,"big":"18446744073709551616","e":1e3,"price":"€5","empty":""}"##

    private static func holds(_ condition: String) throws -> Bool {
        try DeadLetterCondition(condition).holds(for: JSONTree(parsing: Array(Self.tree.utf8)))
    }

    @Test(arguments: [
        "a", "a.b", "a.b[0]", "a.b[0].c", "a.b[0].c = x y", #"a.b[0].c = "x y""#, "a.b[1] = 7", "a.b[1]>6.5",
        "a.b[1] <= 7.0",
        "n = 9007199254740993", "n > 9007199254740992", "n < 9007199254740994", "n != 9007199254740992",
        "s = 112233",
        "s < 112234", #"s = "112233""#, "s > 99", "f = 1.5", "f < 1.51", "t = true", "t != false", "z = null",
        "z",
        #"["a b"] = q"#, #"a["b"][1] = 7"#, "neg < 0", "neg > -3.5", "neg = -3", "big > 18446744073709551615",
        "e = 1000",
        "e < 1001", "price ~ €", "price ~ 5", "a.b[0].c ~ y", "s ~ 22", #"empty = """#, #"s > "0""#, #"[""]"#,
        "  n  ",
        #"price != "x""#, "e=1E+3", "a.b[1]!=8", #"empty ~ """#,
    ])
    func holds(condition: String) throws {
        #expect(try Self.holds(condition))
    }

    @Test(arguments: [
        "b", "a.c", "a.b[2]", "a[0]", "n.x", "a = 1", "a.b != 1", "missing != 1", "n = 9007199254740992",
        "n > 9007199254740993", #"s = "112234""#, "f > 1.5", "t = false", "z != null", "neg > 0", "price ~ $",
        "t > 5", "t < 5", "z > a", "n > x", #"n > "5""#,
        #"n = "9007199254740994""#, "a ~ x", "s = 1122330", "e != 1000.0", "A",
    ])
    func doesNotHold(condition: String) throws {
        #expect(try !Self.holds(condition))
    }

    @Test(arguments: [
        "", " ", "= 1", "a =", "a = ", "a b", "a[", "a[x]", "a[-1]", "a[0", #"a["x"#, #"a["x]"#, "a.", ".a",
        "a..b", "a ? 1", "a => 1", "a == 1", "a =~ x",
        #"a = "x"#, #"a = "x" y"#, "[]", "a]", String(repeating: "a.", count: 80) + "a", #"a["\"#,
    ])
    func saysWhatIsWrong(condition: String) {
        let fault = #expect(throws: DeadLetterCondition.Fault.self) { try DeadLetterCondition(condition) }
        #expect(fault?.sentence.hasSuffix(".") == true)
    }

    @Test func isBounded() {
        #expect(throws: DeadLetterCondition.Fault.self) {
            try DeadLetterCondition("a=" + String(repeating: "x", count: 5_000))
        }
        #expect(throws: Never.self) { try DeadLetterCondition("a=" + String(repeating: "x", count: 4_000)) }
    }

    @Test func holdsForNothingWithoutAMessage() throws {
        #expect(try !DeadLetterCondition("a").holds(for: nil))
        #expect(try !DeadLetterCondition("a").holds(for: .string("a")))
        #expect(try DeadLetterCondition("[0] = 1").holds(for: .array([.number("1")])))
    }

    /// A condition knows which of two numbers is the larger, if a Double can tell them apart.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func comparesAsNumbers(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func number() -> Double {
            (Double.random(in: -2...2, using: &random) * 100).rounded()
                / pow(10, Double(Int.random(in: 0...4, using: &random)))
        }
        let (one, other) = (number(), number())
        let tree = JSONTree.object([.init("n", .number("\(one)"))])
        #expect(try DeadLetterCondition("n < \(other)").holds(for: tree) == (one < other))
        #expect(try DeadLetterCondition("n = \(other)").holds(for: tree) == (one == other))
        #expect(try DeadLetterCondition("n >= \(other)").holds(for: tree) == (one >= other))
    }
}
