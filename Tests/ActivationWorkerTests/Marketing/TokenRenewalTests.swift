import EventThread
import Foundation
import Logging
import Operations
import Testing
import UpstreamHTTP
import UpstreamSimulator
import WireFormats
import WorkerTestSupport

@testable import ActivationWorker

/// Tokens in a file that several processes share, against the simulator's OAuth.
@Suite(.timeLimit(.minutes(10)))
struct TokenRenewalTests {
    /// A simulator with one application, and the file of its tokens.
    private struct Lab {
        let simulator: RunningMarketing
        let folder: TemporaryFolder
        let file: PrivateFile
        let registry = PrometheusRegistry()
        var pair = TokenPair(clientID: "c", clientSecret: "s", refreshToken: "r", accessToken: "a0")

        init(expiresIn seconds: Int64? = nil) async throws {
            var settings = MarketingSimulator.Settings()
            settings.clients = [
                MarketingSimulator.Client(clientID: "c", clientSecret: "s", refreshToken: "r")
            ]
            self.simulator = try await MarketingSimulator.start(settings)
            self.folder = try TemporaryFolder()
            self.pair.accessExpiresAt = seconds.map { Int64(Date().timeIntervalSince1970) + $0 }
            self.file = PrivateFile(path: try self.folder.write(self.pair.json, to: "tokens.json").path)
        }

        /// A renewal as one process runs it, with the token that it keeps fresh and its log.
        func renewal(isRenewedHere: Bool = true) throws -> (TokenRenewal, AccessToken, AsyncStream<String>) {
            let (messages, log) = AsyncStream.makeStream(of: String.self)
            let token = AccessToken(Secret("a0"), isRenewed: true)
            var settings = TokenRenewal.Settings(
                url: try BaseURL("\(self.simulator.url)/oauth/token"),
                http: HTTPClientSettings(),
                margin: .seconds(7_200),
                isRenewedHere: isRenewedHere
            )
            settings.interval = .milliseconds(5)
            settings.firstWait = .milliseconds(5)
            let renewal = TokenRenewal(
                file: self.file,
                token: token,
                settings: settings,
                logger: Logger(label: "test") { _ in StreamedLog(log) },
                registry: self.registry
            )
            return (renewal, token, messages)
        }

        func saved() throws -> TokenPair { try TokenPair(json: try self.file.read().revealBytes()) }
    }

    private static func first(_ messages: AsyncStream<String>) async -> String? {
        var iterator = messages.makeAsyncIterator()
        return await iterator.next()
    }

    @Test func renewsAheadOfTheEnd() async throws {
        let lab = try await Lab(expiresIn: 7_100)
        let (renewal, token, messages) = try lab.renewal()
        let running = Task { try await renewal.run() }
        #expect(await Self.first(messages) == "access token renewed ")
        #expect(String(decoding: token.bytes, as: UTF8.self) == "access-c-1")
        let saved = try lab.saved()
        #expect(saved.accessToken == "access-c-1" && saved.refreshToken == "refresh-c-1")
        #expect(
            saved.clientSecret == "s" && !saved.isDue(within: 86_000, at: Int64(Date().timeIntervalSince1970))
        )
        running.cancel()
        try await running.value
        #expect(lab.simulator.stats().renewals == 1)
        let end = try #require(saved.accessExpiresAt)
        let shown = "activation_token_expires_timestamp_seconds{file=\"\(lab.file.path)\"} \(end)"
        #expect(lab.registry.exposition().split(separator: "\n").contains { $0 == shown })
        await lab.simulator.stop()
    }

    @Test func renewsWhenTencentCallsTheTokenExpired() async throws {
        let lab = try await Lab(expiresIn: 80_000)
        let (renewal, token, messages) = try lab.renewal()
        token.hasExpired()
        let running = Task { try await renewal.run() }
        #expect(await Self.first(messages) == "access token renewed ")
        // Answers to requests from before the renewal change nothing.
        for _ in 0..<20 { token.hasExpired() }
        running.cancel()
        try await running.value
        #expect(lab.simulator.stats().renewals == 1)
        await lab.simulator.stop()
    }

    /// Eight loops stand for eight processes: the lock is of the file, and each loop opens it for itself.
    @Test func oneOfManyRenewsAndAllGetTheToken() async throws {
        let lab = try await Lab(expiresIn: 10)
        let crew = try (0..<8).map { _ in try lab.renewal() }
        let running = crew.map { renewal, _, _ in Task { try await renewal.run() } }
        for (_, token, messages) in crew {
            #expect(await Self.first(messages) == "access token renewed ")
            #expect(String(decoding: token.bytes, as: UTF8.self) == "access-c-1")
        }
        for task in running {
            task.cancel()
            try await task.value
        }
        #expect(lab.simulator.stats().renewals == 1 && lab.simulator.stats().codes == ["0": 1])
        await lab.simulator.stop()
    }

    /// The process has read the file before it got the lock, and another one has renewed in between.
    @Test func whoGetsTheLockSecondTakesTheOthersToken() async throws {
        let lab = try await Lab(expiresIn: 10)
        let settings = try lab.renewal().0.settings
        func renew() async throws -> String? {
            try await EventThread.run { [file = lab.file, pair = lab.pair] in
                try TokenRenewal.renewed(pair, in: file, settings)?.pair.accessToken
            }
        }
        #expect(try await renew() == "access-c-1")
        #expect(try await renew() == "access-c-1")
        #expect(lab.simulator.stats().renewals == 1)
        await lab.simulator.stop()
    }

    @Test func whoOnlyReadsNeverRenews() async throws {
        let lab = try await Lab(expiresIn: 10)
        let (renewal, token, messages) = try lab.renewal(isRenewedHere: false)
        token.hasExpired()
        let running = Task { try await renewal.run() }
        var other = lab.pair
        other.accessToken = "a1"
        _ = try lab.file.locked { try lab.file.replace(by: Secret(bytes: other.json)) }
        #expect(await Self.first(messages) == "access token renewed ")
        #expect(token.bytes == Array("a1".utf8))
        running.cancel()
        try await running.value
        #expect(lab.simulator.stats().renewals == 0)
        await lab.simulator.stop()
    }

    @Test func aFailureIsToldOnceAndEndsByItself() async throws {
        let lab = try await Lab(expiresIn: 10)
        var faults = AppleFaults()
        faults.serverError = Faults.ServerError(status: 503)
        await lab.simulator.setFaults(faults)
        let (renewal, token, messages) = try lab.renewal()
        let running = Task { try await renewal.run() }
        var told = messages.makeAsyncIterator()
        #expect(
            await told.next()
                == "access token cannot be renewed; the one before it stays Tencent answered with HTTP status 503"
        )
        #expect(token.bytes == Array("a0".utf8))
        await lab.simulator.setFaults(AppleFaults())
        #expect(await told.next() == "access token renewed ")
        running.cancel()
        try await running.value
        await lab.simulator.stop()
    }

    /// An operator has authorised anew while the renewed pair could not be written.
    @Test func aNewerPairInTheFileStays() async throws {
        let lab = try await Lab(expiresIn: 10)
        let renewal = try lab.renewal().0
        let renewed = TokenPair(clientID: "c", clientSecret: "s", refreshToken: "r1", accessToken: "a1")
        #expect(try await renewal.save(renewed, over: lab.pair))
        #expect(try lab.saved().accessToken == "a1")
        let other = TokenPair(clientID: "c", clientSecret: "s", refreshToken: "r9", accessToken: "a9")
        _ = try lab.file.locked { try lab.file.replace(by: Secret(bytes: other.json)) }
        #expect(try await renewal.save(renewed, over: lab.pair))
        #expect(try lab.saved().accessToken == "a9")
        await lab.simulator.stop()
    }

    // MARK: the file

    /// Two workers may name one file in different ways.
    @Test func aLinkStandsForItsFile() throws {
        let folder = try TemporaryFolder()
        let file = PrivateFile(path: try folder.write("1", to: "tokens.json").path)
        let link = PrivateFile(path: folder.file("link.json").path)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: file.path)
        let inner = try file.locked { try link.locked { true } }
        #expect(inner == .some(nil))
        _ = try link.locked { try link.replace(by: Secret("2")) }
        #expect(try file.read().revealBytes() == Array("2".utf8))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
    }

    @Test func aFileOfOthersIsNotRead() throws {
        let folder = try TemporaryFolder()
        let file = PrivateFile(path: try folder.write("{}", to: "tokens.json").path)
        #expect(try !file.read().isEmpty && file.objectionToReplacing == nil)
        for mode in [0o640, 0o604, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(throws: PrivateFile.Failure.self) { try file.read() }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
        #expect(file.objectionToReplacing?.hasPrefix("is not writable") == true)
    }

    @Test func oneHolderOfTheLockAtATime() throws {
        let folder = try TemporaryFolder()
        let file = PrivateFile(path: try folder.write("1", to: "tokens.json").path)
        let inner = try file.locked { try file.locked { true } }
        #expect(inner == .some(nil))
        #expect(try file.locked { true } == true)
        // The lock is not on the file, which is another one after each replacement.
        _ = try file.locked {
            try file.replace(by: Secret("2"))
            #expect(try file.locked { true } == nil)
        }
        #expect(try file.read() == Secret("2"))
    }
}
