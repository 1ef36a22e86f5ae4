/// The part of a result record beyond its outcome: which conversion it was, and how GDT answered.
package struct ActivationAnswer: Hashable, Sendable {
    /// The app and the advertiser of the conversion.
    package var account: GDTAccount
    /// The conversion's type, as the record names it.
    package var conversionType: String
    /// GDT's answer; nil if GDT was not called.
    package var gdt: GDTAnswer?
    /// The Marketing API's answer; nil if it was not called.
    package var marketing: MarketingAnswer?
    /// The way of the report; nil for GDT's scheme 2, and if the record was settled before its way was known.
    package var route: ActivationRoute?
    /// Whether the record's own timestamp was taken for the time of the conversion.
    package var isTimeAssumed: Bool

    package init(
        account: GDTAccount,
        conversionType: String,
        gdt: GDTAnswer? = nil,
        marketing: MarketingAnswer? = nil,
        route: ActivationRoute? = nil,
        isTimeAssumed: Bool = false
    ) {
        self.isTimeAssumed = isTimeAssumed
        self.account = account
        self.conversionType = conversionType
        self.gdt = gdt
        self.marketing = marketing
        self.route = route
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
    /// the device, because a result holds nothing personal. The keys are asked for only if there is a message.
    package init(
        _ reply: GDTReply,
        httpStatus: Int,
        to activation: Activation,
        keys: @autoclosure () -> GDTKeys? = nil
    ) {
        self.ret = Int32(clamping: reply.ret)
        self.httpStatus = Int32(clamping: httpStatus)
        self.message =
            reply.message.isEmpty ? "" : GDTWords.shown(reply.message, about: activation, keys: keys())
    }
}

/// A way of a report that is not GDT's scheme 2. The raw value is its name in results.
package enum ActivationRoute: String, Hashable, Sendable {
    /// `user_actions/add` of the Tencent Ads Marketing API.
    case marketing = "marketing_api"
    /// The callback of the click.
    case callback
}

/// A reply of the Marketing API, as a result record repeats it.
package struct MarketingAnswer: Hashable, Sendable {
    /// Tencent's code.
    package var code: Int64
    /// Tencent's message, or `redacted`.
    package var message: String
    /// The HTTP status of the response.
    package var httpStatus: Int32

    /// Makes the answer of a reply. Tencent's message is left out if it quotes a token or something that
    /// identifies the device, because a result holds nothing personal.
    package init(_ reply: MarketingReply, httpStatus: Int, to activation: Activation, token: [UInt8]) {
        self.code = reply.code
        self.httpStatus = Int32(clamping: httpStatus)
        self.message = GDTWords.shown(reply.message, about: activation, hiding: [token])
    }
}
