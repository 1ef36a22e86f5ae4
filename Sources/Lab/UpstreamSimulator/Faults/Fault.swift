/// The kinds of fault. The raw values are their names in counters and in the settings of the control
/// endpoint.
package enum Fault: String, CaseIterable, Sendable {
    case latency
    case hang
    case cutBefore = "cut_before"
    case serverError = "server_error"
    case throttle
    case proxyPage = "proxy_page"
    case wrongRet = "wrong_ret"
    case truncated
    case tooLarge = "too_large"
    case cutAfter = "cut_after"
    case down
}
