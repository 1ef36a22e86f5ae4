import EventThread
import Terminal
import UpstreamHTTP

/// Reads the pages of several workers at once.
final class WorkerPages {
    /// The largest page that is read, in bytes.
    private static let largestPage = 16 << 20

    private let addresses: [WorkerAddress]
    private let client: HTTPClient
    private var nextID: UInt64 = 0

    /// - Parameter longest: the time that a worker has for its answer.
    /// - Throws: `TransferError` if the system has no descriptor left.
    init(_ addresses: [WorkerAddress], longest: Duration) throws(TransferError) {
        self.addresses = addresses
        self.client = try HTTPClient(
            HTTPClientSettings(
                connectTimeout: longest,
                requestTimeout: longest,
                connectionLimit: addresses.count * 2,
                responseBytesLimit: Self.largestPage
            )
        )
    }

    /// Looks at all workers.
    ///
    /// - Returns: one sight for each address, in their order; nil if a stop was requested first.
    func look(until wish: StopWish) -> [WorkerSight]? {
        var answers: [UInt64: Result<HTTPResponse, TransferError>] = [:]
        let first = self.nextID
        for address in self.addresses {
            for page in ["/readyz", "/metrics"] {
                self.client.start(HTTPRequest(method: .get, url: "\(address)\(page)"), id: self.nextID)
                self.nextID += 1
            }
        }
        var wait = Wait(on: [self.client.descriptor, wish.descriptor])
        while true {
            guard wish.count == 0 else { return nil }
            let hasMore = self.client.serve { answers[$0] = $1 }
            // Without a request in flight, the client would only wait for a kept connection to grow old.
            guard answers.count < self.addresses.count * 2 else { break }
            guard !hasMore else { continue }
            let milliseconds = self.client.timeoutMilliseconds
            wait(atMost: milliseconds < 0 ? .seconds(1) : .milliseconds(milliseconds))
        }
        return self.addresses.enumerated().map { index, address in
            let id = first + UInt64(index) * 2
            return Self.sight(address, readiness: answers[id], metrics: answers[id + 1])
        }
    }

    private static func sight(
        _ address: WorkerAddress,
        readiness: Result<HTTPResponse, TransferError>?,
        metrics: Result<HTTPResponse, TransferError>?
    ) -> WorkerSight {
        switch (readiness, metrics) {
        case (.success(let readiness)?, .success(let metrics)?):
            WorkerSight(
                address.description,
                status: readiness.status,
                readiness: readiness.body,
                metrics: metrics.body
            )
        case (.failure(let error)?, _), (_, .failure(let error)?):
            WorkerSight(address.description, silence: Self.words(for: error))
        default: WorkerSight(address.description, silence: "it was not asked")
        }
    }

    private static func words(for error: TransferError) -> String {
        switch error.kind {
        case .resolve: "the name of its host cannot be resolved"
        case .connect: "nothing listens there"
        case .timeout: "no answer in time"
        default: error.message
        }
    }
}
