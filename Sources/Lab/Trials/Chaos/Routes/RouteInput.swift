import Harness
import Records
import ServiceKit
import SwiftProtobuf
import UpstreamSimulator
import WireFormats
import WireMessages

/// One conversion of a chaos run with uploads. The number of the input is the number of its device.
enum RouteInput: UInt8, CaseIterable, Hashable, Sendable {
    /// A phone uploads it.
    case upload
    /// A backend publishes it.
    case published
    /// A backend publishes it with the callback of its click.
    case callback
    /// A backend publishes it, and Tencent refuses it.
    case refused

    /// Draws an input. Most are uploads.
    static func drawn(using random: inout some RandomNumberGenerator) -> RouteInput {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<2: .refused
        case 2..<10: .published
        case 10..<30: .callback
        default: .upload
        }
    }

    /// The kinds of events in an upload.
    static let events: [PhoneEvent] = [.activate("$app_activation"), .page, .custom]

    static func phone(_ number: Int) -> Phone { Phone(number, dataSource: RouteProcesses.source) }

    /// The digest by which Tencent knows the device of an input.
    static func muid(_ number: Int) -> String {
        SimulatedMuid.text(of: self.phone(number).identifier.text ?? "")
    }

    /// The number of the input whose phone has this `deviceId`; nil if none has.
    static func number(ofDevice id: String) -> Int? {
        id.lastIndex(of: "-").flatMap { Int(id[id.index(after: $0)...], radix: 16) }
    }

    /// The `cb` of the callback of an input. Its `+` arrives only if the callback was decoded once.
    static func cb(of number: Int) -> String { "\(number)+a" }

    /// The record that a backend publishes.
    ///
    /// - Parameters:
    ///   - now: wall-clock milliseconds since 1970.
    ///   - simulator: the URL of the Marketing API.
    func record(_ number: Int, to topic: String, now: Int64, callbackTo simulator: String) -> OutboundRecord {
        var message = Flotilla_Activation_V1_Activation()
        message.appID = RouteProcesses.app
        message.advertiserID = RouteProcesses.account
        message.appType = "IOS"
        message.conversionType = "MOBILEAPP_ACTIVITE"
        message.deviceID = Self.phone(number).identifier.text ?? ""
        message.convertedAt.seconds = now / 1_000 - 60
        switch self {
        case .callback: message.callback = SimulatedCallback.text(Self.cb(of: number), at: simulator)
        case .refused: message.clickID = "bad-\(number)"
        case .published, .upload: break
        }
        return OutboundRecord(topic: topic, key: Array("\(number)".utf8), value: message.written(as: .json))
    }
}
