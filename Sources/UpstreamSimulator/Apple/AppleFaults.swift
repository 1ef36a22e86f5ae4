/// The switches of Apple's simulators: those of GDT's, with whole answers in place of codes.
/// All off unless set; setting them replaces the whole set.
package struct AppleFaults: Codable, Hashable, Sendable {
    /// Another answer than the one that is due; the API never saw the request.
    package struct WrongAnswer: Codable, Hashable, Sendable {
        package var status: Int
        package var text: String
        /// Only for requests whose path ends like this.
        package var path: String?
        /// Always unless set.
        package var when: Dose?

        package init(status: Int, text: String, path: String? = nil, when: Dose? = nil) {
            self.status = status
            self.text = text
            self.path = path
            self.when = when
        }
    }

    package var down: Faults.Down?
    package var latency: Faults.Latency?
    package var hang: Dose?
    package var cutBefore: Dose?
    package var serverError: Faults.ServerError?
    package var throttle: Faults.Throttle?
    package var proxyPage: Dose?
    package var wrongAnswers: [WrongAnswer]?
    package var truncated: Dose?
    package var cutAfter: Dose?

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
