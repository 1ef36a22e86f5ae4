import Records
import SwiftProtobuf
import WireMessages

extension DeviceCheck {
    private static let nameBytesLimit = 256

    /// The fields whose content a device or an app chooses; some backends forward them in the type in which
    /// they came.
    private static let clientMembers = [
        "device_token", "token_created_at", "environment", "request_id", "bundle_id", "subject",
    ].map { ClientMember($0) }

    /// Returns the fault of a payload that cannot be decoded: a final refusal if only clients' fields are to blame
    /// and the operation can be read, else a dead letter.
    static func fault(_ fault: RecordFault, _ payload: RecordPayload) -> Fault {
        typealias Message = Flotilla_Devicecheck_V1_DeviceCheck
        guard let legible = LegiblePayload(payload, without: self.clientMembers, as: Message.self),
            let member = legible.illegible.first
        else { return .record(fault) }
        do throws(RecordFault) {
            let message = try legible.payload.decode(as: Message.self)
            guard let operation = DeviceCheckOperation(exactly: message.op) else { return .record(fault) }
            let isToken = member.name == "device_token"
            return self.refusal(
                member.malformed(in: payload, as: Message.self),
                isToken ? .invalidToken : .unavailable,
                header: self.header(operation, of: message)
            )
        } catch {
            return .record(error)
        }
    }

    /// Returns as much of a header as a record whose other fields are wrong has.
    private static func header(
        _ operation: DeviceCheckOperation,
        of message: Flotilla_Devicecheck_V1_DeviceCheck
    ) -> DeviceCheckHeader {
        func name(_ text: String) -> String { text.utf8.count <= self.nameBytesLimit ? text : "" }
        return DeviceCheckHeader(
            operation: operation,
            environment: self.environment(named: message.environment),
            teamID: AppleID.isTenCharacters(message.teamID) ? message.teamID : "",
            bundleID: name(message.bundleID),
            requestID: name(message.requestID)
        )
    }

    /// Checks a decoded message. The fields that a backend fills are checked before those that a device or an
    /// app chooses, so a record that is refused for one of the latter has no fault in the former.
    init(_ message: Flotilla_Devicecheck_V1_DeviceCheck, of record: borrowing InboundRecord) throws(Fault) {
        guard let operation = DeviceCheckOperation(exactly: message.op) else {
            throw Self.invalid("op.unknown", "The field `op` is not query, update or validate.")
        }
        var header = DeviceCheckHeader(
            operation: operation,
            environment: Self.environment(named: message.environment),
            teamID: try Self.teamID(of: message)
        )
        self.demand = try Self.demand(operation, message)
        self.receivedAt = try Self.time(message.hasReceivedAt, message.receivedAt, field: "received_at")
        let requestedAt = try Self.time(message.hasRequestedAt, message.requestedAt, field: "requested_at")
        self.requestedAt = Self.believed(requestedAt ?? self.receivedAt, of: record)
        header.requestID = try Self.name(message.requestID, "request_id", header: header)
        header.bundleID = try Self.name(message.bundleID, "bundle_id", header: header)
        self.header = header
        guard header.environment != nil else {
            throw Self.refusal(.environment, .unavailable, header: header)
        }
        let subject = try Self.name(message.subject, "subject", header: header)
        self.subject = subject.isEmpty ? record.key.flatMap { $0.isEmpty ? nil : $0 } : Array(subject.utf8)
        self.recordID = "\(record.topic)/\(record.partition)/\(record.offset)"
        do throws(Fault) {
            self.tokenCreatedAt = try Self.time(
                message.hasTokenCreatedAt,
                message.tokenCreatedAt,
                field: "token_created_at"
            )
        } catch {
            guard case .record(let fault) = error else { throw error }
            throw Self.refusal(fault.reason, .unavailable, header: header)
        }
        do throws(DeviceToken.Fault) {
            self.token = try DeviceToken(message.deviceToken)
        } catch {
            throw Self.refusal(Reason(error), .invalidToken, header: header)
        }
    }

    /// Returns the time at which the operation was decided upon. A decision precedes the publishing of its
    /// record, so a stated time after the record's timestamp is not used, however small the difference; nil
    /// then, and the order of the log decides.
    private static func believed(_ stated: Int64?, of record: borrowing InboundRecord) -> Int64? {
        guard let stated, let published = record.timestamp else { return stated ?? record.timestamp }
        return stated <= published ? stated : nil
    }

    /// Returns the environment of a name, production if it is empty; nil if there is none of that name. Case
    /// does not matter, because Apple's own tools differ in it.
    private static func environment(named name: String) -> DeviceCheckEnvironment? {
        name.isEmpty ? .production : DeviceCheckEnvironment(exactly: name.lowercased())
    }

    private static func refusal(
        _ reason: Reason,
        _ result: DeviceCheckAnswer.Result,
        header: DeviceCheckHeader
    ) -> Fault { .refused(reason, DeviceCheckAnswer(result, header)) }

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
            guard hasBits else {
                throw self.invalid("bits.missing", "An update has neither `bit0` nor `bit1`.")
            }
            return .update(change)
        case .query, .validate:
            guard !hasBits else { throw self.invalid("bits.not_an_update", "Only an update has bits.") }
            return operation == .query ? .query : .validate
        }
    }

    private static func time(
        _ isGiven: Bool,
        _ time: Google_Protobuf_Timestamp,
        field: String
    ) throws(Fault) -> Int64? {
        guard isGiven, time.seconds != 0 || time.nanos != 0 else { return nil }
        // From 2001-09-09, when seconds first had ten digits, to the end of 9999.
        guard (1_000_000_000...253_402_300_799).contains(time.seconds),
            (0..<1_000_000_000).contains(time.nanos)
        else { throw self.invalid("\(field).malformed", "A time is not between 2001 and 9999.") }
        return time.seconds * 1_000 + Int64(time.nanos / 1_000_000)
    }

    private static func name(_ text: String, _ field: String, header: DeviceCheckHeader) throws(Fault)
        -> String
    {
        guard text.utf8.count <= self.nameBytesLimit else {
            let message = "A name has more than \(self.nameBytesLimit) bytes."
            throw self.refusal(Reason("\(field).too_long", message), .unavailable, header: header)
        }
        return text
    }

    private static func invalid(_ code: String, _ message: String) -> Fault {
        .record(.invalid(code, message))
    }
}

extension Reason {
    fileprivate static let environment = Reason(
        "environment.unknown",
        "The environment is not production or development."
    )

    fileprivate init(_ fault: DeviceToken.Fault) {
        switch fault {
        case .missing: self.init("device_token.missing", "The field `deviceToken` is missing.")
        case .tooLong: self.init("device_token.too_long", "The device token is longer than any can be.")
        case .notBase64:
            self.init("device_token.malformed", "The device token is not padded, standard base64.")
        }
    }
}
