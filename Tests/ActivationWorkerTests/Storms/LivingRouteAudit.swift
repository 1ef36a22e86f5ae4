import Records
import Simulation
import UpstreamSimulator

/// Compares the outcomes of all records of a storm with the requests and the conversions that Tencent has seen.
struct LivingRouteAudit {
    private let cluster: SimulatedCluster
    private let tencent: TencentInStorm
    /// The visits for each record.
    private let visits: [RecordName: [TencentInStorm.Visit]]
    /// The number of conversions that Tencent has under each id, whichever their route is.
    private let conversions: [String: Int]

    init(_ cluster: SimulatedCluster, _ tencent: TencentInStorm) {
        self.cluster = cluster
        self.tencent = tencent
        var visits: [RecordName: [TencentInStorm.Visit]] = [:]
        for visit in tencent.visits {
            for action in visit.actions { visits[action.record, default: []].append(visit) }
        }
        self.visits = visits
        self.conversions = Dictionary(
            tencent.conversions.map { ($0.outerActionID, 1) },
            uniquingKeysWith: +
        )
    }

    /// A description of each broken promise; empty if there is none.
    var complaints: [String] {
        var complaints: [String] = []
        var owners: [String: RecordName] = [:]
        for record in self.cluster.inputs {
            let name = RecordName(partition: record.partition, offset: record.offset)
            let ids = self.ids(of: name)
            for id in ids {
                let other = owners.updateValue(name, forKey: id)
                if other != nil { complaints.append("\(name) shares its id \(id)") }
            }
            guard let kind = ConversionInStorm(record) else {
                complaints.append("\(name) has no kind")
                continue
            }
            let objections =
                self.objections(to: name, ids, of: kind) + self.objections(toVisitsOf: name, of: kind)
            complaints += objections.map { "\(name), \(kind), \($0)" }
        }
        let unknown = self.conversions.keys.filter { owners[$0] == nil }
        complaints += unknown.map { "\($0) is the id of no record" }
        if self.tencent.repeatedNonces > 0 { complaints.append("a nonce was used twice") }
        return complaints
    }

    private func ids(of name: RecordName) -> Set<String> {
        Set((self.visits[name] ?? []).flatMap(\.actions).filter { $0.record == name }.map(\.id))
    }

    /// Checks that a record has an outcome, and that Tencent has its conversion if and only if the outcome says so.
    private func objections(to name: RecordName, _ ids: Set<String>, of kind: ConversionInStorm) -> [String] {
        let fates = Set((self.cluster.outcomes[name] ?? []).map(\.fate))
        let count = ids.reduce(0) { $0 + (self.conversions[$1] ?? 0) }
        var objections: [String] = []
        if fates.isEmpty { objections.append("has no outcome") }
        if ids.count > 1 { objections.append("has the ids \(ids)") }
        if count > 1 { objections.append("is \(count) conversions") }
        if fates.contains("succeeded"), count == 0 { objections.append("has succeeded and is no conversion") }
        if fates.contains("rejected"), count > 0 { objections.append("was rejected and is a conversion") }
        let wasRefusedAlone = (self.visits[name] ?? []).contains { $0.actions.count == 1 && $0.code != 0 }
        if kind.isBad, fates.contains("rejected"), !wasRefusedAlone {
            objections.append("was rejected with others")
        }
        return objections
    }

    /// Checks that each request for a record went where it may go, with a token only if that is Tencent's own rule.
    private func objections(toVisitsOf name: RecordName, of kind: ConversionInStorm) -> [String] {
        var objections: [String] = []
        for visit in self.visits[name] ?? [] {
            guard let address = kind.addresses.first(where: { visit.url.hasPrefix($0.beginning) }) else {
                objections.append("was reported to \(visit.url)")
                continue
            }
            if visit.hasToken != address.takesToken { objections.append("has a wrong token") }
            // 31005 is about an action. Every other refusal is about the request itself.
            if visit.code != 0, visit.code != 31_005 { objections.append("got the code \(visit.code)") }
        }
        return objections
    }
}
