/// The switches, all off unless set. Setting them replaces the whole set.
///
/// A request is struck by at most one of them, besides latency; where several could strike, the one that comes
/// first in the order of the stored properties does.
package struct Faults: Codable, Hashable, Sendable {
    package struct Latency: Codable, Hashable, Sendable {
        package var milliseconds: Int
        /// Up to so much more, by chance.
        package var jitterMilliseconds: Int?

        package init(milliseconds: Int, jitterMilliseconds: Int? = nil) {
            self.milliseconds = milliseconds
            self.jitterMilliseconds = jitterMilliseconds
        }

        private enum CodingKeys: String, CodingKey {
            case milliseconds
            case jitterMilliseconds = "jitter_milliseconds"
        }
    }

    package struct ServerError: Codable, Hashable, Sendable {
        /// 503 unless set.
        package var status: Int?
        /// Always unless set.
        package var when: Dose?

        package init(status: Int? = nil, when: Dose? = nil) {
            self.status = status
            self.when = when
        }
    }

    package struct Throttle: Codable, Hashable, Sendable {
        package var retryAfterSeconds: Int
        /// 429 unless set.
        package var status: Int?
        /// Always unless set.
        package var when: Dose?

        package init(retryAfterSeconds: Int, status: Int? = nil, when: Dose? = nil) {
            self.retryAfterSeconds = retryAfterSeconds
            self.status = status
            self.when = when
        }

        private enum CodingKeys: String, CodingKey {
            case retryAfterSeconds = "retry_after_seconds"
            case status
            case when
        }
    }

    package struct WrongRet: Codable, Hashable, Sendable {
        package var ret: Int
        package var appID: String?
        package var muidPrefix: String?
        package var conversionType: String?
        /// Always unless set.
        package var when: Dose?

        package init(
            ret: Int,
            appID: String? = nil,
            muidPrefix: String? = nil,
            conversionType: String? = nil,
            when: Dose? = nil
        ) {
            self.ret = ret
            self.appID = appID
            self.muidPrefix = muidPrefix
            self.conversionType = conversionType
            self.when = when
        }

        /// A selector that is left out selects everything; a request that could not be read is never selected.
        func selects(_ report: GDTReport?) -> Bool {
            guard let conversion = report?.conversion else { return false }
            return (self.appID ?? conversion.appID) == conversion.appID
                && conversion.muid.hasPrefix(self.muidPrefix ?? "")
                && (self.conversionType ?? conversion.conversionType) == conversion.conversionType
        }

        private enum CodingKeys: String, CodingKey {
            case ret
            case appID = "app_id"
            case muidPrefix = "muid_prefix"
            case conversionType = "conversion_type"
            case when
        }
    }

    /// Starts as the switches are set, ends by itself, or earlier when they are set again.
    package struct Down: Codable, Hashable, Sendable {
        package enum Manner: String, Codable, Sendable {
            /// Nobody listens on the port, and every open connection is reset.
            case refuse
            /// The port listens, and every connection, open or new, is reset.
            case reset
        }

        package var milliseconds: Int64
        /// `refuse` unless set.
        package var manner: Manner?

        package init(milliseconds: Int64, manner: Manner? = nil) {
            self.milliseconds = milliseconds
            self.manner = manner
        }
    }

    package var down: Down?
    package var latency: Latency?
    package var hang: Dose?
    package var cutBefore: Dose?
    package var serverError: ServerError?
    package var throttle: Throttle?
    package var proxyPage: Dose?
    package var wrongRets: [WrongRet]?
    package var truncated: Dose?
    package var cutAfter: Dose?

    package init(
        down: Down? = nil,
        latency: Latency? = nil,
        hang: Dose? = nil,
        cutBefore: Dose? = nil,
        serverError: ServerError? = nil,
        throttle: Throttle? = nil,
        proxyPage: Dose? = nil,
        wrongRets: [WrongRet]? = nil,
        truncated: Dose? = nil,
        cutAfter: Dose? = nil
    ) {
        self.down = down
        self.latency = latency
        self.hang = hang
        self.cutBefore = cutBefore
        self.serverError = serverError
        self.throttle = throttle
        self.proxyPage = proxyPage
        self.wrongRets = wrongRets
        self.truncated = truncated
        self.cutAfter = cutAfter
    }

    private enum CodingKeys: String, CodingKey {
        case down
        case latency
        case hang
        case cutBefore = "cut_before"
        case serverError = "server_error"
        case throttle
        case proxyPage = "proxy_page"
        case wrongRets = "wrong_rets"
        case truncated
        case cutAfter = "cut_after"
    }
}
