/// A strict check whether a text is JSON (RFC 8259), for callers that pass the text on unchanged.
///
/// Foundation cannot decide that: it accepts a comma before a closing bracket, and it accepts UTF-16.
package enum JSONSyntax {
    /// The depth that Foundation reads.
    private static let depthLimit = 512

    /// Returns whether the text is one value in UTF-8, with white space around it. A byte order mark is
    /// refused.
    package static func isValue(_ text: [UInt8]) -> Bool {
        guard !text.starts(with: JSONText.byteOrderMark), String(validating: text, as: UTF8.self) != nil
        else { return false }
        let limits = JSONLimits(depth: self.depthLimit, countsLeaves: true)
        var reader = JSONReader(text, limits: limits, listener: DeafListener())
        do throws(JSONFault) {
            try reader.document()
            return true
        } catch {
            return false
        }
    }
}
