import Testing

@testable import WireFormats

struct AdClickTests {
    private static let callbacks: [(String, String?)] = [
        ("http%3A%2F%2Ftracking.e.qq.com%2Fconv%3Fcb%3DA%252Bc", "http://tracking.e.qq.com/conv?cb=A%2Bc"),
        ("HTTPS%3A%2F%2Fapi.e.qq.com%2Fconv", "HTTPS://api.e.qq.com/conv"),
        // It was encoded twice: another decoding would turn the escapes of `cb` into other characters.
        ("http%253A%252F%252Ftracking.e.qq.com%252Fconv%253Fcb%253DA%25252Bc", nil),
        ("%2Fconv", nil), ("http%3A%2F%2Ftracking.e.qq.com%2Fa%20b", nil), ("", nil),
    ]

    @Test(arguments: Self.callbacks)
    func decodesACallbackOnce(inQuery: String, callback: String?) throws {
        let query = "muid=0f074dc8e1f0547310e729032ac0730b&click_time=1763962605&callback=" + inQuery
        #expect(try AdClick(query: Array(query.utf8)).callback == callback)
    }
}
