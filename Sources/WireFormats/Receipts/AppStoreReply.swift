/// What an answer of the App Store Server API means.
package struct AppStoreReply: Hashable, Sendable {
    package var decision: StoreDecision
    /// Empty words for what succeeded.
    package var reason: Reason
    /// Apple's own code, if there was one.
    package var errorCode: Int64?
    /// How long Apple wants to be left alone.
    package var delay: Duration?
    /// Apple has named the time itself, and not how many seconds to wait, which anybody on the way may have written.
    package var namesTime = false
    /// The asked purchase may be too fresh to be known: worth asking again for some minutes.
    package var isUnknownPurchase = false
    /// Only with a decision to accept.
    package var answer: AppStoreAnswer?

    /// A page has twenty transactions of a few kilobytes.
    package static let bytesLimit = 4 << 20

    /// The limits are enforced by the hour: without a word of Apple's, asking again within minutes only adds to them.
    package static let unstatedDelay = Duration.seconds(600)

    /// Whether Apple cannot read the request at all.
    package var isBadRequest: Bool { self.errorCode == 4_000_000 }

    /// `visited` are the hosts that have been asked the same before, in the same attempt. `now` is in milliseconds since
    /// 1970. Header fields are nil where the answer has none.
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
            // Said of purchases of the other environment too, and of apps that are not yet sold.
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

    /// Without a code of Apple's. Apple names what it does not know in JSON, so that a 404 without a code comes of
    /// a wrong address.
    private static func decision(onHTTP status: Int) -> StoreDecision {
        switch status {
        case 408, 425, 500...: .retry
        case 300..<400, 403, 404, 405, 407, 410, 421, 426, 451: .configuration
        default: .retryLimited
        }
    }

    /// Somebody on the way may answer in JSON too, but not under Apple's codes; and a page is no error of Apple's.
    private static func error(_ contentType: String?, _ body: [UInt8]) -> Int64? {
        guard let contentType, ContentType(Array(contentType.utf8)) == .json, body.count <= self.bytesLimit
        else {
            return nil
        }
        return JSONObject(body)?.code("errorCode")
    }

    /// Apple names the time, in milliseconds since 1970, where HTTP has seconds to wait. The two are as far apart as they
    /// can be: what is no time of this century is taken at HTTP's word.
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
