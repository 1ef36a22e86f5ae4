import Records
import SwiftProtobuf
import WireMessages

extension DeviceCheck {
    private static let nameBytesLimit = 256

    init(_ message: Flotilla_Devicecheck_V1_DeviceCheck, of record: borrowing InboundRecord) throws(Fault) {
        guard let operation = DeviceCheckOperation(rawValue: message.op) else {
            throw Self.invalid("op.unknown", "The operation is not query, update or validate.")
        }
        self.header = DeviceCheckHeader(
            operation: operation,
            environment: try Self.environment(of: message),
            teamID: try Self.teamID(of: message),
            bundleID: try Self.name(message.bundleID, "bundle_id"),
            requestID: try Self.name(message.requestID, "request_id")
        )
        self.demand = try Self.demand(operation, message)
        self.tokenCreatedAt = try Self.time(
            message.hasTokenCreatedAt,
            message.tokenCreatedAt,
            "token_created_at"
        )
        self.receivedAt = try Self.time(message.hasReceivedAt, message.receivedAt, "received_at")
        let requestedAt = try Self.time(message.hasRequestedAt, message.requestedAt, "requested_at")
        self.requestedAt = requestedAt ?? self.receivedAt ?? record.timestamp
        let subject = try Self.name(message.subject, "subject")
        self.subject = subject.isEmpty ? record.key.flatMap { $0.isEmpty ? nil : $0 } : Array(subject.utf8)
        self.recordID = "\(record.topic)/\(record.partition)/\(record.offset)"
        do throws(DeviceToken.Fault) {
            self.token = try DeviceToken(message.deviceToken)
        } catch {
            // Last, so that a record refused for its token is known to be right in all the rest.
            throw .refused(Reason(error), DeviceCheckAnswer(.invalidToken, self.header))
        }
    }

    private static func environment(of message: Flotilla_Devicecheck_V1_DeviceCheck) throws(Fault)
        -> DeviceCheckEnvironment
    {
        guard !message.environment.isEmpty else { return .production }
        guard let environment = DeviceCheckEnvironment(rawValue: message.environment) else {
            throw self.invalid("environment.unknown", "The environment is not production or development.")
        }
        return environment
    }

    private static func teamID(of message: Flotilla_Devicecheck_V1_DeviceCheck) throws(Fault) -> String {
        guard message.teamID.isEmpty || AppleID.isTenCharacters(message.teamID) else {
            throw self.invalid("team_id.malformed", "The team id is not 10 letters and digits.")
        }
        return message.teamID
    }

    private static func demand(
        _ operation: DeviceCheckOperation,
        _ message: Flotilla_Devicecheck_V1_DeviceCheck
    ) throws(Fault) -> Demand {
        let change = BitChange(
            bit0: message.hasBit0 ? message.bit0 : nil,
            bit1: message.hasBit1 ? message.bit1 : nil
        )
        let hasBits = change.bit0 != nil || change.bit1 != nil
        switch operation {
        case .update:
            guard hasBits else { throw self.invalid("bits.missing", "An update names no bit.") }
            return .update(change)
        case .query, .validate:
            guard !hasBits else { throw self.invalid("bits.not_an_update", "Only an update has bits.") }
            return operation == .query ? .query : .validate
        }
    }

    private static func time(
        _ isGiven: Bool,
        _ time: Google_Protobuf_Timestamp,
        _ field: String
    ) throws(Fault) -> Int64? {
        guard isGiven, time.seconds != 0 || time.nanos != 0 else { return nil }
        // 2001-09-09, when seconds came to have ten digits, to the end of 9999.
        guard (1_000_000_000...253_402_300_799).contains(time.seconds),
            (0..<1_000_000_000).contains(time.nanos)
        else { throw self.invalid("\(field).malformed", "A time is not between 2001 and 9999.") }
        return time.seconds * 1_000 + Int64(time.nanos / 1_000_000)
    }

    private static func name(_ text: String, _ field: String) throws(Fault) -> String {
        guard text.utf8.count <= self.nameBytesLimit else {
            throw self.invalid("\(field).too_long", "A name has more than \(self.nameBytesLimit) bytes.")
        }
        return text
    }

    private static func invalid(_ code: String, _ message: String) -> Fault {
        .record(.invalid(code, message))
    }
}

extension Reason {
    fileprivate init(_ fault: DeviceToken.Fault) {
        switch fault {
        case .missing: self.init("device_token.missing", "There is no device token.")
        case .tooLong: self.init("device_token.too_long", "The device token is longer than any can be.")
        case .notBase64:
            self.init("device_token.malformed", "The device token is not padded, standard base64.")
        }
    }
}
