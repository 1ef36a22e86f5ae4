/// The counters of the GDT simulator: requests, responses, accepted reports and faults.
package struct GDTLedger: Sendable {
    /// All requests to the API, with or without a fault.
    package private(set) var requests = 0
    /// The number of responses by code, for requests that reached the API, even if a fault then lost the
    /// response.
    package private(set) var rets: [GDTRet: Int] = [:]
    /// The number of accepted reports for each conversion.
    package private(set) var accepted: [GDTConversion: Int] = [:]
    /// The number of accepted reports, duplicates included.
    package private(set) var acceptedCount = 0
    /// The number of requests that each fault has struck. An outage counts once.
    package private(set) var faults: [Fault: Int] = [:]
    /// The number of requests that followed a script in their click id.
    package private(set) var scripted = 0
    /// The number of requests whose click id starts like a script and does not follow the grammar.
    package private(set) var unreadScripts = 0

    /// The number of accepted reports whose conversion had been accepted before.
    package var duplicates: Int {
        self.acceptedCount - self.accepted.count
    }

    /// Creates counters that are all zero.
    package init() {}

    /// Counts one request and its treatment.
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

    /// Counts a strike of this fault.
    package mutating func struck(by fault: Fault) {
        self.faults[fault, default: 0] += 1
    }
}
