import NIOHTTP1
import Records
import WireFormats

/// A request that was taken in whole, before it becomes records.
struct Post: Sendable {
    /// The path with its query.
    var target: String
    var headers: HTTPHeaders
    /// The address of the client as text.
    var client: String
    var body: [UInt8]

    /// The largest push event in bytes. With its headers it fits a record of Kafka's default size.
    private static let reportBytesLimit = 1_000_000

    /// Returns the records of this request, at least one.
    ///
    /// - Throws: `Answer.malformed` or `Answer.tooLarge` if it cannot become records.
    func records(on route: Route, settings: GatewaySettings) throws(Answer) -> [OutboundRecord] {
        guard let topic = settings.topics[route] else { throw .notFound }
        switch route {
        case .uploads: return [self.upload(to: topic)]
        case .pushArrivals: return try self.reports(to: topic, settings)
        case .clicks: return [try self.click(to: topic, settings)]
        }
    }

    /// Uploads have no key. Their devices are only known to a reader that decodes them, and the address of a
    /// client would put all phones of a carrier into one partition.
    private func upload(to topic: String) -> OutboundRecord {
        SDKUploadRequest(
            target: self.target,
            headers: self.headers.map { ($0.name, $0.value) },
            clientIP: self.client,
            body: self.body
        ).record(to: topic)
    }

    private func reports(
        to topic: String,
        _ settings: GatewaySettings
    ) throws(Answer) -> [OutboundRecord] {
        let reports: PushReports
        do throws(PushReports.Fault) {
            reports = try PushReports(
                self.body,
                types: settings.reportTypes,
                limit: settings.reportsLimit
            )
        } catch {
            switch error {
            case .malformed: throw .malformed("not a JSON object, a list of objects, or an object a line")
            case .type: throw .malformed("a report of a type that is not taken here")
            case .tooMany: throw .tooLarge
            }
        }
        // The topic of push events takes no more by default, and the cluster would refuse it only after it has travelled.
        guard reports.all.allSatisfy({ $0.value.count <= Self.reportBytesLimit }) else { throw .tooLarge }
        return reports.all.map { report in
            OutboundRecord(
                topic: topic,
                key: report.deviceID.map { Array($0.utf8) },
                value: report.value,
                headers: [RecordHeader("content-type", ValueFormat.json.contentType)]
            )
        }
    }

    /// A click stays as it came. Its names are the advertiser's choice, so only the reader of the topic knows
    /// them all.
    private func click(to topic: String, _ settings: GatewaySettings) throws(Answer) -> OutboundRecord {
        let click = try Click(of: self.target, keys: settings.clickKeys)
        return OutboundRecord(
            topic: topic,
            key: click.key,
            value: click.query,
            headers: [RecordHeader(AdClick.clientIPHeader, self.client)]
        )
    }
}
