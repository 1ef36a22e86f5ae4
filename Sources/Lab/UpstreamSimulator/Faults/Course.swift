/// The way in which the GDT simulator treats one request.
package struct Course: Hashable, Sendable {
    /// Whether the request followed a script in its click id.
    package enum Script: Hashable, Sendable {
        case none
        case followed
        /// The click id starts like a script, but does not follow the grammar of `ClickScript`.
        case unread
    }

    /// The code that the API returns, if the request reaches the API.
    package var ret: GDTRet
    /// The fault that strikes the request; nil for none.
    package var misbehaviour: Misbehaviour?
    /// The delay before the response.
    package var delayMilliseconds = 0
    /// Whether the request follows a script in its click id.
    package var script = Script.none
    /// The click id of the report; nil if the report could not be read.
    package var clickID: String?

    /// Whether the report is judged and counted, even if the response is then lost.
    package var reachesTheAPI: Bool {
        switch self.misbehaviour {
        case .hang, .cutBefore, .status, .proxyPage: false
        case nil, .ret, .truncate, .enlarge, .cutAfter: true
        }
    }

    /// The code in the response; nil if no complete response of the API is sent, or one that no client has to
    /// read to its end.
    package var spokenRet: GDTRet? {
        switch self.misbehaviour {
        case nil, .ret: self.ret
        case .hang, .cutBefore, .status, .proxyPage, .truncate, .enlarge, .cutAfter: nil
        }
    }
}
