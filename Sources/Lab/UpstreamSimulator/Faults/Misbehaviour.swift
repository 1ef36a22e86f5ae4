/// A fault that replaces or damages the response to one request.
package enum Misbehaviour: Hashable, Sendable {
    /// The connection stays open, and no response is sent. The API never sees the report.
    case hang
    /// The connection is closed without a response. The API never sees the report.
    case cutBefore
    /// The response has another HTTP status. The API never sees the report.
    case status(Int, retryAfterSeconds: Int?)
    /// The response is an HTML page with status 200, as from a proxy. The API never sees the report.
    case proxyPage
    /// The response has another code than the judge decided on. The report is counted under that code.
    case ret(GDTRet)
    /// The report is judged and counted, but the response body ends before its announced length.
    case truncate
    /// The report is judged and counted, but the response has a `msg` of 128 KiB, more than a client may want to
    /// read.
    case enlarge
    /// The report is judged and counted, but the connection is closed without a response.
    case cutAfter

    /// The kind of fault under which the request is counted.
    var fault: Fault {
        switch self {
        case .hang: .hang
        case .cutBefore: .cutBefore
        case .status(_, let retryAfter): retryAfter == nil ? .serverError : .throttle
        case .proxyPage: .proxyPage
        case .ret: .wrongRet
        case .truncate: .truncated
        case .enlarge: .tooLarge
        case .cutAfter: .cutAfter
        }
    }
}
