import FlotillaRecords
import FlotillaWorkerKit

/// Vetoes the conversions of one app, and sends the tenant of each record along with its call.
struct Gatekeeper: Interceptor {
    let closedApp: UInt64

    func decoded(_ content: any Sendable, of record: Record) throws(Veto) {
        guard let activation = content as? Activation, activation.appID == self.closedApp else { return }
        throw Veto("app_closed", "The app is closed, and its conversions are not reported any more.")
    }

    func willSend(_ request: inout Request, for record: Record) throws(Veto) {
        guard let tenant = record.header("tenant") else { return }
        request.headers.append(HTTPField("X-Tenant", tenant))
    }
}
