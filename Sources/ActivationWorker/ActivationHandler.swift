import Operations
package import Records
package import ServiceLifecycle
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// Reports conversions of apps to GDT: one GET for every record.
///
/// GDT knows no idempotency key, so a repeat of a call may be counted twice. What can be done is done: a record
/// gives the same URL, byte for byte, at every attempt.
package struct ActivationHandler: Handler {
    package typealias Job = Activation
    package typealias Answer = ActivationAnswer

    /// What GDT chooses the keys and the rule of a report by, besides the account. It is what a configuration
    /// fault is about, so each of these has a lane of its own: an account without a rule for payments still
    /// reports its activations.
    struct Scope: Hashable {
        var appType: AppType
        var conversionType: ConversionType
    }

    let reports: AccountReports
    private let keyFiles: [ActivationSettings.KeyFile]
    /// The names of each account's lanes.
    private let lanes: [GDTAccount: [Scope: String]]
    private let window: ConversionWindow
    let configurationAttemptsLimit: Int

    package init(_ settings: ActivationSettings) {
        self.reports = AccountReports(settings)
        self.keyFiles = settings.keyFiles
        self.lanes = Dictionary(
            uniqueKeysWithValues: settings.keys.keys.map { ($0, Self.lanes(of: $0)) }
        )
        self.window = settings.window
        self.configurationAttemptsLimit = settings.configurationAttemptsLimit
    }

    private static func lanes(of account: GDTAccount) -> [Scope: String] {
        var lanes: [Scope: String] = [:]
        for appType in AppType.allCases {
            for type in ConversionType.allCases {
                lanes[Scope(appType: appType, conversionType: type)] =
                    "\(account)/\(appType.rawValue)/\(type.rawValue)"
            }
        }
        return lanes
    }

    package func companions(_ surroundings: Surroundings) -> [any Service] {
        let files = self.watchedFiles
        return files.isEmpty ? [] : [SecretFileWatch(files, surroundings.logger)]
    }

    var watchedFiles: [SecretFileWatch.File] {
        self.keyFiles.map { file in
            let owner = ["account": file.account.description, "key": file.part.rawValue]
            return SecretFileWatch.File(path: file.path, owner: owner, known: file.text) {
                [reports = self.reports] secret in
                try reports.replace(file.part, of: file.account, by: secret)
            }
        }
    }

    package func plan(_ record: InboundRecord, _ attempt: Attempt) -> Plan<Activation, ActivationAnswer> {
        let activation: Activation
        do throws(Activation.Fault) {
            activation = try Activation(decoding: record)
        } catch {
            switch error {
            case .record(let fault):
                return .reject(Rejection(fault.reason, kind: fault.kind, replayable: .no))
            case .refused(let reason, let answer): return .refuse(reason, answer)
            }
        }
        guard let report = self.reports.report(of: activation.account) else {
            let reason = Reason(
                "configuration.unknown_app",
                "No keys are configured for the app and advertiser."
            )
            return .reject(Rejection(reason, kind: .invalid, replayable: .afterFix))
        }
        if let objection = self.window.objection(to: activation.convertedAt, now: attempt.now) {
            return .refuse(objection, Self.answer(to: activation))
        }
        let request = HTTPRequest(method: .get, url: report.url(of: activation))
        let scope = Scope(appType: activation.appType, conversionType: activation.conversionType)
        let lane = self.lanes[activation.account]?[scope] ?? activation.account.description
        return .call(Call(request, for: activation, lane: lane))
    }

    package func encode(
        _ outcome: Outcome,
        _ answer: ActivationAnswer?,
        as format: ValueFormat
    ) -> [UInt8] {
        ActivationResult.encode(outcome, answer, as: format)
    }

    static func answer(to activation: Activation, _ gdt: GDTAnswer? = nil) -> ActivationAnswer {
        ActivationAnswer(
            account: activation.account,
            conversionType: activation.conversionType.rawValue,
            gdt: gdt
        )
    }
}
