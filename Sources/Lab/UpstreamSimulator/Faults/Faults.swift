/// The faults of the GDT simulator. A fault that is nil is off. Setting faults replaces all of them.
///
/// Besides latency, at most one fault strikes a request: the first one in the order of the stored properties
/// whose dose allows it.
package struct Faults: Codable, Hashable, Sendable {
    /// A delay before every response.
    package struct Latency: Codable, Hashable, Sendable {
        /// The delay in milliseconds, at most one hour.
        package var milliseconds: Int
        /// The greatest random addition to the delay in milliseconds, at most one hour; nil for none.
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

    /// An HTTP error. The API never sees the request.
    package struct ServerError: Codable, Hashable, Sendable {
        /// The HTTP status; nil for 503.
        package var status: Int?
        /// When the fault strikes; nil for always.
        package var when: Dose?

        package init(status: Int? = nil, when: Dose? = nil) {
            self.status = status
            self.when = when
        }
    }

    /// An HTTP error with a Retry-After header. The API never sees the request.
    package struct Throttle: Codable, Hashable, Sendable {
        /// The value of the Retry-After header in seconds.
        package var retryAfterSeconds: Int
        /// The HTTP status; nil for 429.
        package var status: Int?
        /// When the fault strikes; nil for always.
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

    /// A `ret` code instead of the one that the API decided on. The selectors `appID`, `muidPrefix` and
    /// `conversionType` limit the fault; one that is nil selects every report.
    package struct WrongRet: Codable, Hashable, Sendable {
        /// The code to return.
        package var ret: Int
        /// The app of the reports that are selected.
        package var appID: String?
        /// The first characters of the muid (the device's hashed id) of the reports that are selected.
        package var muidPrefix: String?
        /// The conversion type of the reports that are selected.
        package var conversionType: String?
        /// When the fault strikes; nil for always.
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

        /// Whether the selectors match the report. A request whose report could not be read is never
        /// selected.
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

    /// An outage of the port. It starts when the faults are set, and ends after its time, or earlier when
    /// faults are set again.
    package struct Down: Codable, Hashable, Sendable {
        /// The way in which connections fail during an outage.
        package enum Manner: String, Codable, Sendable {
            /// The port is closed, so connections are refused. Open connections are reset.
            case refuse
            /// The port stays open, but every connection, open or new, is reset.
            case reset
        }

        /// The length of the outage in milliseconds, at most one hour.
        package var milliseconds: Int64
        /// The way in which connections fail; nil for `refuse`.
        package var manner: Manner?

        package init(milliseconds: Int64, manner: Manner? = nil) {
            self.milliseconds = milliseconds
            self.manner = manner
        }
    }

    /// An outage of the port, which starts when the faults are set.
    package var down: Down?
    /// The delay before every response.
    package var latency: Latency?
    /// Requests that get no response while their connection stays open.
    package var hang: Dose?
    /// Requests whose connection is closed before the API sees them.
    package var cutBefore: Dose?
    /// Requests that are answered with a server error before the API sees them.
    package var serverError: ServerError?
    /// Requests that are answered with a Retry-After header before the API sees them.
    package var throttle: Throttle?
    /// Requests that are answered with an HTML page and status 200, as by a proxy.
    package var proxyPage: Dose?
    /// Requests that the API sees and answers with another code.
    package var wrongRets: [WrongRet]?
    /// Requests that the API answers, but whose body ends before its announced length.
    package var truncated: Dose?
    /// Requests that the API carries out, but whose connection is closed instead of a response.
    package var cutAfter: Dose?

    /// Creates faults; every one that is left out is off.
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
