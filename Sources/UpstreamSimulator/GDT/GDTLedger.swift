/// What has been asked, answered, accepted and spoilt so far.
package struct GDTLedger: Sendable {
    package private(set) var requests = 0
    /// By what the API decided, also where the answer was lost on the way.
    package private(set) var rets: [GDTRet: Int] = [:]
    package private(set) var accepted: [GDTConversion: Int] = [:]
    package private(set) var acceptedCount = 0
    package private(set) var faults: [Fault: Int] = [:]
    package private(set) var scripted = 0
    package private(set) var unreadScripts = 0

    /// Accepted reports that had been accepted before.
    package var duplicates: Int {
        self.acceptedCount - self.accepted.count
    }

    package init() {}

    /// Files one request under what became of it.
    package mutating func settled(_ course: Course, for judgement: GDTJudgement) {
        self.requests += 1
        if let fault = course.misbehaviour?.fault {
            self.struck(by: fault)
        }
        if course.delayMilliseconds > 0 {
            self.struck(by: .latency)
        }
        switch course.script {
        case .none: break
        case .followed: self.scripted += 1
        case .unread: self.unreadScripts += 1
        }
        guard course.reachesTheAPI else { return }
        self.rets[course.ret, default: 0] += 1
        if course.ret == .accepted, judgement.ret == .accepted, let report = judgement.report {
            self.accepted[report.conversion, default: 0] += 1
            self.acceptedCount += 1
        }
    }

    package mutating func struck(by fault: Fault) {
        self.faults[fault, default: 0] += 1
    }
}
