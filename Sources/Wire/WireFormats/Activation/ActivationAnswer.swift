/// The part of a result record beyond its outcome: which conversion it was, and how GDT answered.
package struct ActivationAnswer: Hashable, Sendable {
    /// The app and the advertiser of the conversion.
    package var account: GDTAccount
    /// The conversion's type, as the record names it.
    package var conversionType: String
    /// GDT's answer; nil if GDT was not called.
    package var gdt: GDTAnswer?
    /// Whether the record's own timestamp was taken for the time of the conversion.
    package var isTimeAssumed: Bool

    package init(
        account: GDTAccount,
        conversionType: String,
        gdt: GDTAnswer? = nil,
        isTimeAssumed: Bool = false
    ) {
        self.isTimeAssumed = isTimeAssumed
        self.account = account
        self.conversionType = conversionType
        self.gdt = gdt
    }
}

/// A reply of GDT, as a result record repeats it.
package struct GDTAnswer: Hashable, Sendable {
    /// GDT's code, clamped to 32 bits.
    package var ret: Int32
    /// GDT's message, or `redacted`.
    package var message: String
    /// The HTTP status of the response.
    package var httpStatus: Int32

    /// Makes the answer of a reply. GDT's message is left out if it quotes a key or something that identifies
    /// the device, because a result holds nothing personal.
    package init(_ reply: GDTReply, httpStatus: Int, to activation: Activation, keys: GDTKeys? = nil) {
        self.ret = Int32(clamping: reply.ret)
        self.httpStatus = Int32(clamping: httpStatus)
        self.message = GDTWords.shown(reply.message, about: activation, keys: keys)
    }
}
