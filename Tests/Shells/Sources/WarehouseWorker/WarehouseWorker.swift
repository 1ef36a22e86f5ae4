import FlotillaRecords
import FlotillaWorkerKit

/// Posts each conversion to the company's data warehouse: `POST /v1/conversions` with an idempotency key.
///
/// It takes the topic that `WarehouseChannel` of the activation worker writes.
@main
struct WarehouseWorker: Worker {
    /// One conversion on its way.
    struct Job: Sendable {
        var activation: Activation
        /// The time in milliseconds since 1970; that of the record where the conversion names none.
        var timeMS: Int64?
        /// The record that the conversion comes from. The warehouse takes each key once.
        var idempotencyKey: String
    }

    static let identity = Identity(
        name: "warehouse-worker",
        topic: "activation.warehouse",
        upstream: "warehouse"
    )

    private let url: String
    private let token: SecretText

    init(_ settings: Settings) {
        self.url = settings.url("url", help: "Where the warehouse takes conversions.")
        self.token = settings.secret("token", help: "The bearer token of the warehouse.")
    }

    func plan(_ record: Record, _ attempt: Attempt) -> Plan<Job> {
        let activation: Activation
        do throws(RecordError) {
            activation = try Activation(decoding: record)
        } catch {
            return .reject(Reason(error), as: .undecodable)
        }
        guard activation.appID != 0 else {
            return .reject(Reason("app_id.missing", "The conversion names no app."))
        }
        guard activation.trackingAuthorized != false else {
            return .refuse(Reason("tracking.denied", "The user does not allow tracking."))
        }
        // A copy names the record that it was made for. A repeat after a crash names the same one.
        let place = "\(record.topic)/\(record.partition)/\(record.offset)"
        let time = record.header("channel.timestamp_ms").flatMap { Int64($0) } ?? record.timestampMS
        let job = Job(
            activation: activation,
            timeMS: activation.convertedAtMS ?? time,
            idempotencyKey: record.header("channel.of") ?? place
        )
        return .call(self.request(job), for: job, lane: "app-\(activation.appID)")
    }

    private func request(_ job: Job) -> Request {
        let time = job.timeMS.map { String($0) } ?? "null"
        let body = """
            {"app":"\(job.activation.appID)","advertiser":"\(job.activation.advertiserID)","at":\(time)}
            """
        return Request(
            .post,
            self.url + "/v1/conversions",
            headers: [
                HTTPField("Authorization", "Bearer \(self.token.reveal())"),
                HTTPField("Content-Type", "application/json"),
                HTTPField("Idempotency-Key", job.idempotencyKey),
            ],
            body: Array(body.utf8)
        )
    }

    func interpret(_ exchange: Exchange, of job: Job, _ attempt: Attempt) -> Verdict<Job> {
        switch exchange {
        // The warehouse takes each key once, so a repeat is harmless.
        case .failure(let failure), .ambiguous(let failure): return .retry(failure.reason)
        case .response(let response):
            let text = String(decoding: response.body.prefix(64), as: UTF8.self)
            switch response.status {
            case 200...299 where text.hasPrefix("row "): return .answer(["row": String(text.dropFirst(4))])
            case 401, 403: return .hold(.status(response.status))
            case 409: return .answer(["row": "known"])
            case 422: return .reject(.status(422), as: .invalid)
            case 429, 503:
                let wait = response.retryAfter(attempt)
                return .retry(.status(response.status), after: wait, isForEverybody: wait != nil)
            case 200...299: return .retry(Reason("warehouse.not_an_answer", "The answer names no row."))
            default: return .retry(.status(response.status))
            }
        }
    }
}
