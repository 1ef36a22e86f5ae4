import Cryptography
package import Operations
package import ServiceKit
package import UpstreamHTTP
import WireFormats
package import WorkerKit

/// The names and the settings of the receipt worker.
package enum ReceiptProgram: WorkerProgram {
    package static let identity = WorkerIdentity(
        name: "receipt-worker",
        topic: "receipt",
        upstream: "appstore",
        answerBytesLimit: VerifyReceiptReply.bytesLimit,
        httpVersion: .http2,
        keptHeaders: ["content-type"],
        // Apple names the time until which the calls of an app must wait.
        longestGate: .seconds(24 * 3_600)
    )

    package static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> ReceiptHandler {
        let anchors = self.anchors(reader.section("apple"))
        let reader = reader.section("receipt")
        return ReceiptHandler(
            ReceiptSettings(
                apps: self.apps(reader, anchors),
                anchors: anchors,
                verifyReceiptHosts: self.hosts(reader, "verifyreceipt", standard: \.verifyReceiptURL),
                appStoreHosts: self.hosts(reader, "app_store", standard: \.appStoreURL),
                limitedAttempts: self.attempts(
                    reader,
                    "limited_attempts",
                    default: 4,
                    within: engine,
                    help:
                        "Tries of what Apple gives no known reason for, before it is unavailable, or a "
                        + "dead letter if the record cannot be the cause."
                ),
                secretDoubts: reader.int(
                    "secret_doubts",
                    default: 3,
                    in: 1...100,
                    help:
                        "Different receipts of an app for which Apple has to call its shared secret wrong, or that "
                        + "are verified here and that it has to call malformed, with none between that went well, "
                        + "before the lane is held."
                ),
                lagAttempts: self.attempts(
                    reader,
                    "lag_attempts",
                    default: 7,
                    within: engine,
                    help: "Tries of a purchase that Apple does not know yet, before it is called invalid."
                ),
                firstLag: reader.duration(
                    "first_lag",
                    default: .seconds(15),
                    in: .milliseconds(1) ... .seconds(3_600),
                    help: "The wait after the first of them. Each further wait is twice as long."
                ),
                transactionsLimit: reader.int(
                    "transactions_limit",
                    default: 500,
                    in: 1...20_000,
                    help: "Purchases that a result shows, the newest. Each takes up to 1 KB of the record."
                ),
                tokenLifetime: reader.duration(
                    "token_lifetime",
                    default: .seconds(300),
                    in: .seconds(60) ... .seconds(3_000),
                    help:
                        "How long a token for the App Store Server API is good for. Apple takes an hour at most."
                ),
                tokenBackdating: reader.duration(
                    "token_backdating",
                    default: ProviderToken.backdating,
                    in: .zero ... .seconds(600),
                    help: "How far its beginning is put back, since Apple refuses a token from the future."
                ),
                signedDataAge: self.age(reader)
            )
        )
    }

    private static func age(_ reader: SettingsReader) -> Duration? {
        let age = reader.duration(
            "signed_data_age",
            default: .zero,
            in: .zero ... .seconds(100 * 366 * 86_400),
            help:
                "How old a signed transaction may be where its signature alone decides: one that is older is "
                + "unavailable. Any age, if 0s."
        )
        return age == .zero ? nil : age
    }

    /// Masks the receipt, which is personal data, and the password and the token, which are secret.
    package static func masked(_ request: HTTPRequest) -> HTTPRequest {
        var masked = request
        for index in masked.headers.indices where masked.headers[index].name == "Authorization" {
            masked.headers[index].value = "Bearer masked"
        }
        if let body = masked.body {
            var text = String(decoding: body, as: UTF8.self)
            for name in ["receipt-data", "password"] { text = self.masked(text, name) }
            masked.body = Array(text.utf8)
        }
        return masked
    }

    /// Returns the job at a given host after given other hosts, so that a case of the sandbox can be tried by
    /// hand. Nil if a host is unknown.
    ///
    /// A visited host has said only that it is the wrong one. A refused host has refused our token.
    package static func placed(_ job: ReceiptJob, at place: CasePlace) -> ReceiptJob? {
        func hosts(_ names: [String]) -> Set<StoreHost>? {
            let hosts = Set(names.compactMap { StoreHost(rawValue: $0) })
            return hosts.count == Set(names).count ? hosts : nil
        }
        guard let visited = hosts(place.visited), let refused = hosts(place.refused) else { return nil }
        var job = job
        if let name = place.host {
            guard let host = StoreHost(rawValue: name) else { return nil }
            job.host = host
        }
        job.visited = visited.union(refused)
        job.refusals = refused
        job.isRenewed = place.isRenewed
        return job
    }

    /// Masks the value of one member of the JSON body. The handler writes this JSON itself, so a value is a
    /// text that ends at the first quotation mark without an escape.
    private static func masked(_ text: String, _ name: String) -> String {
        guard let start = text.firstRange(of: "\"\(name)\":\"") else { return text }
        var end = start.upperBound
        var isEscaped = false
        while end < text.endIndex, isEscaped || text[end] != "\"" {
            isEscaped = !isEscaped && text[end] == "\\"
            end = text.index(after: end)
        }
        return "\(text[..<start.upperBound])masked\(text[end...])"
    }

    /// Reads a number of attempts, at most `worker.attempts`: after that number the engine makes a record
    /// that counts as the cause of its failures a dead letter.
    private static func attempts(
        _ reader: SettingsReader,
        _ key: String,
        default standard: Int,
        within engine: EngineSettings,
        help: String
    ) -> Int {
        let attempts = reader.int(
            key,
            default: min(standard, engine.attempts),
            in: 1...100,
            help: "\(help) At most worker.attempts."
        )
        if attempts > engine.attempts {
            reader.reportFault(key, "must not be above worker.attempts, which is \(engine.attempts)")
        }
        return attempts
    }

    private static func hosts(
        _ reader: SettingsReader,
        _ prefix: String,
        standard: KeyPath<StoreHost, String>
    ) -> [StoreHost: BaseURL] {
        var hosts: [StoreHost: BaseURL] = [:]
        for host in StoreHost.allCases {
            let key = "\(prefix)_\(host.rawValue)_url"
            let text = reader.url(
                key,
                default: host[keyPath: standard],
                help: "Where Apple's \(host.rawValue) is. http only on this machine."
            )
            do throws(BaseURL.Fault) {
                let url = try BaseURL(text)
                if !url.isSafeForSecrets {
                    reader.reportFault(key, "must be https: secrets would travel in the clear")
                }
                hosts[host] = url
            } catch {
                reader.reportFault(key, error.description)
            }
        }
        return hosts
    }

    private static func anchors(_ reader: SettingsReader) -> LocalVerifier.Anchors {
        func anchors(_ key: String, _ what: String) -> TrustAnchors? {
            guard let bytes = reader.optionalFile(key, help: "\(what) A file in PEM or DER.") else {
                return nil
            }
            guard let certificates = Certificate.all(in: bytes) else {
                reader.reportFault(key, "names a file that is no certificate in DER or PEM")
                return nil
            }
            return TrustAnchors(certificates)
        }
        return LocalVerifier.Anchors(
            appReceipts: anchors(
                "app_receipt_roots",
                "The root that app receipts must lead to: Apple Root CA."
            ),
            signedData: anchors(
                "signed_data_roots",
                "The root that signed transactions must lead to: Apple Root CA - G3. Needed for the App Store Server API."
            ),
            transactionReceipts: anchors(
                "transaction_receipt_roots",
                "The root that receipts of iOS 6 must lead to, or the certificate that signs them."
            )
        )
    }
}
