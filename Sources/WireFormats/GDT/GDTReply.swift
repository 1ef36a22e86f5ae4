/// GDT's answer to a report: `{"ret": 0, "msg": "…"}`.
package struct GDTReply: Hashable, Sendable {
    package var ret: Int64
    /// GDT's own words, all of them: `GDTWords` says what may be shown of them.
    package var message: String

    /// An answer is a hundred bytes; what is much longer comes from somebody else.
    package static let bytesLimit = 64 * 1024

    /// Nil for anything but one JSON object with an integer `ret`. A number spelt as a string is none; a `msg`
    /// that is no string counts as empty.
    package init?(_ body: [UInt8]) {
        guard body.count <= Self.bytesLimit,
            let object = JSONObject(body),
            let ret = object.integer("ret")
        else { return nil }
        self.ret = ret
        self.message = object.string("msg") ?? ""
    }
}
