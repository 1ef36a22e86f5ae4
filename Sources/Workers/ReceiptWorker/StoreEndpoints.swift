import WireFormats
import WorkerKit

/// The endpoints of Apple, which fail, throttle and recover independently: each environment of verifyReceipt,
/// and each environment of the App Store Server API for each app, because Apple limits calls per app.
struct StoreEndpoints: Sendable {
    private struct Place: Hashable {
        /// The app; nil for verifyReceipt, which all apps share.
        var bundleID: String?
        var host: StoreHost
    }

    /// The endpoints in the order of their numbers.
    let list: [UpstreamEndpoint]
    private let numbers: [Place: Int]

    /// The share of production's rate of calls that the sandbox accepts.
    private static let sandboxShare = 0.1

    init(_ apps: [ReceiptSettings.App]) {
        var list: [UpstreamEndpoint] = []
        var numbers: [Place: Int] = [:]
        func add(_ bundleID: String?, _ route: ReceiptSettings.Route, callsPerSecond: Int?) {
            for host in StoreHost.allCases {
                let rate = callsPerSecond.map { Double($0) * (host == .sandbox ? Self.sandboxShare : 1) }
                let name = [bundleID, route.rawValue, host.rawValue].compactMap(\.self).joined(separator: "/")
                numbers[Place(bundleID: bundleID, host: host)] = list.count
                list.append(UpstreamEndpoint(name, rate: rate.map { RateLimit.Settings(rate: $0) }))
            }
        }
        add(nil, .verifyReceipt, callsPerSecond: nil)
        for app in apps
        where app.key != nil && numbers[Place(bundleID: app.bundleID, host: .production)] == nil {
            add(app.bundleID, .serverAPI, callsPerSecond: app.callsPerSecond)
        }
        (self.list, self.numbers) = (list, numbers)
    }

    /// Returns the number of verifyReceipt's endpoint.
    func verifyReceipt(_ host: StoreHost) -> Int { self.numbers[Place(bundleID: nil, host: host)] ?? 0 }

    /// Returns the number of an app's endpoint in the App Store Server API. The app must have a key.
    func serverAPI(_ host: StoreHost, of bundleID: String) -> Int {
        self.numbers[Place(bundleID: bundleID, host: host)] ?? 0
    }
}
