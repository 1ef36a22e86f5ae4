import NIOHTTP1
import WireFormats

/// The kinds of requests that the gateway takes. The raw value is the word in settings and metrics.
enum Route: String, Hashable, Sendable, CaseIterable {
    /// Uploads of GrowingIO's SDKs: `POST /v3/projects/{account}/collect`.
    case uploads
    /// Reports of notification service extensions: `POST /push-arrivals`.
    case pushArrivals = "push-arrivals"
    /// The click feed of Tencent's ad platform: `GET`, on a path that a setting names.
    case clicks

    /// Finds the route of a target; nil if none that is served has it.
    init?(of target: String, settings: GatewaySettings) {
        // By bytes: to compare the characters of a target of a stranger's choice can take seconds.
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let route: Route? =
            if path.elementsEqual(settings.clicksPath.utf8) {
                .clicks
            } else if path.elementsEqual("/push-arrivals".utf8) {
                .pushArrivals
            } else if SDKUploadRequest(target: target, headers: [], body: []).account != nil {
                .uploads
            } else {
                nil
            }
        guard let route, settings.topics[route] != nil else { return nil }
        self = route
    }

    /// Returns a target as a path and a query. A client may send the whole URL instead (RFC 9112, 3.2.2).
    static func originForm(of target: String) -> String {
        guard !target.hasPrefix("/"), let scheme = ["http://", "https://"].first(where: target.hasPrefix)
        else {
            return target
        }
        let rest = target.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// The only method that the route takes.
    var method: HTTPMethod {
        self == .clicks ? .GET : .POST
    }
}
