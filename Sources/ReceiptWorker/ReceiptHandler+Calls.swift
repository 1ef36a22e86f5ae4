import Operations
import UpstreamHTTP
import WireFormats
import WorkerKit

// The requests to Apple.
extension ReceiptHandler {
    /// The call for a job's step; nil if it cannot be signed.
    func call(_ job: Job, now: Int64) -> Call<Job>? {
        switch job.step {
        case .verifyReceipt(let data): self.verifyReceiptCall(data, job)
        case .serverAPI(let call): self.serverAPICall(call, job, now: now)
        }
    }

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
            endpoint: self.parts.verifyReceipt(job.host)
        )
    }

    /// A new token for every call, as Apple's library does it. It is good for minutes only.
    ///
    /// Only the first call of an attempt is called perishable: a later one that finds its lane held waits there, since
    /// to be planned anew would ask the other host once more for every time that this one cannot be asked.
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
            isSecondTry: job.isRenewed
        )
    }

    /// The app, the interface and the environment: all that shares one configuration and one host.
    static func lane(_ job: Job, _ route: ReceiptSettings.Route) -> String {
        "\(job.claim.bundleID)/\(route.rawValue)/\(job.host.rawValue)"
    }
}
