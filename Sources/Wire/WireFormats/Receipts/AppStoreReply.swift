/// The meaning of an answer of the App Store Server API.
package struct AppStoreReply: Hashable, Sendable {
    /// The next step.
    package var decision: StoreDecision
    /// The reason of a failure; its texts are empty if the call succeeded.
    package var reason: Reason
    /// The error code in Apple's answer; nil if there was none.
    package var errorCode: Int64?
    /// How long to make no further call, as Apple asks.
    package var delay: Duration?
    /// Whether Apple named the time itself, as a time. A number of seconds to wait may come from a proxy
    /// instead of Apple.
    package var namesTime = false
    /// Whether the purchase is unknown to Apple, perhaps because it is very recent; it is worth asking again
    /// for some minutes.
    package var isUnknownPurchase = false
    /// The content; set only with the decision to accept.
    package var answer: AppStoreAnswer?

    /// The most bytes of an answer; a page has twenty transactions of a few kilobytes.
    package static let bytesLimit = 4 << 20

    /// The delay after a rate limit for which Apple states no time, 10 minutes. Apple counts calls by the
    /// hour, so asking again sooner would only add to them.
    package static let unstatedDelay = Duration.seconds(600)

    /// Whether Apple could not read our request at all.
    package var isBadRequest: Bool { self.errorCode == 4_000_000 }

    /// Interprets a response.
    ///
    /// - Parameters:
    ///   - retryAfter: the header `Retry-After`; nil if there is none, as for `contentType`.
    ///   - visited: the hosts that were asked the same question earlier in this attempt.
    ///   - now: milliseconds since 1970.
    package init(
        to call: AppStoreCall,
        status: Int,
        contentType: String?,
        retryAfter: String?,
        body: [UInt8],
        from host: StoreHost,
        visited: Set<StoreHost> = [],
        now: Int64
    ) {
        switch status {
        case 200:
            self.init(success: call, body)
        case 401:
            // Apple answers 401 also for purchases of the other environment, and for apps that are not sold
            // yet.
            self.init(.other(than: host, after: visited, else: .configuration), Self.unauthorized)
        case 429:
            self.init(.retry, Self.rateLimit)
            self.errorCode = Self.error(contentType, body)
            self.delay = Self.unstatedDelay
            if let retryAfter { self.takeDelay(retryAfter, now: now) }
        default:
            self.init(failure: status, Self.error(contentType, body), from: host, visited)
            if status == 503, let retryAfter { self.takeDelay(retryAfter, now: now) }
        }
    }

    private init(_ decision: StoreDecision, _ reason: Reason) {
        self.decision = decision
        self.reason = reason
    }

    private init(success call: AppStoreCall, _ body: [UInt8]) {
        guard body.count <= Self.bytesLimit, let object = JSONObject(body) else {
            self.init(.retry, Self.unreadable)
            return
        }
        guard let answer = AppStoreAnswer(to: call, object) else {
            self.init(.retryLimited, Self.unexplained)
            return
        }
        self.init(.accept, Reason("", ""))
        self.answer = answer
    }

    private init(failure status: Int, _ code: Int64?, from host: StoreHost, _ visited: Set<StoreHost>) {
        guard let code else {
            self.init(Self.decision(onHTTP: status), .http(status))
            return
        }
        self.init(.retryLimited, Self.unknownCode)
        self.errorCode = code
        switch code {
        case 4_000_000: (self.decision, self.reason) = (.configuration, Self.badRequest)
        case 4_000_002, 4_040_003: (self.decision, self.reason) = (.configuration, Self.badApp)
        case 4_000_006, 4_000_008, 4_000_048, 4_000_187:
            (self.decision, self.reason) = (.reject, Self.badTransactionID)
        case 4_040_001: (self.decision, self.reason) = (.reject, Self.noAccount)
        case 4_040_019: (self.decision, self.reason) = (.reject, Self.noAppTransaction)
        case 4_040_005, 4_040_010:
            self.decision = .other(than: host, after: visited, else: .retryLimited)
            self.reason = Self.noTransaction
            self.isUnknownPurchase = true
        case 4_040_002, 4_040_004, 4_040_006, 5_000_001:
            (self.decision, self.reason) = (.retry, Self.unavailable)
        case 4_290_000:
            (self.decision, self.reason, self.delay) = (.retry, Self.rateLimit, Self.unstatedDelay)
        case 5_000_000: self.reason = Self.unavailable
        default:
            guard status >= 500 || status == 403 else { return }
            (self.decision, self.reason) = (Self.decision(onHTTP: status), .http(status))
        }
    }

    /// Returns the decision for a failure without an error code of Apple's. Apple names an unknown purchase
    /// in JSON with a code, so a 404 without a code means a wrong address.
    private static func decision(onHTTP status: Int) -> StoreDecision {
        switch status {
        case 408, 425, 500...: .retry
        case 300..<400, 403, 404, 405, 407, 410, 421, 426, 451: .configuration
        default: .retryLimited
        }
    }

    /// Returns Apple's error code; nil unless the response is JSON by its content type and body. A proxy may
    /// answer in JSON too, but without Apple's codes, and an HTML page is no error of Apple's.
    private static func error(_ contentType: String?, _ body: [UInt8]) -> Int64? {
        guard let contentType, ContentType(Array(contentType.utf8)) == .json, body.count <= self.bytesLimit
        else {
            return nil
        }
        return JSONObject(body)?.code("errorCode")
    }

    /// Takes the delay from `Retry-After`. Apple puts a time in milliseconds since 1970 where HTTP defines
    /// seconds to wait. The two are far apart: a number from 100,000,000,000 on (March 1973 in milliseconds)
    /// is read as a time, a smaller one as seconds. A time is at most 24 hours away.
    private mutating func takeDelay(_ header: String, now: Int64) {
        let digits = Array(header.utf8).trimmingWhiteSpace()
        guard let time = digits.decimal(as: Int64.self), time >= 100_000_000_000 else {
            self.delay = RetryAfter.delay(header, now: now) ?? self.delay
            return
        }
        self.delay = .milliseconds(min(max(0, time.saturatingSubtract(now)), 24 * 60 * 60 * 1_000))
        self.namesTime = true
    }
}

extension Int64 {
    fileprivate func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflowed) = self.subtractingReportingOverflow(other)
        return overflowed ? .max : difference
    }
}

extension AppStoreReply {
    private static let unauthorized = Reason(
        "appstore.unauthorized",
        "Apple takes our token in no environment: the key is revoked, an id is another, or the clock is wrong."
    )
    private static let rateLimit = Reason(
        "appstore.rate_limit",
        "Apple's limit of calls for the app is reached."
    )
    private static let unreadable = Reason(
        "appstore.not_an_answer",
        "The response is no answer of the App Store Server API."
    )
    private static let unexplained = Reason(
        "appstore.no_content",
        "Apple's answer lacks what it is an answer by."
    )
    private static let unknownCode = Reason(
        "appstore.unknown_code",
        "Apple answered with a code that nobody knows."
    )
    private static let badRequest = Reason(
        "appstore.bad_request",
        "Apple refuses our request: a fault of this worker."
    )
    private static let badApp = Reason("appstore.app", "Apple does not know the app: its bundle id is wrong.")
    private static let badTransactionID = Reason(
        "appstore.transaction_id",
        "Apple says that this can be no id of a transaction."
    )
    private static let noAccount = Reason(
        "appstore.account",
        "Apple does not know the account, or no longer."
    )
    private static let noAppTransaction = Reason(
        "appstore.app_transaction",
        "Apple knows no such app transaction."
    )
    private static let noTransaction = Reason(
        "appstore.transaction_not_found",
        "Apple knows no such transaction in any environment."
    )
    private static let unavailable = Reason("appstore.internal", "Apple's service has trouble of its own.")
}
