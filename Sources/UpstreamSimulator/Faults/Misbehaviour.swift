/// What is done to one request instead of answering it properly.
package enum Misbehaviour: Hashable, Sendable {
    /// The connection stays open and nothing is said.
    case hang
    /// Closed without an answer; the API never saw the report.
    case cutBefore
    /// Another HTTP status; the API never saw the report.
    case status(Int, retryAfterSeconds: Int?)
    /// HTML on a 200, as from a proxy in between; the API never saw the report.
    case proxyPage
    /// Another code than the judge's.
    case ret(GDTRet)
    /// The report is judged and counted, and the body ends before its announced length.
    case truncate
    /// The report is judged and counted, and the connection is closed without an answer.
    case cutAfter

    var fault: Fault {
        switch self {
        case .hang: .hang
        case .cutBefore: .cutBefore
        case .status(_, let retryAfter): retryAfter == nil ? .serverError : .throttle
        case .proxyPage: .proxyPage
        case .ret: .wrongRet
        case .truncate: .truncated
        case .cutAfter: .cutAfter
        }
    }
}
