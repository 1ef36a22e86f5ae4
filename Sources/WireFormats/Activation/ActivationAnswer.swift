/// What a result record says beyond its outcome: which conversion it was, and what GDT said about it.
package struct ActivationAnswer: Hashable, Sendable {
    package var account: GDTAccount
    package var conversionType: String
    /// Nil where GDT was not asked.
    package var gdt: GDTAnswer?

    package init(account: GDTAccount, conversionType: String, gdt: GDTAnswer? = nil) {
        self.account = account
        self.conversionType = conversionType
        self.gdt = gdt
    }
}

/// A reply of GDT as a result record tells it.
package struct GDTAnswer: Hashable, Sendable {
    package var ret: Int32
    package var message: String
    package var httpStatus: Int32

    /// GDT's words are left out if they quote what identifies the device, or a key: a result holds nothing personal.
    package init(_ reply: GDTReply, httpStatus: Int, to activation: Activation, keys: GDTKeys? = nil) {
        self.ret = Int32(clamping: reply.ret)
        self.httpStatus = Int32(clamping: httpStatus)
        self.message = GDTWords.shown(reply.message, about: activation, keys: keys)
    }
}
