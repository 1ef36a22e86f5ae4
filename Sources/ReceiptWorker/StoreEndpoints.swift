import WireFormats
import WorkerKit

/// The parts of Apple that fail, throttle and recover by themselves: each environment of verifyReceipt, and each
/// environment of the App Store Server API for each app, whose limits are the app's.
struct StoreEndpoints: Sendable {
    private struct Place: Hashable {
        /// Nil for verifyReceipt, which knows no apps.
        var bundleID: String?
        var host: StoreHost
    }

    let list: [UpstreamEndpoint]
    private let numbers: [Place: Int]

    /// The sandbox takes a tenth of the calls that production takes.
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

    func verifyReceipt(_ host: StoreHost) -> Int { self.numbers[Place(bundleID: nil, host: host)] ?? 0 }

    func serverAPI(_ host: StoreHost, of bundleID: String) -> Int {
        self.numbers[Place(bundleID: bundleID, host: host)] ?? 0
    }
}
