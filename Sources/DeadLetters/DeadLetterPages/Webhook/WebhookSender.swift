import DeadLetters
import EventThread
import UpstreamHTTP

/// Posts the events among the dead letters to a webhook, one after the other, each until it was taken.
///
/// It waits for nobody, and nobody waits for it. An event that was taken is noted in the index; one that was taken just
/// before the process died is posted again with the same id.
struct WebhookSender: Sendable {
    let webhook: Webhook
    let desk: DeskThread
    let watch: IndexWatch
    let settings: PagesSettings
    let metrics: PagesMetrics?
    let now: @Sendable () -> Int64

    /// The longest pause after a message that was not taken.
    private static let longestPause = Duration.seconds(300)

    /// Posts and pauses in turn, until its task is cancelled.
    func run() async throws {
        var failures = 0
        while !Task.isCancelled {
            let pause = self.settings.refreshInterval * (1 << min(failures, 10))
            do {
                try await Task.sleep(for: min(pause, max(Self.longestPause, self.settings.refreshInterval)))
            } catch is CancellationError {
                return
            }
            do {
                try await self.deliver()
                failures = 0
                self.watch.webhook(isSilentBecause: nil)
            } catch {
                failures += 1
                self.watch.webhook(isSilentBecause: "\(error)")
            }
        }
    }

    /// Posts all events that were not told yet.
    ///
    /// - Throws: The last error. An event that is not taken keeps no other from being posted.
    private func deliver() async throws {
        let standing = self.watch.now
        // Before the first refresh, the index does not have the groups that are there.
        guard standing.refreshedAt != nil else { return }
        let (growth, retention) = (self.webhook.growth, standing.retention)
        var trouble: (any Error)?
        for event in try await self.desk.perform({ try $0.news(growth: growth, retention: retention) }) {
            let request = try self.webhook.request(for: event, now: self.now())
            do {
                try await EventThread.run { try Self.post(request) }
            } catch {
                self.metrics?.webhookPosted(isTaken: false)
                trouble = error
                continue
            }
            self.metrics?.webhookPosted(isTaken: true)
            try await self.desk.perform { try $0.noteTold(event) }
        }
        if let trouble { throw trouble }
    }

    /// The webhook did not take a message. The description has no part of its answer.
    struct NotTaken: Error, CustomStringConvertible {
        let description: String
    }

    /// Posts a message, and waits for the answer, for 15 seconds at most.
    ///
    /// - Throws: `NotTaken` for a status other than 2xx and for a call that failed.
    private static func post(_ request: HTTPRequest) throws {
        let settings = HTTPClientSettings(
            requestTimeout: .seconds(15),
            connectionLimit: 1,
            responseBytesLimit: 65_536,
            keptHeaders: []
        )
        let response: HTTPResponse
        do throws(TransferError) {
            response = try HTTPClient.exchange(request, settings)
        } catch {
            throw NotTaken(description: "the webhook cannot be reached: \(error.message)")
        }
        guard (200..<300).contains(response.status) else {
            throw NotTaken(description: "the webhook answers with status \(response.status)")
        }
    }
}
