import Operations
import UpstreamHTTP
import WireFormats
import WorkerKit

// This file builds the requests to Apple.
extension ReceiptHandler {
    /// Returns the call for the present step of a job; nil if no token can be signed for it.
    func call(_ job: Job, now: Int64) -> Call<Job>? {
        switch job.step {
        case .verifyReceipt(let data): self.verifyReceiptCall(data, job)
        case .serverAPI(let call): self.serverAPICall(call, job, now: now)
        }
    }

    /// Returns the call of verifyReceipt, with the app's present shared secret.
    private func verifyReceiptCall(_ data: String, _ job: Job) -> Call<Job> {
        let (secret, serial) = self.keys.sharedSecret(of: job.claim.bundleID)
        var job = job
        job.secretSerial = serial
        let body = VerifyReceiptRequest(
            receiptData: data,
            password: secret?.revealBytes(),
            excludesOldTransactions: self.app(of: job)?.excludesOldTransactions ?? false
        )
        let base = self.settings.verifyReceiptHosts[job.host]?.text ?? job.host.verifyReceiptURL
        let request = HTTPRequest(
            method: .post,
            url: base + VerifyReceiptRequest.path,
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: body.body
        )
        return Call(
            request,
            for: job,
            lane: Self.lane(job, .verifyReceipt),
            endpoint: self.parts.verifyReceipt(job.host),
            isRepeatable: true
        )
    }

    /// Returns a call of the App Store Server API; nil if the app has no key or the token cannot be signed.
    /// Every call carries a new token, as in Apple's library, that is valid for minutes only.
    ///
    /// Only the first call of an attempt is perishable. A later call that finds its lane held waits for the
    /// lane. If its record were planned anew instead, the other host would be asked again each time that this
    /// host cannot be asked.
    private func serverAPICall(_ call: AppStoreCall, _ job: Job, now: Int64) -> Call<Job>? {
        guard let key = self.keys.key(of: job.claim.bundleID) else { return nil }
        let token = ProviderToken(
            appStoreKey: key.keyID,
            issuer: key.issuerID,
            bundleID: job.claim.bundleID,
            now: now,
            lifetime: self.settings.tokenLifetime,
            backdating: self.settings.tokenBackdating
        )
        guard let text = try? token.signed(with: key.signer) else { return nil }
        var job = job
        job.signedAt = now
        let base = self.settings.appStoreHosts[job.host]?.text ?? job.host.appStoreURL
        let request = HTTPRequest(
            method: .get,
            url: base + call.path,
            headers: [
                HTTPHeader("Authorization", "Bearer \(text)"), HTTPHeader("Accept", "application/json"),
            ]
        )
        return Call(
            request,
            for: job,
            lane: Self.lane(job, .serverAPI),
            endpoint: self.parts.serverAPI(job.host, of: job.claim.bundleID),
            isPerishable: job.calls == 1,
            isSecondTry: job.isRenewed,
            isRepeatable: true
        )
    }

    /// Returns the name of the lane: the app, the interface and the environment. All calls of a lane share
    /// one configuration and one host.
    static func lane(_ job: Job, _ route: ReceiptSettings.Route) -> String {
        "\(job.claim.bundleID)/\(route.rawValue)/\(job.host.rawValue)"
    }
}
