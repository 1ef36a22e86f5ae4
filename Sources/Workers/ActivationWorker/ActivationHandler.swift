import Operations
package import Records
package import ServiceLifecycle
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// The handler that reports conversions of apps to GDT, with one GET for each record.
///
/// GDT has no idempotency key, so it may count a repeated call twice. To make a repetition recognisable, a
/// record gives the same URL, byte for byte, at every attempt with the same keys.
package struct ActivationHandler: Handler {
    /// The decoded record.
    package typealias Job = Activation
    /// The result of one record.
    package typealias Answer = ActivationAnswer

    /// The values, besides the account, by which GDT chooses the keys and the rule of a report. A fault of
    /// the configuration concerns one such combination, so each has a lane of its own: an account without a
    /// rule for payments still reports its activations.
    struct Scope: Hashable {
        var appType: AppType
        var conversionType: ConversionType
    }

    /// The reports of all accounts with their present keys.
    let reports: AccountReports
    private let keyFiles: [ActivationSettings.KeyFile]
    /// The names of the lanes of each account, computed once.
    private let lanes: [GDTAccount: [Scope: String]]
    private let window: ConversionWindow
    /// The accounts of the routes to Tencent's living interfaces.
    let marketing: MarketingRoutes
    private let marketingSettings: MarketingSettings?
    /// The number of attempts after which a failure counts as a fault of our configuration.
    let configurationAttemptsLimit: Int
    /// The number of failures of its own after which a callback is refused.
    let callbackAttemptsLimit: Int
    /// The failures of a record after which its callback is left alone if the app has another route. The report in its
    /// place has the other tries, because it is planned again and again like any call.
    var callbackTries: Int { max(1, self.callbackAttemptsLimit * 7 / 10) }
    /// The encryptions of uploads that are known.
    let ciphers: UploadCiphers

    /// Creates a handler. Accounts without keys in the settings cannot be reported.
    package init(_ settings: ActivationSettings) {
        self.reports = AccountReports(settings)
        self.keyFiles = settings.keyFiles
        self.lanes = Dictionary(
            uniqueKeysWithValues: settings.keys.keys.map { ($0, Self.lanes(of: $0)) }
        )
        self.window = settings.window
        self.marketing = MarketingRoutes(settings.marketing)
        self.marketingSettings = settings.marketing
        self.configurationAttemptsLimit = settings.configurationAttemptsLimit
        self.callbackAttemptsLimit = settings.callbackAttemptsLimit
        self.ciphers = settings.ciphers
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

    /// GDT's scheme 2, the Marketing API and callbacks fail and throttle independently of each other.
    package var endpoints: [UpstreamEndpoint] { [UpstreamEndpoint()] + self.marketing.endpoints }

    /// Returns the watch of the files with keys and tokens, if there are any, and the renewal of each pair of
    /// tokens.
    package func companions(_ instruments: Instruments) -> [any Service] {
        SecretFileWatch.services(self.watchedFiles, instruments.logger) + self.renewals(instruments)
    }

    private func renewals(_ instruments: Instruments) -> [any Service] {
        guard let settings = self.marketingSettings else { return [] }
        TokenRenewal.describe(in: instruments.registry)
        return self.marketing.tokens.compactMap { source, token in
            guard case .pair(let file, let isRenewedHere) = source else { return nil }
            return TokenRenewal(
                file: file,
                token: token,
                settings: TokenRenewal.Settings(
                    url: settings.tokenURL,
                    http: instruments.http,
                    margin: settings.renewsBefore,
                    isRenewedHere: isRenewedHere
                ),
                logger: instruments.logger,
                registry: instruments.registry
            )
        }
    }

    /// The files with keys and tokens of all accounts. A change replaces the key or the token.
    var watchedFiles: [SecretFileWatch.File] {
        self.watchedKeyFiles
            + self.marketing.tokens.compactMap { source, token in
                guard case .fixed(let text, let path?) = source else { return nil }
                return SecretFileWatch.File(path: path, owner: ["file": path], known: text) {
                    try AccessToken.check($0)
                    token.replace(by: $0)
                }
            }
    }

    private var watchedKeyFiles: [SecretFileWatch.File] {
        self.keyFiles.map { file in
            let owner = ["account": file.account.description, "key": file.part.rawValue]
            return SecretFileWatch.File(path: file.path, owner: owner, known: file.text) {
                [reports = self.reports] secret in
                try reports.replace(file.part, of: file.account, by: secret)
            }
        }
    }

    /// Decides what to do with a record: a call to GDT, a refusal of what a device has sent, or a dead letter
    /// for a wrong record.
    package func plan(
        _ record: InboundRecord,
        _ attempt: Attempt,
        with memory: inout NoMemory
    ) -> Plan<Activation, ActivationAnswer> {
        if record.header(SDKUploadRequest.targetHeader) != nil { return Self.needsIntake }
        var activation: Activation
        do throws(Activation.Fault) {
            activation = try Activation(decoding: record)
        } catch {
            switch error {
            case .record(let fault):
                return .reject(Rejection(fault.reason, kind: fault.kind, replayable: .no))
            case .refused(let reason, let answer): return .refuse(reason, answer)
            }
        }
        if let report = self.reportAfterFailures(of: activation, attempt) {
            activation = report
            activation.reportName = record.reportName
        }
        let way = self.marketing.way(of: activation)
        let report = self.reports.report(of: activation.account)
        guard way != nil || report != nil else { return Self.unknownApp(activation.account) }
        let times = min(attempt.now, attempt.proven)...max(attempt.now, record.timestamp ?? .min)
        if let objection = self.window.objection(to: activation.convertedAt, now: times) {
            return .refuse(objection, Self.answer(to: activation))
        }
        if let way { return self.plan(activation, named: record.reportName, attempt, on: way) }
        guard let report else { return Self.unknownApp(activation.account) }
        return self.plan(activation, by: report)
    }

    /// Plans a report to GDT's scheme 2.
    func plan(_ activation: Activation, by report: ConversionReport) -> Plan<Activation, ActivationAnswer> {
        guard activation.hasMUID else {
            let reason = Reason(
                "device_id.empty",
                "The device has no id that scheme 2 takes: no IDFA, IMEI or MEID."
            )
            return .refuse(reason, Self.answer(to: activation))
        }
        let request = HTTPRequest(method: .get, url: report.url(of: activation))
        let scope = Scope(appType: activation.appType, conversionType: activation.conversionType)
        let lane = self.lanes[activation.account]?[scope] ?? activation.account.description
        return .call(Call(request, for: activation, lane: lane))
    }

    private static var needsIntake: Plan<Activation, ActivationAnswer> {
        let reason = Reason(
            "upload.needs_intake",
            "The record is an upload of an SDK, which only an intake takes apart: start activation-worker intake."
        )
        return .reject(Rejection(reason, kind: .invalid, replayable: .afterFix))
    }

    private static func unknownApp(_ account: GDTAccount) -> Plan<Activation, ActivationAnswer> {
        let reason = Reason(
            "configuration.unknown_app",
            "No keys are configured for the app \(account.appID) and the advertiser \(account.advertiserID)."
        )
        return .reject(Rejection(reason, kind: .invalid, replayable: .afterFix))
    }

    /// Returns the members of a record that `SchemaFields` does not list.
    package func unknownFields(in record: InboundRecord) -> UnknownFields? {
        UnknownFields(of: record, in: .activation)
    }

    package func object(in record: InboundRecord) -> JSONObject? { RecordObject.activation(record) }

    /// Encodes the value of the result record. `answer` is nil if GDT has said nothing final.
    package func encode(
        _ outcome: Outcome,
        _ answer: ActivationAnswer?,
        as format: ValueFormat
    ) -> [UInt8] {
        ActivationResult.encode(outcome, answer, as: format)
    }

    /// Returns the answer for an activation; `gdt` is nil if GDT was not asked.
    static func answer(to activation: Activation, _ gdt: GDTAnswer? = nil) -> ActivationAnswer {
        ActivationAnswer(
            account: activation.account,
            conversionType: activation.conversionType.rawValue,
            gdt: gdt,
            isTimeAssumed: activation.isTimeAssumed
        )
    }
}
