/// The faults of Apple's simulators. They are like `Faults`, with whole responses instead of `ret` codes.
///
/// A fault that is nil is off. Setting faults replaces all of them.
package struct AppleFaults: Codable, Hashable, Sendable {
    /// A fixed response instead of the correct one. The simulated API never sees the request.
    package struct WrongAnswer: Codable, Hashable, Sendable {
        /// The HTTP status.
        package var status: Int
        /// The body of the response.
        package var text: String
        /// The end of the paths that the fault is limited to; nil for every path.
        package var path: String?
        /// When the fault strikes; nil for always.
        package var when: Dose?

        package init(status: Int, text: String, path: String? = nil, when: Dose? = nil) {
            self.status = status
            self.text = text
            self.path = path
            self.when = when
        }
    }

    /// An outage of the port, which starts when the faults are set.
    package var down: Faults.Down?
    /// The delay before every response.
    package var latency: Faults.Latency?
    /// Requests that get no response while their connection stays open.
    package var hang: Dose?
    /// Requests whose connection is closed before the API sees them.
    package var cutBefore: Dose?
    /// Requests that are answered with a server error before the API sees them.
    package var serverError: Faults.ServerError?
    /// Requests that are answered with a Retry-After header before the API sees them.
    package var throttle: Faults.Throttle?
    /// Requests that are answered with an HTML page and status 200, as by a proxy.
    package var proxyPage: Dose?
    /// Requests that are answered with a fixed response.
    package var wrongAnswers: [WrongAnswer]?
    /// Requests that the API answers, but whose body ends before its announced length.
    package var truncated: Dose?
    /// Requests that the API carries out, but whose connection is closed instead of a response.
    package var cutAfter: Dose?

    /// Creates faults that are all off.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case down
        case latency
        case hang
        case cutBefore = "cut_before"
        case serverError = "server_error"
        case throttle
        case proxyPage = "proxy_page"
        case wrongAnswers = "wrong_answers"
        case truncated
        case cutAfter = "cut_after"
    }
}
