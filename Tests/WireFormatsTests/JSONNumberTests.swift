import Testing

@testable import WireFormats

@Suite struct JSONNumberTests {
    @Test(arguments: [
        ("0", "-0.0", 0), ("1e2", "100", 0), ("0.10", "0.1", 0), ("1e-2", "0.01", 0), ("9", "10", -1),
        ("-9", "-10", 1),
        ("0.009", "0.01", -1), ("123456789012345678901234567890", "123456789012345678901234567891", -1),
        ("0", "0.0001", -1),
        ("-1", "0", -1), ("1e999999", "1", 1), ("0e5", "0", 0), ("12", "123", -1),
    ])
    func comparesExactly(one: String, other: String, order: Int) throws {
        let (a, b) = (try #require(JSONNumber(one)), try #require(JSONNumber(other)))
        #expect((a.compare(to: b), b.compare(to: a)) == (order, -order))
    }

    @Test(arguments: ["", "x", "1e9999999", "01", "+1", " 1", "1 ", "0x1", "1_0", ".5", "5.", "NaN", "-"])
    func takesNothingElseForANumber(text: String) {
        #expect(JSONNumber(text) == nil)
    }
}
