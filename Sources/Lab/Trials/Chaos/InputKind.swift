import Harness
import Records
import ServiceKit
import SwiftProtobuf
import WireFormats
import WireMessages

/// The kind of a record in a chaos run, which determines the outcome that the record must have.
enum InputKind: UInt8, CaseIterable, Hashable, Sendable {
    case json, protobuf, framed, event
    case zeroDevice, oldConversion
    case illegalMuid, illegalTime
    case unavailable, proxyPage, cutBefore, cutAfter, truncated, keysNotFound
    case tombstone, notJSON, unknownApp, illegalRequest, unknownCode
    /// A value without bytes. Only an adversary publishes it, and all kinds below it.
    case empty
    /// A value that is no JSON, and as large as the topic takes.
    case oversized
    /// A good record with a key that is nearly as large as the topic takes.
    case longKey
    /// A good record with a timestamp from years ago, and one with a timestamp years ahead.
    case longAgo, farAhead
    /// A good record of an account that is configured, but that GDT does not know yet (`LateAccount`).
    case lateAccount
    /// GDT answers every call for this record with more than the worker reads, and other records normally.
    case largeAnswer
    /// GDT answers every call for this record with status 503, and other records normally.
    case poison
    /// A receipt of a purchase in production, and one of a purchase in the sandbox. The receipt worker
    /// handles both.
    case purchase, sandboxPurchase
    /// An event of a push, and one of a message that a device has invented. The push-arrival worker handles both.
    case pushEvent, inventedMessage

    /// The kinds that the activation worker handles.
    static let activations = allCases.filter {
        ![.purchase, .sandboxPurchase, .pushEvent, .inventedMessage].contains($0)
    }

    /// The groups of kinds in the summary's table.
    enum Sort: String, CaseIterable, Hashable, Sendable { case good, refused, retried, malformed }

    var sort: Sort {
        switch self {
        case .json, .protobuf, .framed, .event, .longKey, .farAhead, .lateAccount, .purchase,
            .sandboxPurchase, .pushEvent, .inventedMessage:
            .good
        case .zeroDevice, .oldConversion, .illegalMuid, .illegalTime, .longAgo: .refused
        case .unavailable, .proxyPage, .cutBefore, .cutAfter, .truncated, .keysNotFound, .unknownCode,
            .largeAnswer, .poison:
            .retried
        case .tombstone, .notJSON, .empty, .oversized, .unknownApp, .illegalRequest: .malformed
        }
    }

    /// Draws a kind for the load. Most records are good, and few end as dead letters, as in a fleet that
    /// works.
    static func drawn(using random: inout some RandomNumberGenerator) -> InputKind {
        let (good, refused, retried, dead): ([InputKind], [InputKind], [InputKind], [InputKind]) = (
            [.json, .protobuf, .framed, .event], [.zeroDevice, .oldConversion, .illegalMuid, .illegalTime],
            [.unavailable, .proxyPage, .cutBefore, .cutAfter, .truncated, .keysNotFound],
            [.tombstone, .notJSON, .unknownApp, .illegalRequest, .unknownCode]
        )
        let kinds =
            switch Int.random(in: 0..<100, using: &random) {
            case 0: dead
            case 1...3: retried
            case 4...7: refused
            default: good
            }
        return kinds.randomElement(using: &random) ?? .json
    }

    /// The outcome that a record of this kind must have.
    var fate: Outcome.Fate {
        switch self.sort {
        case .good: .succeeded
        case .refused: self == .longAgo ? .expired : .rejected
        case .retried: self.needsCompany ? .deadLettered : .succeeded
        case .malformed: .deadLettered
        }
    }

    /// Whether a worker needs other records that succeed to see that the fault is this record's own. Without them the
    /// record waits, in a lane that is held.
    var needsCompany: Bool { [.poison, .largeAnswer, .unknownCode].contains(self) }

    /// The code of the reason that the outcome must have; nil for a success.
    var reason: String? {
        switch self {
        case .zeroDevice: "device_id.zero"
        case .oldConversion: "converted_at.too_old"
        case .longAgo: "deadline"
        case .illegalMuid: "gdt.-15"
        case .illegalTime: "gdt.-14"
        case .tombstone: "value.tombstone"
        case .notJSON, .oversized: "value.not_json"
        case .empty: "value.empty"
        case .unknownApp: "configuration.unknown_app"
        case .illegalRequest: "gdt.-1"
        case .unknownCode: "gdt.-99"
        case .poison: "http.503"
        case .largeAnswer: "transport.too_large_after_send"
        default: nil
        }
    }

    /// Whether a record of this kind may have this outcome.
    func mayEnd(as outcome: Sighting) -> Bool {
        // Such a message is counted while its app has begun few new ones.
        if self == .inventedMessage, outcome.fate == Outcome.Fate.rejected.rawValue {
            return outcome.reason == Self.tooManyMessages
        }
        // An event that is late or a repeat succeeds too, and is in no count.
        if self == .pushEvent, outcome.word != PushStanding.accepted.rawValue { return false }
        return outcome.fate == self.fate.rawValue && self.mayEnd(because: outcome.reason)
    }

    /// The reason of a message that is one too many.
    static let tooManyMessages = "message_id.too_many"

    /// Whether an outcome of this kind may have this reason.
    ///
    /// A record that GDT never answers usefully is dead-lettered when the last of its attempts fails. If an outage begins
    /// at that moment, the last failure belongs to the outage.
    func mayEnd(because reason: String?) -> Bool {
        if reason == self.reason { return true }
        guard self.needsCompany, let reason else { return false }
        return reason.hasPrefix("transport.") || reason.hasPrefix("http.")
    }

    /// Whether GDT must receive a call for a record of this kind.
    var isCalledFor: Bool {
        switch self {
        case .zeroDevice, .oldConversion, .longAgo, .tombstone, .notJSON, .empty, .oversized, .unknownApp,
            .purchase, .sandboxPurchase, .pushEvent, .inventedMessage:
            false
        default: true
        }
    }

    /// Whether this answer of GDT is the final one for the worker. After an unknown code the worker calls
    /// again, but the worker decides how often; the first such answer therefore counts as final.
    func isFinal(_ ret: Int) -> Bool {
        switch self {
        case .illegalMuid: ret == -15
        case .illegalTime: ret == -14
        case .illegalRequest: ret == -1
        case .unknownCode: ret == -99
        // A later record of the key must not be called for before this one is dead-lettered, and no answer of
        // GDT shows when that happens.
        case .poison, .largeAnswer: false
        default: ret == 0
        }
    }

    /// The start of the click id, by which GDT's simulator decides on its answers (see `ClickScript`).
    private var script: String {
        switch self {
        case .illegalMuid: "sim-ret-15"
        case .illegalTime: "sim-ret-14"
        case .unavailable: "sim-503x2"
        case .proxyPage: "sim-htmlx1"
        case .cutBefore: "sim-cutx1"
        case .cutAfter: "sim-cutafterx1"
        case .truncated: "sim-truncatedx1"
        case .keysNotFound: "sim-ret-12x2"
        case .illegalRequest: "sim-ret-1"
        case .unknownCode: "sim-ret-99"
        case .poison: "sim-503"
        case .largeAnswer: "sim-large"
        default: "chaos"
        }
    }

    /// Makes a record of this kind. The kind must be one of `activations`. The click id ends with the number
    /// of its device, which is the number of the input.
    func record(_ make: inout Activations) -> OutboundRecord {
        precondition(Self.activations.contains(self), "\(self) is no activation")
        var message = make.message(clickID: self.script)
        switch self {
        case .protobuf: return make.protobuf(message)
        case .framed: return make.framed(message, as: .protobuf)
        case .event: return make.event(message, as: .json)
        case .zeroDevice: message.deviceID = "00000000-0000-0000-0000-000000000000"
        case .oldConversion: message.convertedAt.seconds -= 8 * 24 * 3_600
        case .unknownApp: message.appID = 998_877
        case .lateAccount: message.appID = LateAccount.appID
        case .longAgo: return self.dated(make.json(message), byYears: -20)
        case .farAhead: return self.dated(make.json(message), byYears: 70)
        case .empty: return self.replaced(make.protobuf(message), by: [])
        case .oversized: return self.replaced(make.protobuf(message), by: Self.oversizedValue)
        case .tombstone: return self.replaced(make.protobuf(message), by: nil)
        case .notJSON: return self.replaced(make.protobuf(message), by: Array(#"{"appId":"112233","#.utf8))
        default: break
        }
        return make.json(message)
    }

    private func dated(_ record: OutboundRecord, byYears years: Int64) -> OutboundRecord {
        var record = record
        record.timestamp = Moment.now.wall + years * 365 * 24 * 3_600_000
        return record
    }

    private func replaced(_ record: OutboundRecord, by value: [UInt8]?) -> OutboundRecord {
        var record = record
        record.value = value
        return record
    }
}
