import NIOHTTP1
import Records
import WireFormats

/// A request that was taken in whole, before it becomes records.
struct Post: Sendable {
    /// The longest key of a click, in bytes.
    private static let keyLimit = 256

    /// The path with its query.
    var target: String
    var headers: HTTPHeaders
    /// The address of the client as text.
    var client: String
    var body: [UInt8]

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
        let parts = self.target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1)
        guard parts.count == 2 else { throw .malformed("a click without parameters") }
        let query = Array(parts[1])
        guard let key = Self.key(of: query, names: settings.clickKeys) else {
            throw .malformed("a click without an id")
        }
        return OutboundRecord(
            topic: topic,
            key: key,
            value: query,
            headers: [RecordHeader(AdClick.clientIPHeader, self.client)]
        )
    }

    /// Returns the value of the first of these parameters that has one. Names are the same in any case, as they
    /// are for the reader of the topic. A macro that the platform has not replaced, such as `__MUID__`, is no
    /// value.
    private static func key(of query: [UInt8], names: [String]) -> [UInt8]? {
        let parameters = query.split(separator: UInt8(ascii: "&"))
        for name in names {
            let prefix = "\(name)=".utf8.map(\.lowercased)
            for parameter in parameters where parameter.starts(with: prefix, by: { $0.lowercased == $1 }) {
                let value = PercentEncoding.decode(parameter.dropFirst(prefix.count))
                let isMacro = value.starts(with: "__".utf8)
                if !isMacro, (1...Self.keyLimit).contains(value.count) { return value }
            }
        }
        return nil
    }
}
