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
        let path = target.prefix { $0 != "?" }
        let route: Route? =
            if path == settings.clicksPath {
                .clicks
            } else if path == "/push-arrivals" {
                .pushArrivals
            } else if SDKUploadRequest(target: target, headers: [], body: []).account != nil {
                .uploads
            } else {
                nil
            }
        guard let route, settings.topics[route] != nil else { return nil }
        self = route
    }

    /// The only method that the route takes.
    var method: HTTPMethod {
        self == .clicks ? .GET : .POST
    }
}
