import Cryptography
package import Operations
package import ServiceKit
package import UpstreamHTTP
import WireFormats
package import WorkerKit

/// The names and the settings of the DeviceCheck worker.
package enum DeviceCheckProgram: WorkerProgram {
    package static let identity = WorkerIdentity(
        name: "devicecheck-worker",
        topic: "devicecheck",
        upstream: "devicecheck",
        answerBytesLimit: DeviceCheckReply.bytesLimit,
        httpVersion: .http2,
        keptHeaders: DeviceCheckHandler.appleHeaders,
        haste: .urgent
    )

    package static func handler(_ reader: SettingsReader, _ engine: EngineSettings) -> DeviceCheckHandler {
        if engine.ordering == .none {
            let problem =
                "must be key or partition: of two updates of one subject at once, one would undo the other's bit"
            reader.section("worker").reportFault("ordering", problem)
        }
        let reader = reader.section("devicecheck")
        return DeviceCheckHandler(
            DeviceCheckSettings(
                teams: self.teams(reader),
                hosts: self.hosts(reader),
                limits: self.limits(reader),
                attempts: self.attempts(reader, engine),
                unexplainedAttempts: reader.int(
                    "unexplained_attempts",
                    default: 3,
                    in: 1...100,
                    help:
                        "Calls after which a refusal without a known reason is given up. At most devicecheck.attempts."
                ),
                backoff: engine.backoff,
                tokenLifetime: reader.duration(
                    "provider_token_lifetime",
                    default: .seconds(1_800),
                    in: .seconds(60) ... .seconds(3_570),
                    help: "How long one signed token is shown to Apple. A refused one is renewed at once."
                ),
                memory: self.memory(reader)
            )
        )
    }

    /// Masks the device token, which is personal data, and the provider token, which is secret.
    package static func masked(_ request: HTTPRequest) -> HTTPRequest {
        var masked = request
        for index in masked.headers.indices where masked.headers[index].name == "Authorization" {
            masked.headers[index].value = "Bearer masked"
        }
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        if let start = body.firstRange(of: #""device_token":""#),
            let end = body[start.upperBound...].firstIndex(of: "\"")
        {
            masked.body = Array((body[..<start.upperBound] + "masked" + body[end...]).utf8)
        }
        return masked
    }

    private static func limits(_ reader: SettingsReader) -> TokenLimits {
        let standard = TokenLimits()
        let limits = TokenLimits(
            fresh: reader.duration(
                "token_age_limit",
                default: standard.fresh,
                in: .seconds(1) ... .seconds(3_600),
                help:
                    "Up to this age a token that Apple refuses is called invalid, and an operation that failed is "
                    + "tried again; beyond it, expired and unavailable."
            ),
            oldest: reader.duration(
                "longest_wait",
                default: standard.oldest,
                in: .seconds(1)...(.seconds(24 * 3_600)),
                help:
                    "Records that have waited longer are not asked for: expired_token. See worker.deadline too."
            )
        )
        if limits.oldest < limits.fresh {
            reader.reportFault("longest_wait", "must not be below devicecheck.token_age_limit")
        }
        return limits
    }

    /// Reads the number of calls for one operation, at most `worker.attempts`: an attempt that counts against
    /// the record is also one of those, and after them the engine makes the record a dead letter.
    private static func attempts(_ reader: SettingsReader, _ engine: EngineSettings) -> Int {
        let attempts = reader.int(
            "attempts",
            default: min(5, engine.attempts),
            in: 1...100,
            help: "Calls for one operation before its result is unavailable. At most worker.attempts."
        )
        if attempts > engine.attempts {
            let problem =
                "must not be above worker.attempts, which is \(engine.attempts): "
                + "records would be dead-lettered before their result is unavailable"
            reader.reportFault("attempts", problem)
        }
        return attempts
    }

    private static func memory(_ reader: SettingsReader) -> UpdateMemory.Limits {
        let standard = UpdateMemory.Limits()
        return UpdateMemory.Limits(
            subjects: reader.int(
                "remembered_subjects",
                default: standard.subjects,
                in: 2...100_000_000,
                help: "Subjects whose last update is remembered, so that an older one is dropped."
            ),
            age: reader.duration(
                "remembered_for",
                default: standard.age,
                in: .seconds(60)...(.seconds(30 * 24 * 3_600)),
                help: "How long at least. A restart forgets them all."
            )
        )
    }

    private static func hosts(_ reader: SettingsReader) -> [DeviceCheckEnvironment: BaseURL] {
        var hosts: [DeviceCheckEnvironment: BaseURL] = [:]
        for environment in DeviceCheckEnvironment.allCases {
            let key = "\(environment.rawValue)_url"
            let text = reader.url(
                key,
                default: environment.host,
                help: "Where Apple's \(environment.rawValue) environment is. http only on this machine."
            )
            do throws(BaseURL.Fault) {
                let url = try BaseURL(text)
                if !url.isSafeForSecrets {
                    reader.reportFault(key, "must be https: tokens would travel in the clear")
                }
                hosts[environment] = url
            } catch {
                reader.reportFault(key, error.description)
            }
        }
        return hosts
    }

    private static func teams(_ reader: SettingsReader) -> [DeviceCheckSettings.Team] {
        let teams = reader.each(
            "teams",
            atLeast: 1,
            help: "The developer teams that may be asked for, with their keys for DeviceCheck."
        ) { Self.team($0) }.compactMap(\.self)
        var seen: Set<String> = []
        for team in teams where !seen.insert(team.id).inserted {
            reader.reportFault("teams", "\(team.id) is listed twice")
        }
        return teams
    }

    private static func team(_ reader: SettingsReader) -> DeviceCheckSettings.Team? {
        let id = reader.string(
            "team_id",
            help: "The Team ID at Apple.",
            must: "be 10 letters and digits",
            matching: AppleID.isTenCharacters
        )
        let keyID = reader.secret(
            "key_id",
            help: "The id of the key, which has DeviceCheck enabled. A file is read again when it changes."
        )
        let key = reader.secret(
            "key",
            help: "The key as Apple gives it, the text of a .p8 file. A file is read again when it changes."
        )
        guard !key.isEmpty, !keyID.isEmpty else { return nil }
        guard AppleID.isTenCharacters(keyID.reveal()) else {
            reader.reportFault(ofSecret: "key_id", "must be 10 letters and digits")
            return nil
        }
        func file(_ name: String, _ text: Secret) -> DeviceCheckSettings.WatchedFile? {
            reader.path(ofSecret: name).map { DeviceCheckSettings.WatchedFile(path: $0, text: text) }
        }
        do throws(ES256Signer.Fault) {
            let signer = try ES256Signer(pem: Self.lines(of: key))
            return DeviceCheckSettings.Team(
                id: id,
                keyID: keyID.reveal(),
                signer: signer,
                keyFile: file("key", key),
                keyIDFile: file("key_id", keyID)
            )
        } catch {
            reader.reportFault(ofSecret: "key", "is no key for DeviceCheck: \(error)")
            return nil
        }
    }

    /// Returns the lines of a key. In an environment variable, line ends are often written as `\n`.
    private static func lines(of key: Secret) -> [UInt8] {
        let text = key.reveal()
        return Array((text.contains("\n") ? text : text.replacing(#"\n"#, with: "\n")).utf8)
    }
}
