import Operations
import UpstreamHTTP
import WireFormats

/// The route of an app's reports; the raw values are the words of the setting.
enum ReportRoute: String, CaseIterable {
    case gdt
    case marketing = "marketing_api"
}

// The settings of Tencent's living interfaces: the Marketing API and callbacks.
extension ActivationProgram {
    /// Reads the settings that all apps share; nil if no app uses these interfaces.
    static func marketing(
        _ reader: SettingsReader,
        _ apps: [GDTAccount: MarketingSettings.App]
    ) -> MarketingSettings? {
        let baseURL = self.url(
            "url",
            default: UserActionTarget.standardURL,
            help: "The Marketing API, with its version. The access token is in the URL of every request.",
            reader
        )
        let tokenURL = self.url(
            "token_url",
            default: TokenPair.standardURL,
            help: "Where tokens of an oauth_file are renewed.",
            reader
        )
        let requests = reader.int(
            "requests",
            default: 4,
            in: 1...1_000,
            help: "Requests of one account in flight. Conversions that find as many wait for one of them and "
                + "then share a request, up to 50."
        )
        let renewsBefore = reader.duration(
            "renew_before",
            default: .seconds(7_200),
            in: .seconds(60)...(.seconds(12 * 3_600)),
            help: "How long before its end an access token is renewed. Tencent's are good for 24 hours."
        )
        let hosts = reader.strings(
            "callback_hosts",
            default: CallbackURL.standardHosts,
            help: "The hosts that a click's callback may name. Nothing is sent anywhere else."
        )
        if let fault = CallbackURL.Rules.fault(of: hosts) {
            reader.reportFault("callback_hosts", fault)
        } else if hosts.isEmpty, apps.values.contains(where: \.takesCallbacks) {
            reader.reportFault("callback_hosts", "names no host, and an app has callbacks: true")
        }
        let isLab = reader.bool(
            "callback_lab",
            default: false,
            help: "Lets callbacks go to any port and to addresses that are not public. For a lab only."
        )
        if isLab { reader.reportWarning("callback_lab", "lets callbacks reach private addresses") }
        guard let baseURL, let tokenURL, !apps.isEmpty else { return nil }
        return MarketingSettings(
            baseURL: baseURL,
            tokenURL: tokenURL,
            requestsLimit: requests,
            renewsBefore: renewsBefore,
            callbacks: CallbackURL.Rules(hosts: Set(hosts.map { $0.lowercased() }), allowsPorts: isLab),
            callbacksReachEverywhere: isLab,
            apps: apps
        )
    }

    private static func url(
        _ key: String,
        default fallback: String,
        help: String,
        _ reader: SettingsReader
    ) -> BaseURL? {
        let text = reader.url(key, default: fallback, help: help)
        do throws(BaseURL.Fault) {
            let url = try BaseURL(text)
            guard url.isSafeForSecrets else {
                reader.reportFault(key, "must be https: requests carry a token")
                return nil
            }
            return url
        } catch {
            reader.reportFault(key, error.description)
            return nil
        }
    }

    /// Reads what an app needs on these interfaces; nil if it uses none of them, or has a fault.
    static func marketingApp(_ reader: SettingsReader, _ route: ReportRoute) -> MarketingSettings.App? {
        let actionSetID = reader.optionalInt(
            "user_action_set_id",
            in: 1...Int.max,
            help: "The app's data source. Required with route: marketing_api."
        )
        let token = self.token(reader)
        let takesCallbacks = reader.bool(
            "callbacks",
            default: false,
            help: "Whether a record that carries a click's callback is reported there instead."
        )
        guard route == .marketing else {
            return takesCallbacks ? MarketingSettings.App(token: token, takesCallbacks: true) : nil
        }
        if actionSetID == nil {
            reader.reportFault("user_action_set_id", "is required with route: marketing_api")
        }
        if token == nil {
            let problem = "is required with route: marketing_api: set it, access_token_file or oauth_file"
            reader.reportFault("access_token", problem)
        }
        guard let actionSetID, let token else { return nil }
        return MarketingSettings.App(
            actionSetID: UInt64(actionSetID),
            token: token,
            takesCallbacks: takesCallbacks
        )
    }

    private static func token(_ reader: SettingsReader) -> MarketingSettings.TokenSource? {
        let fixed = reader.optionalSecret(
            "access_token",
            help:
                "A token of the Marketing API that this worker does not renew. A file is read again when it "
                + "changes."
        )
        let path = reader.optionalPath(
            "oauth_file",
            help:
                "A JSON file of mode 0600 with client_id, client_secret, refresh_token and access_token, which this "
                + "worker renews. Apps and workers may share it. Where oauth_renew is false, 0440 will do."
        )
        let isRenewedHere = reader.bool(
            "oauth_renew",
            default: true,
            help:
                "Whether this worker renews the tokens of oauth_file. If not, it only reads what another one "
                + "has renewed."
        )
        if let path {
            if fixed != nil { reader.reportFault("oauth_file", "cannot be given together with access_token") }
            let file = PrivateFile(path: path, isForGroup: !isRenewedHere)
            if let objection = self.objection(to: file, isRenewedHere) {
                reader.reportFault("oauth_file", "names a file that \(objection)")
            }
            return .pair(file, isRenewedHere: isRenewedHere)
        }
        guard let fixed else { return nil }
        do throws(AccessToken.Fault) {
            try AccessToken.check(fixed)
        } catch {
            reader.reportFault(ofSecret: "access_token", error.description)
            return nil
        }
        return .fixed(fixed, path: reader.path(ofSecret: "access_token"))
    }

    /// Returns the reason why a file of tokens cannot be used, as the end of a sentence.
    private static func objection(to file: PrivateFile, _ isRenewedHere: Bool) -> String? {
        do {
            _ = try TokenPair(json: try file.read().revealBytes())
        } catch {
            return "\(error)"
        }
        return isRenewedHere ? file.objectionToReplacing : nil
    }

    /// Masks a report to the Marketing API or to a callback.
    static func maskedReport(_ request: HTTPRequest) -> HTTPRequest {
        var masked = request
        if let query = request.url.firstIndex(of: "?") {
            // A report's query begins with the token, and its body with the account. The query of a callback holds
            // what a click has brought, under whatever names.
            let isReport = request.body?.starts(with: #"{"account_id":"#.utf8) == true
            let rest = request.url[query...].firstIndex(of: "&") ?? request.url.endIndex
            masked.url =
                request.url[...query] + (isReport ? "access_token=masked\(request.url[rest...])" : "masked")
        }
        masked.headers = request.headers.map {
            $0.name == "access-token" ? HTTPHeader($0.name, "masked") : $0
        }
        let personal = self.personalFields.map { "\"\($0)\":\"" }
        masked.body = request.body.map { self.masking($0, from: personal) }
        return masked
    }

    /// The fields of an action that tell of a device or its user.
    private static let personalFields = [
        "hash_idfa", "hash_imei", "hash_oaid", "hash_android_id", "caid", "click_id", "ip", "user_agent",
    ]

    /// Replaces what stands between each of the beginnings and the next quotation mark. One behind a backslash, which
    /// JSON escapes by, is no end.
    private static func masking(_ text: [UInt8], from beginnings: [String]) -> [UInt8] {
        beginnings.reduce(text) { text, beginning in
            guard let start = text.firstRange(of: Array(beginning.utf8))?.upperBound else { return text }
            var position = start
            while position < text.count, text[position] != UInt8(ascii: "\"") {
                position += text[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            return Array(text[..<start] + "masked".utf8 + text[min(position, text.count)...])
        }
    }
}
