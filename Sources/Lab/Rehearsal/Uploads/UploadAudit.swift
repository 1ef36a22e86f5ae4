import Harness
import UpstreamSimulator

/// The check of what came of all uploads, clicks and activations of the demo.
struct UploadAudit {
    let traffic: PhoneTraffic
    let told: ToldConversions
    let register: Register

    private func place(of title: String) -> String? {
        self.register.entries.first { $0.sample.title == title }?.place
    }

    /// Every event of every upload is published once.
    var events: Claim {
        var claim = Claim(
            text:
                "the \(self.traffic.eventCount) events of all uploads are on \(UploadDemo.events), each once",
            objections: self.told.riddles.map { "\($0) cannot be understood" }
        )
        var expected: Set<ToldConversions.Event> = []
        for upload in self.traffic.uploads {
            for (index, type) in upload.types.enumerated() {
                expected.insert(
                    .init(deviceID: upload.phone.deviceID, sequence: index + 1, type: type.name)
                )
            }
        }
        for event in expected where self.told.events[event] != 1 {
            claim.objections.append(
                "\(event.type) \(event.sequence) of \(event.deviceID) is there \(self.told.events[event] ?? 0) times"
            )
        }
        for event in self.told.events.keys where !expected.contains(event) {
            claim.objections.append("\(event.type) \(event.sequence) of \(event.deviceID) was not uploaded")
        }
        return claim
    }

    /// Each activation of an upload has the outcome that it must have, and the duplicate names the first.
    var activations: Claim {
        var claim = Claim(text: "", objections: [])
        var reported = 0
        for upload in self.traffic.uploads {
            let outcomes = self.told.outcomes(of: self.place(of: upload.title))
            let found = outcomes.map { $0.told.outcome.reason?.code ?? $0.told.outcome.fate }
            let expected =
                switch upload.activation {
                case .reported?: ["succeeded"]
                case .rejected(let code)?: [code]
                case nil: [] as [String]
                }
            if upload.activation == .reported { reported += 1 }
            if found != expected {
                claim.objections.append(
                    "the activation of \"\(upload.title)\" should be \(expected) and is \(found)"
                )
            }
        }
        let duplicate = self.told.outcomes(of: self.place(of: PhoneTraffic.again)).first
        let first = self.traffic.uploads.first.flatMap { self.place(of: $0.title) }
        if let message = duplicate?.told.outcome.reason?.message, let first, message.contains(first) {
        } else {
            claim.objections.append("the duplicate does not name the first, \(first ?? "which has no place")")
        }
        claim.text =
            "\(reported) activations of uploads are reported; a duplicate names the first; others say why not"
        return claim
    }

    /// GDT has the conversions of the iOS app that were uploaded, each once.
    func reports(_ accepted: [AcceptedReport]?) -> Claim {
        let expected = self.traffic.uploads.filter {
            $0.activation == .reported && $0.phone.dataSource == UploadAccounts.iosSource
        }.map { SimulatedMuid.text(of: $0.phone.identifier.text ?? "") }
        var claim = Claim(text: "GDT has the \(expected.count) of the iOS app, each once", objections: [])
        let found = (accepted ?? []).flatMap { Array(repeating: $0.muid, count: $0.count) }
        if found.sorted() != expected.sorted() {
            claim.objections = ["GDT has \(found.count) conversions, or others than those"]
        }
        return claim
    }

    /// The Marketing API has the conversions of the shop, and the callback that of its click, each once by its
    /// `outer_action_id`.
    func conversions(_ found: [MarketingSimulator.Conversion]?) -> Claim {
        let expected = self.traffic.shopMuids
        var claim = Claim(
            text: "the Marketing API has \(expected.count) conversions and a callback, each once by its id",
            objections: []
        )
        let conversions = found ?? []
        let reports = conversions.filter { $0.callback.isEmpty }
        if reports.map(\.muid).sorted() != expected.sorted() {
            claim.objections.append(
                "the Marketing API has \(reports.count) conversions, or others than those"
            )
        }
        if Set(conversions.map(\.outerActionID)).count != conversions.count {
            claim.objections.append("two conversions have the same outer_action_id")
        }
        let callbacks = conversions.map(\.callback).filter { !$0.isEmpty }
        if callbacks != [PhoneTraffic.callback] {
            claim.objections.append("the callbacks are \(callbacks), not \(PhoneTraffic.callback)")
        }
        return claim
    }

    /// Conversions share requests, the refused one stands alone in the end, and the token was renewed.
    func requests(_ stats: MarketingSimulator.Stats?) -> Claim {
        guard let stats else {
            return Claim(text: "conversions share requests", objections: ["the Marketing API was not asked"])
        }
        let refused = stats.codes["31005", default: 0]
        var claim = Claim(
            text:
                "up to \(stats.largestBatch) conversions shared a request, and the bad one was refused alone; "
                + "the token was renewed \(stats.renewals == 1 ? "once" : "\(stats.renewals) times")",
            objections: []
        )
        if stats.largestBatch < 2 { claim.objections.append("no two conversions shared a request") }
        if refused == 0 { claim.objections.append("no batch was refused") }
        if stats.renewals != 1 { claim.objections.append("the token was renewed \(stats.renewals) times") }
        if stats.repeatedNonces > 0 { claim.objections.append("\(stats.repeatedNonces) nonces came twice") }
        return claim
    }
}
