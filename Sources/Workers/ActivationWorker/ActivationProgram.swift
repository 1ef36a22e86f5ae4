import ActivationIntake
package import Operations
package import ServiceKit
package import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// The names and the settings of the activation worker.
package enum ActivationProgram: WorkerProgram {
    package static let identity = WorkerIdentity(
        name: "activation-worker",
        topic: "activation",
        upstream: "gdt",
        answerBytesLimit: GDTReply.bytesLimit
    )

    package static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> ActivationHandler {
        self.handler(reader, engine, ciphers: .standard)
    }

    /// Makes the handler from the worker's own settings.
    ///
    /// - Parameter ciphers: The encryptions of uploads that are known.
    package static func handler(
        _ root: SettingsReader,
        _ engine: EngineSettings,
        ciphers: UploadCiphers
    ) -> ActivationHandler {
        let reader = root.section("gdt")
        if let obstacle = ConversionReport.obstacle { reader.reportFault("apps", obstacle) }
        let standard = ConversionWindow()
        let window = ConversionWindow(
            maximumAge: reader.duration(
                "maximum_age",
                default: standard.maximumAge,
                in: .seconds(60)...(.seconds(100 * 365 * 24 * 3_600)),
                help: "Older conversions are rejected without a call."
            ),
            futureSkew: reader.duration(
                "future_skew",
                default: standard.futureSkew,
                in: .zero ... .seconds(24 * 3_600),
                help: "How far ahead of both this clock and the time of its record a conversion may lie."
            )
        )
        let baseURL = self.baseURL(reader)
        let apps = self.apps(reader)
        return ActivationHandler(
            ActivationSettings(
                baseURL: baseURL,
                keys: apps.keys,
                keyFiles: apps.files,
                window: window,
                parameterOrder: self.parameterOrder(reader),
                configurationAttemptsLimit: self.configurationAttempts(reader, engine),
                callbackAttemptsLimit: engine.attempts,
                ciphers: ciphers,
                marketing: self.marketing(root.section("marketing_api"), apps.marketing)
            )
        )
    }

    /// Reads the number of attempts before a lane is held, at most `worker.attempts`. Each of these attempts
    /// is also one of `worker.attempts`. With a larger number, records of an account without keys would
    /// become dead letters first, and the account would never be held. The default leaves the other half to failures of
    /// an outage, the first of which can count against a record too.
    private static func configurationAttempts(_ reader: SettingsReader, _ engine: EngineSettings) -> Int {
        let attempts = reader.int(
            "configuration_attempts",
            default: min(5, max(1, engine.attempts / 2)),
            in: 1...100,
            help: "Attempts after which a failure that our configuration may explain is taken for one: the "
                + "lane is held. At most worker.attempts, and by default at most half of it."
        )
        if attempts > engine.attempts {
            let problem =
                "must not be above worker.attempts, which is \(engine.attempts): "
                + "records would be dead-lettered before their account is held"
            reader.reportFault("configuration_attempts", problem)
        }
        return attempts
    }

    /// Masks the parameter `v`, which holds the whole query in encrypted form. The query is personal data,
    /// and a reader who knows a part of its text can compute the key and so the digest of the device. In a
    /// request to the Marketing API or to a callback, masks the token, the device and the click.
    package static func masked(_ request: HTTPRequest) -> HTTPRequest {
        guard request.method == .get else { return self.maskedReport(request) }
        var masked = request
        if let start = request.url.firstRange(of: "?v="),
            let end = request.url[start.upperBound...].firstIndex(of: "&")
        {
            masked.url = request.url[..<start.upperBound] + "masked" + request.url[end...]
        }
        return masked
    }

    /// Decodes an upload of GrowingIO's SDKs that is written as a JSON object.
    package static func decoded(_ line: [UInt8], by handler: ActivationHandler) -> DecodedLine? {
        guard let request = SDKUploadRequest(json: line) else { return nil }
        do throws(SDKUploadFault) {
            return .content(try SDKUpload(decoding: request, ciphers: handler.ciphers).json)
        } catch {
            return .refused(error.reason)
        }
    }

    package static func neighbours(of topic: String) -> [Preflight.Neighbour] {
        IntakeNeighbours.neighbours(of: topic)
    }

    private static func baseURL(_ reader: SettingsReader) -> BaseURL? {
        let text = reader.url(
            "url",
            default: "http://t.gdt.qq.com",
            help: "Where reports are sent. The signed URL stays http://t.gdt.qq.com."
        )
        do throws(BaseURL.Fault) {
            return try BaseURL(text)
        } catch {
            reader.reportFault("url", error.description)
            return nil
        }
    }

    private static func parameterOrder(_ reader: SettingsReader) -> ConversionParameterOrder {
        let names = reader.strings(
            "parameter_order",
            default: ConversionParameterOrder.standard.parameters.map(\.rawValue),
            help: "Order of the signed parameters; those not named follow."
        )
        do throws(ConversionParameterOrder.Fault) {
            return try ConversionParameterOrder(names)
        } catch {
            reader.reportFault("parameter_order", error.description)
            return .standard
        }
    }

    private struct App {
        var account: GDTAccount
        /// The keys of GDT's scheme 2; nil if the app's reports go another way.
        var keys: GDTKeys?
        var files: [ActivationSettings.KeyFile]
        /// The app on Tencent's living interfaces; nil if it uses none of them.
        var marketing: MarketingSettings.App?
    }

    private struct Apps {
        var keys: [GDTAccount: GDTKeys] = [:]
        var files: [ActivationSettings.KeyFile] = []
        var marketing: [GDTAccount: MarketingSettings.App] = [:]
    }

    private static func apps(_ reader: SettingsReader) -> Apps {
        let apps = reader.each(
            "apps",
            atLeast: 1,
            help: "The apps that may be reported, each with its route and its keys or its token."
        ) {
            Self.app($0)
        }
        var all = Apps()
        var accounts: Set<GDTAccount> = []
        for case let app? in apps {
            if !accounts.insert(app.account).inserted {
                reader.reportFault("apps", "\(app.account) is listed twice")
            }
            all.keys[app.account] = app.keys
            all.files += app.files
            all.marketing[app.account] = app.marketing
        }
        return all
    }

    private static func app(_ reader: SettingsReader) -> App? {
        let account = GDTAccount(
            appID: UInt64(reader.int("app_id", in: 1...Int.max, help: "The app's id at Apple or Tencent.")),
            advertiserID: UInt64(
                reader.int("advertiser_id", in: 1...Int.max, help: "The account at e.qq.com.")
            )
        )
        let route = reader.oneOf(
            "route",
            default: ReportRoute.gdt,
            help: "Where the app's conversions are reported: GDT's scheme 2, or user_actions/add."
        )
        let signKey = self.key(.signKey, reader, of: route)
        let encryptKey = self.key(.encryptKey, reader, of: route)
        let marketing = self.marketingApp(reader, route)
        guard route == .gdt else {
            return marketing.map { App(account: account, files: [], marketing: $0) }
        }
        guard let signKey, let encryptKey else { return nil }
        // Both texts were checked before, so the initializer does not throw.
        guard let keys = try? GDTKeys(signKey: signKey, encryptKey: encryptKey) else { return nil }
        let texts: [(GDTKeys.Part, String)] = [(.signKey, signKey), (.encryptKey, encryptKey)]
        let files = texts.compactMap { part, text in
            reader.path(ofSecret: part.rawValue).map { path in
                ActivationSettings.KeyFile(account, part, path: path, text: Secret(text))
            }
        }
        return App(account: account, keys: keys, files: files, marketing: marketing)
    }

    /// Reads a key that GDT has issued; nil if the key is missing or wrong, which is then reported. A key that
    /// the route does not need may be missing.
    private static func key(
        _ part: GDTKeys.Part,
        _ reader: SettingsReader,
        of route: ReportRoute
    ) -> String? {
        let name = part.rawValue
        let help = "GDT's \(name) for this app and advertiser. A file is read again when it changes."
        let secret =
            route == .gdt
            ? reader.secret(name, help: help) : reader.optionalSecret(name, help: help) ?? Secret("")
        // The reader itself reports a missing key.
        guard !secret.isEmpty else { return nil }
        let key = secret.reveal()
        guard let objection = GDTKeys.objection(to: key) else { return key }
        reader.reportFault(ofSecret: name, objection)
        return nil
    }
}
