/// A reply of the Tencent Ads Marketing API: `{"code":0,"message":"","message_cn":"","errors":[…]}`.
///
/// The reply is about the whole request: no document names a result for each action. A reply that accepts the request
/// and yet lists a wrong parameter is taken as that refusal, so that the request is split until the bad action stands
/// alone. Actions that were accepted are recognised by their `outer_action_id`.
package struct MarketingReply: Hashable, Sendable {
    /// Tencent's code; 0 means that the actions were accepted.
    package var code: Int64
    /// Tencent's English message, unshortened. `GDTWords` decides how much of it may be shown.
    package var message: String

    /// The most bytes of a reply that is read.
    package static let bytesLimit = 64 * 1024

    /// Reads the body of a response. Nil unless it is one JSON object with an integer `code`. A number in
    /// quotes does not count as one; a `message` that is no string counts as empty.
    package init?(_ body: [UInt8]) {
        guard body.count <= Self.bytesLimit, let object = JSONObject(body),
            let code = object.integer("code")
        else { return nil }
        self.code = code
        self.message = object.string("message") ?? ""
        guard code == 0, let errors = object.objects(inList: "errors") else { return }
        for error in errors {
            guard let code = error.integer("code"), Self.parameterCodes.contains(code) else { continue }
            self.code = code
            self.message = error.string("message") ?? self.message
            return
        }
    }

    /// The codes of wrong parameters.
    private static let parameterCodes: ClosedRange<Int64> = 31_000...31_999

    /// The period of a limit on requests.
    package enum Period: Hashable, Sendable {
        case second
        case minute
        case day
        /// Tencent does not say which period.
        case unknown
    }

    /// The meaning of a code for the request that got it. The codes and their texts are Tencent's ("返回码"),
    /// the classes are ours.
    package enum Meaning: Hashable, Sendable {
        case accepted
        /// Tencent is busy, under maintenance, or a part of it failed for a moment.
        case busy
        /// The access token has expired and has to be renewed.
        case expiredToken
        /// There were too many requests of the application or the account.
        case limited(Period)
        /// The token, the right to the interface, or a parameter of every request is wrong.
        case misconfigured
        /// A parameter of some action is wrong, or of the account.
        case badParameter
        /// The code is not documented.
        case undocumented
    }

    /// The meaning of the code.
    package var meaning: Meaning {
        switch self.code {
        case 0: .accepted
        // Codes 30000 to 30099 are failures inside Tencent, which its guide says to repeat.
        case 10_000, 10_001, 30_000...30_099: .busy
        case 11_000: .expiredToken
        case 11_016: .limited(.second)
        case 11_017: .limited(.minute)
        case 11_018: .limited(.day)
        case 11_008, 11_019, 11_022: .limited(.unknown)
        // Every documented code of these thousands is about the sender. One that is not documented is taken for the
        // like: it splits no batch, and no conversion is refused for it.
        case 11_001...12_999, 31_033: .misconfigured
        case Self.parameterCodes: .badParameter
        default: .undocumented
        }
    }

    /// Whether the reply may be the fault of a single action in the request.
    package var mayBlameOneAction: Bool {
        switch self.meaning {
        case .badParameter, .undocumented: true
        case .accepted, .busy, .expiredToken, .limited, .misconfigured: false
        }
    }

    /// Whether every other request of the same account would get the same reply now.
    package var concernsTheAccount: Bool {
        switch self.meaning {
        case .expiredToken, .limited, .misconfigured: true
        case .accepted, .busy, .badParameter, .undocumented: false
        }
    }
}

/// Tencent's calendar, by which it counts a day of requests.
package enum TencentDay {
    /// Tencent's zone is UTC+8 the whole year.
    private static let offset: Int64 = 8 * 3_600_000
    private static let day: Int64 = 24 * 3_600_000

    /// Returns the time until the next day begins in Tencent's zone: more than zero, 24 hours at most.
    ///
    /// - Parameter now: wall-clock milliseconds since 1970.
    package static func rest(at now: Int64) -> Duration {
        let (local, overflow) = now.addingReportingOverflow(self.offset)
        guard !overflow else { return .milliseconds(self.day) }
        let passed = local % self.day
        return .milliseconds(self.day - (passed < 0 ? passed + self.day : passed))
    }
}
