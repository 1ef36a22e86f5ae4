import Foundation
import Records
import ServiceKit
import UpstreamSimulator

@testable import Simulation

/// The kinds of conversions that a storm on Tencent's living interfaces publishes.
enum ConversionInStorm: String, CaseIterable {
    /// A conversion of our own report, which Tencent takes.
    case report
    /// A conversion that Tencent calls too old, and refuses together with all others of its request.
    case badReport
    /// A conversion with the callback of its click.
    case callback
    /// A conversion with a callback of the form that asks for a token.
    case tokenCallback
    case badCallback
    /// A conversion whose callback leads to a path that is not there.
    case strayCallback
    /// A conversion whose callback leads elsewhere. No call may be made for it.
    case forbiddenHost
    /// A conversion whose callback asks for a token on a host that has not issued it. It takes the way of a report.
    case foreignToken

    /// The header by which the audit knows the kind of a record.
    private static let header = "kind"
    private static let api = "https://api.e.qq.com"

    init?(_ record: InboundRecord) {
        guard let value = record.header(Self.header) else { return nil }
        self.init(rawValue: String(decoding: value, as: UTF8.self))
    }

    /// Whether Tencent refuses the action.
    var isBad: Bool { self == .badReport || self == .badCallback }
    /// The beginnings of the addresses that alone may be called, and whether a token goes there. A conversion whose callback
    /// is refused takes the way of a report.
    var addresses: [(beginning: String, takesToken: Bool)] {
        let report = ("\(Self.api)/v3.0/user_actions/add?access_token=", true)
        return switch self {
        case .report, .badReport, .foreignToken: [report]
        case .callback, .badCallback: [("\(Self.api)/conv?cb=click%2B1", false), report]
        case .strayCallback: [(TencentInStorm.nowhere, false), report]
        case .tokenCallback: [("\(Self.api)/v3.0/user_actions/add?cb=click%2B2", true), report]
        case .forbiddenHost: []
        }
    }

    private var ends: Set<String> {
        switch self {
        case .report, .callback, .tokenCallback, .foreignToken: ["succeeded"]
        case .badReport, .badCallback, .forbiddenHost: ["rejected"]
        // A callback of which a call was lost is told nowhere else, because the host may have acted on it.
        case .strayCallback: ["succeeded", "rejected"]
        }
    }

    private var callbackText: String? {
        switch self {
        case .report, .badReport: nil
        case .callback, .badCallback: SimulatedCallback.text("click+1", at: Self.api)
        case .strayCallback: "https%3A%2F%2Fapi.e.qq.com%2Fgone%3Fcb%3Dclick"
        case .tokenCallback: "https%3A%2F%2Fapi.e.qq.com%2Fv3.0%2Fuser_actions%2Fadd%3Fcb%3Dclick%252B2"
        case .forbiddenHost: SimulatedCallback.text("click", at: "http://10.0.0.1")
        case .foreignToken: "https%3A%2F%2Ftracking.e.qq.com%2Fv3.0%2Fuser_actions%2Fadd%3Fcb%3Dclick"
        }
    }

    /// Returns a record of the kind as storms publish it.
    ///
    /// - Parameter key: The key, which is also the last digit of the device.
    func sample(_ key: Int) -> StormSubject.Sample {
        let days: Int64 = self.isBad ? 6 : 1
        let time = SimulatedClock().now.wall / 1_000 - days * 86_400
        let callback = self.callbackText.map { #","callback":"\#($0)""# } ?? ""
        let json = #"""
            {"appId":"112233","advertiserId":"\#(TencentInStorm.accountID)","appType":"IOS",\#
            "conversionType":"MOBILEAPP_ACTIVITE","deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484\#(key)",\#
            "convertedAt":"\#(Date(timeIntervalSince1970: Double(time)).ISO8601Format())"\#(callback)}
            """#
        return StormSubject.Sample(
            key: Array("k\(key)".utf8),
            value: Array(json.utf8),
            headers: [RecordHeader(Self.header, self.rawValue)],
            ends: self.ends
        )
    }
}
