import EventThread
import Glibc
import Logging
import Metrics
import Operations
import ServiceLifecycle
import UpstreamHTTP
import WireFormats

/// Keeps the access token of one OAuth file fresh: it reads the file once a second, and renews the tokens
/// ahead of their end.
///
/// All processes that share the file may run this. One at a time holds the lock of the file, reads the file
/// again under it, and renews only if no other has done so. Tencent issues a new refresh token with every
/// renewal, so the new pair is on disk before the lock is given back. A pair that cannot be written stays in
/// memory and in use, and is written as soon as that succeeds.
struct TokenRenewal: Service {
    /// The settings of a renewal.
    struct Settings: Sendable {
        var url: BaseURL
        var http: HTTPClientSettings
        /// How long before its end an access token is renewed.
        var margin: Duration
        /// Whether this process renews. If not, it only reads what others have renewed.
        var isRenewedHere: Bool
        /// The time between two looks at the file.
        var interval = Duration.seconds(1)
        /// The least time between two renewals. A renewed token counts as fresh for so long, even if answers to
        /// requests from before still call the old one expired.
        var leastInterval = Duration.seconds(60)
        /// The wait after the first failure; it doubles with each, up to `longestWait`.
        var firstWait = Duration.seconds(5)
        var longestWait = Duration.seconds(300)
    }

    let file: PrivateFile
    let token: AccessToken
    let settings: Settings
    let logger: Logger
    let registry: PrometheusRegistry

    private static let metric = "activation_token_expires_timestamp_seconds"

    /// Sets the help text of the metric.
    static func describe(in registry: PrometheusRegistry) {
        registry.describe(
            self.metric,
            help:
                "When the access token of an OAuth file ends. It is renewed before, so an end that comes near is a fault."
        )
    }

    /// The memory of a loop between two looks.
    private struct Memory {
        /// The pair that was last read or renewed.
        var pair: TokenPair?
        /// A renewed pair that is not on disk yet, and the pair in whose place it belongs.
        var unsaved: (pair: TokenPair, old: TokenPair)?
        var freshUntil: ContinuousClock.Instant?
        var notBefore: ContinuousClock.Instant?
        var failures = 0
        var complaint: String?
    }

    /// A failed renewal, without anything secret.
    private struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Watches and renews until the service group shuts down or the task is cancelled.
    func run() async throws {
        var memory = Memory()
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            await self.look(&memory)
            // Sleeping fails only when it is ended early, and the condition of the loop finds the reason.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: self.settings.interval) }
        }
    }

    private func look(_ memory: inout Memory) async {
        do {
            if let unsaved = memory.unsaved {
                // The file is older than the tokens in use until they are in it.
                guard try await self.save(unsaved.pair, over: unsaved.old) else { return }
                memory.unsaved = nil
            }
            let pair = try Self.pair(in: self.file)
            if pair != memory.pair { self.adopt(pair, &memory) }
            try await self.renewIfDue(pair, &memory)
            memory.complaint = nil
        } catch {
            self.complain("\(error)", &memory)
        }
    }

    /// Logs a problem, once until it changes or is over.
    private func complain(_ problem: String, _ memory: inout Memory) {
        guard memory.complaint != problem else { return }
        memory.complaint = problem
        self.logger.error(
            "access token cannot be renewed; the one before it stays",
            metadata: ["file": "\(self.file.path)", "error": "\(problem)"]
        )
    }

    private func adopt(_ pair: TokenPair, _ memory: inout Memory) {
        memory.pair = pair
        let gauge = Gauge(label: Self.metric, dimensions: [("file", self.file.path)], factory: self.registry)
        if let end = pair.accessExpiresAt { gauge.record(end) } else { gauge.destroy() }
        guard self.token.bytes != Array(pair.accessToken.utf8) else { return }
        self.token.replace(by: Secret(pair.accessToken))
        memory.freshUntil = .now + self.settings.leastInterval
        self.logger.notice("access token renewed", metadata: ["file": "\(self.file.path)"])
    }

    private func renewIfDue(_ pair: TokenPair, _ memory: inout Memory) async throws {
        let isAsked = self.token.takeWish()
        guard self.settings.isRenewedHere else { return }
        let isDue = pair.isDue(within: self.settings.margin.components.seconds, at: Self.now)
        guard isAsked || isDue, memory.freshUntil.map({ $0 <= .now }) ?? true else { return }
        guard memory.notBefore.map({ $0 <= .now }) ?? true else {
            // The wish is kept for the time after the pause.
            if isAsked { self.token.hasExpired() }
            return
        }
        do {
            let renewed = try await EventThread.run { [file, settings] in
                try Self.renewed(pair, in: file, settings)
            }
            guard let renewed else { return self.token.hasExpired() }
            (memory.failures, memory.notBefore) = (0, nil)
            self.adopt(renewed.pair, &memory)
            if let problem = renewed.problem {
                memory.unsaved = (renewed.pair, pair)
                throw Failure(description: problem)
            }
        } catch {
            memory.failures += 1
            let factor = 1 << min(memory.failures - 1, 16)
            memory.notBefore = .now + min(self.settings.firstWait * factor, self.settings.longestWait)
            if isAsked { self.token.hasExpired() }
            throw error
        }
    }

    /// Renews the pair under the lock of the file. Runs on a thread of its own, because it waits for Tencent.
    ///
    /// - Returns: The pair that is valid now, and why it is not on disk. Nil if another process holds the lock.
    static func renewed(
        _ seen: TokenPair,
        in file: PrivateFile,
        _ settings: Settings
    ) throws -> (pair: TokenPair, problem: String?)? {
        try file.locked {
            let pair = try Self.pair(in: file)
            guard pair.accessToken == seen.accessToken else { return (pair, nil) }
            let request = HTTPRequest(method: .get, url: pair.renewalURL(settings.url))
            let response: HTTPResponse
            do throws(TransferError) {
                response = try HTTPClient.exchange(request, settings.http)
            } catch {
                throw Failure(description: error.message)
            }
            guard (200...299).contains(response.status) else {
                throw Failure(description: "Tencent answered with HTTP status \(response.status)")
            }
            let renewed = try pair.renewed(by: response.body, at: self.now)
            do throws(PrivateFile.Failure) {
                try file.replace(by: Secret(bytes: renewed.json))
                return (renewed, nil)
            } catch {
                return (renewed, "the renewed tokens are not on disk: \(error)")
            }
        }
    }

    /// Writes a pair that could not be written when it was renewed. Where the file has another pair than the old one by now,
    /// that is newer, and stays.
    ///
    /// - Returns: false if another process holds the lock.
    func save(_ pair: TokenPair, over old: TokenPair) async throws -> Bool {
        try await EventThread.run { [file] in
            try file.locked {
                if let found = try? Self.pair(in: file), found != old { return }
                try file.replace(by: Secret(bytes: pair.json))
            } != nil
        }
    }

    private static func pair(in file: PrivateFile) throws -> TokenPair {
        try TokenPair(json: try file.read().revealBytes())
    }

    /// Seconds since 1970.
    private static var now: Int64 { Int64(time(nil)) }
}
