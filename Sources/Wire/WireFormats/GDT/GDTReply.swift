/// GDT's answer to a report: `{"ret": 0, "msg": "…"}`.
package struct GDTReply: Hashable, Sendable {
    /// GDT's code; 0 means that the report was accepted.
    package var ret: Int64
    /// GDT's message, unshortened. `GDTWords` decides how much of it may be shown.
    package var message: String

    /// The most bytes of an answer. GDT's answers have about a hundred bytes, so a much longer body is not
    /// GDT's.
    package static let bytesLimit = 64 * 1024

    /// Reads the body of a response. Nil unless it is one JSON object with an integer `ret`. A number in
    /// quotes does not count as one; a `msg` that is no string counts as empty.
    package init?(_ body: [UInt8]) {
        guard body.count <= Self.bytesLimit,
            let object = JSONObject(body),
            let ret = object.integer("ret")
        else { return nil }
        self.ret = ret
        self.message = object.string("msg") ?? ""
    }
}
