/// Whether a text is JSON (RFC 8259), for those who pass it on as it stands.
///
/// Foundation is no judge of that: it takes commas before a closing bracket, and UTF-16 for what it is.
package enum JSONSyntax {
    /// As deep as Foundation reads.
    private static let depthLimit = 512

    /// True for one value in UTF-8, with white space around it.
    package static func isValue(_ text: [UInt8]) -> Bool {
        guard String(validating: text, as: UTF8.self) != nil else { return false }
        var scanner = JSONScanner(text, depthLimit: self.depthLimit)
        scanner.skipWhiteSpace()
        do throws(JSONScanner.Fault) {
            _ = try scanner.skipValue()
        } catch {
            return false
        }
        scanner.skipWhiteSpace()
        return scanner.isAtEnd
    }
}
