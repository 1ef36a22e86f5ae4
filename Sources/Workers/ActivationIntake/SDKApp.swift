import Operations
import WireFormats

/// The names that an SDK sends for an app: the account of its target, and the data source and the bundle id of its
/// events.
struct SDKSource: Hashable, Sendable {
    var account: String
    var dataSource: String
    /// The bundle id, or the package name on Android; nil where apps share no data source.
    var domain: String?

    /// A phone chooses the names, so they are compared and hashed by their bytes.
    private var names: [ExactText?] {
        [ExactText(self.account), ExactText(self.dataSource), self.domain.map { ExactText($0) }]
    }

    static func == (one: SDKSource, other: SDKSource) -> Bool { one.names == other.names }

    func hash(into hasher: inout Hasher) { hasher.combine(self.names) }
}

/// The app at Tencent as which the activations of a data source are reported.
struct SDKApp: Hashable, Sendable {
    var account: GDTAccount
    var appType: AppType
    /// Whether a device is also reported by ids that are neither an IDFA nor an IMEI.
    var takesOtherIDs = false

    /// Reads the list of apps. Faults are reported to the reader.
    static func apps(_ reader: SettingsReader) -> [SDKSource: SDKApp] {
        let list = reader.each("apps", help: "The apps whose uploads become activations.") { entry in
            let source = SDKSource(
                account: entry.string(
                    "account",
                    help: "The account in the SDK's target, /v3/projects/ACCOUNT/collect."
                ),
                dataSource: entry.string("data_source", help: "The dataSourceId of its events."),
                domain: entry.optionalString(
                    "domain",
                    help:
                        "The bundle id of its events, where apps share a data source. Without it, all the others."
                )
            )
            let account = GDTAccount(
                appID: UInt64(
                    entry.int("app_id", in: 1...Int.max, help: "The app's id at Apple or Tencent.")
                ),
                advertiserID: UInt64(
                    entry.int("advertiser_id", in: 1...Int.max, help: "The account at e.qq.com.")
                )
            )
            let type = entry.requiredOneOf("app_type", help: "The system that the app runs on.") as AppType?
            let takesOtherIDs = entry.bool(
                "other_ids",
                default: false,
                help:
                    "Report caid, oaid and Android id too, also without idfa or imei. Only for route: marketing_api."
            )
            return (source, SDKApp(account: account, appType: type ?? .ios, takesOtherIDs: takesOtherIDs))
        }
        var apps: [SDKSource: SDKApp] = [:]
        for (source, app) in list where apps.updateValue(app, forKey: source) != nil {
            let names = [source.account, source.dataSource] + (source.domain.map { [$0] } ?? [])
            reader.reportFault("apps", "\(names.joined(separator: "/")) is listed twice")
        }
        return apps
    }

    /// Returns the app of an activation: that of its bundle id, or else the one that is listed without any.
    static func app(of activation: SDKActivation, in apps: [SDKSource: SDKApp]) -> SDKApp? {
        var source = SDKSource(account: activation.account, dataSource: activation.dataSourceID)
        let app = apps[source]
        source.domain = activation.domain
        return apps[source] ?? app
    }

    /// Returns the conversion of an activation.
    ///
    /// - Throws: the reason why there is nothing to report.
    func conversion(_ activation: SDKActivation, clientIP: String?) throws(NothingToReport) -> Activation {
        switch activation.kind {
        case .activation, .deferred: break
        case .reengage: throw .reengage
        case .unknown: throw .unknownKind
        }
        guard Activation.convertedAtRange.contains(activation.convertedAt) else { throw .time }
        let device = self.appType == .ios ? activation.idfa : activation.imei
        let ids = self.takesOtherIDs ? DeviceIDs(activation, of: self.appType) : DeviceIDs()
        let own = try self.muid(device, beside: ids.first)
        guard let muid = own ?? ids.first else { throw .noIdentifier }
        var conversion = Activation(
            account: self.account,
            appType: self.appType,
            conversionType: .activation,
            muid: muid,
            convertedAt: activation.convertedAt,
            clientIP: clientIP
        )
        conversion.hasMUID = own != nil
        conversion.ids = ids
        conversion.userAgent = activation.userAgent.flatMap {
            $0.utf8.count <= Activation.userAgentBytesLimit ? $0 : nil
        }
        return conversion
    }

    private func muid(_ device: String?, beside other: MUID?) throws(NothingToReport) -> MUID? {
        guard let device else { return nil }
        if let muid = try? MUID(deviceID: device, of: self.appType) { return muid }
        // A phone that keeps its IMEI to itself gives a text in its place, and has other ids.
        guard self.appType == .android, other != nil else { throw .malformedIdentifier }
        return nil
    }

    /// The reasons why an ACTIVATE event is not reported.
    enum NothingToReport: String, Error, Hashable, CaseIterable {
        case reengage
        case unknownKind = "unknown_kind"
        case unknownApp = "unknown_app"
        case noIdentifier = "no_identifier"
        case malformedIdentifier = "malformed_identifier"
        case time
        case tooMany = "too_many"

        /// The reason of the outcome.
        var reason: Reason { Reason("sdk_activation.\(self.rawValue)", self.message) }

        private var message: String {
            switch self {
            case .reengage: "The app was opened again by a link: nothing was activated."
            case .unknownKind: "The event is an ACTIVATE of a name that no SDK has."
            case .unknownApp: "No app is configured for the upload's account and the event's data source."
            case .noIdentifier: "The event has no id that Tencent knows devices by: no idfa, or no imei."
            case .malformedIdentifier: "The event's idfa or imei is none."
            case .time: "The event's time is before 2001 or after 9999."
            case .tooMany: "The upload has more activations than a phone has."
            }
        }
    }
}
