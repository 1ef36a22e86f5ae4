import Cryptography
import Operations
package import Records
package import ServiceLifecycle
import UpstreamHTTP
package import WireFormats
package import WorkerKit

/// The handler of operations on the two bits of a device. Each operation is one POST; an update of one bit
/// alone is two.
///
/// An update sets bits to given values, so a repeated call changes nothing. A device token is valid for
/// seconds only, and Apple refuses an old token with the same words as a forged one. The age of the token
/// therefore decides what the worker says about the device.
package struct DeviceCheckHandler: Handler {
    /// One operation, with the state of its calls.
    package typealias Job = DeviceCheckJob
    /// The result of one operation.
    package typealias Answer = DeviceCheckAnswer

    let settings: DeviceCheckSettings
    let keys: TeamKeys
    /// The metric of the ages of device tokens.
    private let ages = TokenAgeMeter()
    /// The URL of each operation in each environment.
    private let urls: [DeviceCheckEnvironment: [DeviceCheckOperation: String]]
    /// The name of the lane of each team and environment, computed once.
    private let lanes: [String: [DeviceCheckEnvironment: String]]

    /// Creates a handler.
    package init(_ settings: DeviceCheckSettings) {
        self.settings = settings
        self.keys = TeamKeys(settings.teams)
        self.urls = Self.each { environment in
            let host = settings.hosts[environment]?.text ?? environment.host
            return Dictionary(
                uniqueKeysWithValues: DeviceCheckOperation.allCases.map { ($0, host + $0.path) }
            )
        }
        let lanes = settings.teams.map { team in
            (team.id, Self.each { "\(team.id)/\($0.rawValue)" })
        }
        self.lanes = Dictionary(lanes) { first, _ in first }
    }

    /// Returns a value for each environment.
    private static func each<Value>(_ value: (DeviceCheckEnvironment) -> Value)
        -> [DeviceCheckEnvironment: Value]
    {
        Dictionary(uniqueKeysWithValues: DeviceCheckEnvironment.allCases.map { ($0, value($0)) })
    }

    /// The two hosts of Apple, one for each environment.
    package var endpoints: [UpstreamEndpoint] {
        DeviceCheckEnvironment.allCases.map { UpstreamEndpoint($0.rawValue) }
    }

    /// A memory without updates and tokens.
    package var emptyMemory: DeviceCheckMemory {
        DeviceCheckMemory(
            updates: UpdateMemory(self.settings.memory),
            tokens: ProviderTokens(lifetime: self.settings.tokenLifetime)
        )
    }

    /// Makes the handler count token ages, and returns the watch of the key files, if there are any.
    package func companions(_ instruments: Instruments) -> [any Service] {
        self.ages.begin(instruments.registry)
        return SecretFileWatch.services(self.watchedFiles, instruments.logger)
    }

    /// Counts the age of the device token that Apple is shown.
    package func callPlanned(for job: Job, _ attempt: Attempt) {
        self.ages.note(job.age(now: attempt.proven))
    }

    /// The files of all teams' keys and key ids. A change replaces the key or the id, and the next call makes
    /// a new provider token.
    var watchedFiles: [SecretFileWatch.File] {
        self.settings.teams.flatMap { team in
            let key = self.watch(team.keyFile, of: team) { keys, text in
                keys.replaceSigner(of: team.id, by: try ES256Signer(pem: text.revealBytes()))
            }
            let keyID = self.watch(team.keyIDFile, of: team) { keys, text in
                try keys.replaceKeyID(of: team.id, by: text.reveal())
            }
            return [key, keyID].compactMap(\.self)
        }
    }

    private func watch(
        _ file: DeviceCheckSettings.WatchedFile?,
        of team: DeviceCheckSettings.Team,
        use: @escaping @Sendable (TeamKeys, Secret) throws -> Void
    ) -> SecretFileWatch.File? {
        guard let file else { return nil }
        return SecretFileWatch.File(path: file.path, owner: ["team": team.id], known: file.text) {
            [keys = self.keys] in try use(keys, $0)
        }
    }

    /// Decides what to do with a record: a call to Apple, a refusal of what a device has sent, or a dead
    /// letter for a wrong record.
    package func plan(
        _ record: InboundRecord,
        _ attempt: Attempt,
        with memory: inout DeviceCheckMemory
    ) -> Plan<Job, Answer> {
        var check: DeviceCheck
        do throws(DeviceCheck.Fault) {
            check = try DeviceCheck(decoding: record)
        } catch {
            switch error {
            case .record(let fault):
                return .reject(Rejection(fault.reason, kind: fault.kind, replayable: .no))
            case .refused(let reason, let answer): return .refuse(reason, answer)
            }
        }
        guard let team = self.team(of: check) else {
            let named = check.header.teamID
            let reason = Reason(
                "configuration.unknown_team",
                named.isEmpty
                    ? "The record names no team, and not exactly one is configured."
                    : "No key is configured for the team \(named)."
            )
            return .reject(Rejection(reason, kind: .invalid, replayable: .afterFix))
        }
        check.header.teamID = team
        let age = TokenAge(of: check, publishedAt: record.timestamp, now: attempt.proven)
        if let objection = self.objection(to: check, age, attempt) { return objection }
        guard let step = self.step(of: check, now: attempt.now, with: &memory.updates) else {
            return .refuse(.superseded, Answer(.superseded, check.header, tokenAge: age.milliseconds))
        }
        let job = Job(check: check, step: step, publishedAt: record.timestamp, serial: 0)
        guard let call = self.call(job, now: attempt.now, with: &memory.tokens) else {
            return .refuse(Reason.cannotSign, self.answer(.unavailable, to: job, at: attempt))
        }
        return .call(call)
    }

    /// Returns the configured team of a record; nil if it is not configured. A record that names no team
    /// belongs to the only configured team, if there is just one.
    private func team(of check: DeviceCheck) -> String? {
        guard check.header.teamID.isEmpty else {
            return self.lanes[check.header.teamID] == nil ? nil : check.header.teamID
        }
        return self.settings.teams.count == 1 ? self.settings.teams.first?.id : nil
    }

    /// Returns a refusal of a device token that is too old to be shown to Apple; nil if Apple can be asked.
    private func objection(to check: DeviceCheck, _ age: TokenAge, _ attempt: Attempt) -> Plan<Job, Answer>? {
        func refusal(_ reason: Reason, _ result: Answer.Result) -> Plan<Job, Answer> {
            .refuse(reason, Answer(result, check.header, tokenAge: age.milliseconds))
        }
        if attempt.number > 1, age.waited > self.settings.limits.fresh {
            return refusal(.tooLate, .unavailable)
        }
        if age.waited > self.settings.limits.oldest { return refusal(.tooOld, .expiredToken) }
        return nil
    }

    /// Returns the first step of an operation; nil for an update whose bits were all set by newer updates.
    private func step(of check: DeviceCheck, now: Int64, with updates: inout UpdateMemory) -> Job.Step? {
        switch check.demand {
        case .query: return .query
        case .validate: return .validate
        case .update(var change):
            if let requestedAt = check.requestedAt(by: now), let subject = UpdateMemory.Subject(check) {
                change = updates.remainder(of: change, from: requestedAt, for: subject, now: now)
            }
            guard !change.isNothing else { return nil }
            return change.complete.map { .writing($0, change) } ?? .reading(change)
        }
    }

    /// Returns the call of a job's step, valid at this moment only because it carries the time; nil if no
    /// provider token can be signed.
    func call(_ job: Job, now: Int64, with tokens: inout ProviderTokens) -> Call<Job>? {
        let header = job.check.header
        guard let key = self.keys.key(of: header.teamID),
            let token = tokens.token(of: header.teamID, with: key, now: now),
            let url = self.urls[job.check.environment]?[job.step.operation],
            let lane = self.lanes[header.teamID]?[job.check.environment]
        else { return nil }
        var job = job
        job.serial = token.serial
        var body = DeviceCheckRequest(
            token: job.check.token,
            transactionID: DeviceCheckRequest.transactionID(of: job.check.recordID, job.step.operation),
            timestamp: now
        )
        if case .writing(let bits, _) = job.step { body.bits = bits }
        let headers = [
            HTTPHeader("Authorization", "Bearer \(token.text)"),
            HTTPHeader("Content-Type", "application/json"),
        ]
        let request = HTTPRequest(method: .post, url: url, headers: headers, body: body.body)
        return Call(
            request,
            for: job,
            lane: lane,
            endpoint: job.check.environment.endpoint,
            isPerishable: true,
            isSecondTry: job.isSecondTry
        )
    }

    /// Returns the answer for a record whose deadline has passed: `unavailable` after a first attempt,
    /// otherwise `expired_token`. Nil if the record cannot be decoded.
    package func expired(_ record: InboundRecord, _ attempt: Attempt) -> Answer? {
        guard var check = try? DeviceCheck(decoding: record) else { return nil }
        check.header.teamID = self.team(of: check) ?? check.header.teamID
        let age = TokenAge(of: check, publishedAt: record.timestamp, now: attempt.proven)
        let result = attempt.number > 1 ? Answer.Result.unavailable : .expiredToken
        return Answer(result, check.header, tokenAge: age.milliseconds)
    }

    /// Returns the members of a record that `SchemaFields` does not list.
    package func unknownFields(in record: InboundRecord) -> UnknownFields? {
        UnknownFields(of: record, in: .deviceCheck)
    }

    package func object(in record: InboundRecord) -> JSONObject? { RecordObject.deviceCheck(record) }

    /// Encodes the value of the result record. `answer` is nil if Apple has said nothing final.
    package func encode(_ outcome: Outcome, _ answer: Answer?, as format: ValueFormat) -> [UInt8] {
        DeviceCheckResult.encode(outcome, answer, as: format)
    }

    /// Returns an answer with the age of the device token and, if Apple has responded, the id of the request
    /// at Apple.
    func answer(_ result: Answer.Result, to job: Job, at attempt: Attempt, response: HTTPResponse? = nil)
        -> Answer
    {
        Answer(
            result,
            job.check.header,
            tokenAge: job.age(now: attempt.proven).milliseconds,
            httpStatus: response?.status,
            appleRequestID: response.flatMap { response in
                Self.appleHeaders.lazy.compactMap { Answer.shownRequestID(response.header($0)) }.first
            }
        )
    }

    /// The headers with the id that Apple's support asks for, the most useful first.
    static let appleHeaders = ["x-apple-request-uuid", "x-apple-jingle-correlation-key", "x-b3-traceid"]
}

extension DeviceCheckEnvironment {
    /// The number of the environment's host in `endpoints`.
    fileprivate var endpoint: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Apple's own address of the environment.
    var host: String {
        switch self {
        case .production: "https://api.devicecheck.apple.com"
        case .development: "https://api.development.devicecheck.apple.com"
        }
    }
}

extension UpdateMemory.Subject {
    /// Creates a subject; nil if the record does not name one.
    init?(_ check: DeviceCheck) {
        guard let name = check.subject else { return nil }
        self.init(team: check.header.teamID, environment: check.environment, name: name)
    }
}

extension DeviceCheck {
    /// Returns when the operation was requested; nil if that is unknown or in the future. A producer may set
    /// the timestamps of its records, so only our own clock limits this time.
    func requestedAt(by now: Int64) -> Int64? { self.requestedAt.flatMap { $0 <= now ? $0 : nil } }
}

extension Reason {
    static let cannotSign = Reason("token.cannot_sign", "OpenSSL could not sign the token for Apple.")
    static let tooLate = Reason(
        "device_token.too_late",
        "Apple gave no answer, and the device token is too old by now to ask again."
    )
    static let tooOld = Reason(
        "device_token.too_old",
        "The record had been waiting for longer than a device token lives."
    )
    static let superseded = Reason(
        "update.superseded",
        "A newer update of the same subject has been done already."
    )
}
