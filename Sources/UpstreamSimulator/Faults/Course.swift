/// What becomes of one request.
package struct Course: Hashable, Sendable {
    package enum Script: Hashable, Sendable {
        case none
        case followed
        /// The click id asks for a script, and none of ours reads that way.
        case unread
    }

    /// What the API says, if the request gets that far.
    package var ret: GDTRet
    package var misbehaviour: Misbehaviour?
    package var delayMilliseconds = 0
    package var script = Script.none
    /// Of the report, if it could be read.
    package var clickID: String?

    /// Whether the report is judged and counted, be its answer lost or not.
    package var reachesTheAPI: Bool {
        switch self.misbehaviour {
        case .hang, .cutBefore, .status, .proxyPage: false
        case nil, .ret, .truncate, .cutAfter: true
        }
    }

    /// What the API says in an answer that is sent as a whole.
    package var spokenRet: GDTRet? {
        switch self.misbehaviour {
        case nil, .ret: self.ret
        case .hang, .cutBefore, .status, .proxyPage, .truncate, .cutAfter: nil
        }
    }
}
