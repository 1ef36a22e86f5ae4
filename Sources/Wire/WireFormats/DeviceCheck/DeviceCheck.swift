package import Records
import WireMessages

/// One operation on the two bits of a device. It has passed every rule that needs neither a clock nor the
/// configuration.
package struct DeviceCheck: Hashable, Sendable {
    /// The operation, with the new bits of an update.
    package enum Demand: Hashable, Sendable {
        /// Ask for the bits.
        case query
        /// Change the bits.
        case update(BitChange)
        /// Ask whether the token is one of a real device.
        case validate
    }

    /// The operation that the record asks for.
    package var demand: Demand
    /// The device's token, which Apple accepts once.
    package var token: DeviceToken
    /// The fields that the result repeats.
    package var header: DeviceCheckHeader
    /// The time at which the device made the token, by the device's clock, in milliseconds since 1970.
    package var tokenCreatedAt: Int64?
    /// The time at which our edge received the token, by our clock, in milliseconds since 1970.
    package var receivedAt: Int64?
    /// The time at which the operation was decided upon, in milliseconds since 1970. If the record does not
    /// state it, the time of receipt stands in, then the record's timestamp. Nil if there is none, or if it
    /// is later than the record's timestamp, which is impossible; the order of the log then decides.
    package var requestedAt: Int64?
    /// The account or installation that the bits are about, or the record's key; nil if there is neither.
    package var subject: [UInt8]?
    /// The record's `topic/partition/offset`, which is the same every time the record is read.
    package var recordID: String

    /// The reason why a record is not an operation to carry out.
    package enum Fault: Error, Hashable, Sendable {
        /// The record itself is wrong and becomes a dead letter.
        case record(RecordFault)
        /// The record is right, but something that a device sent is wrong. A device may send anything, so the
        /// record ends in a final refusal and never as a dead letter. The answer holds what could be read of
        /// the record.
        case refused(Reason, DeviceCheckAnswer?)
    }

    /// Reads a record of the topic `devicecheck`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        do throws(Fault) {
            try self.init(reading: record)
        } catch {
            switch error {
            case .record(let fault): throw .record(fault.asking(about: record, in: .deviceCheck))
            case .refused(let reason, let answer):
                throw .refused(reason.asking(about: record, in: .deviceCheck), answer)
            }
        }
    }

    private init(reading record: borrowing InboundRecord) throws(Fault) {
        let payload: RecordPayload
        do throws(RecordFault) {
            payload = try RecordPayload(of: record)
        } catch {
            // Only the device's own texts, such as the token, can make a record as large as that.
            guard case .tooLarge(let reason) = error else { throw .record(error) }
            throw .refused(reason, nil)
        }
        let message: Flotilla_Devicecheck_V1_DeviceCheck
        do throws(RecordFault) {
            message = try payload.decode(as: Flotilla_Devicecheck_V1_DeviceCheck.self)
        } catch {
            throw Self.fault(error, payload)
        }
        try self.init(message, of: record)
    }

    /// The Apple host that the token belongs to.
    package var environment: DeviceCheckEnvironment { self.header.environment ?? .production }

    /// The operation without its bits.
    package var operation: DeviceCheckOperation {
        switch self.demand {
        case .query: .query
        case .update: .update
        case .validate: .validate
        }
    }
}

/// The fields of a record that its result repeats.
package struct DeviceCheckHeader: Hashable, Sendable {
    /// The operation.
    package var operation: DeviceCheckOperation
    /// The environment; nil if the record names one that does not exist.
    package var environment: DeviceCheckEnvironment?
    /// The developer team, 10 characters; empty if the record names none.
    package var teamID: String
    /// The app's bundle id, at most 256 bytes; empty if the record names none.
    package var bundleID: String
    /// The backend's own id of the request, at most 256 bytes; empty if the record names none.
    package var requestID: String

    package init(
        operation: DeviceCheckOperation,
        environment: DeviceCheckEnvironment?,
        teamID: String = "",
        bundleID: String = "",
        requestID: String = ""
    ) {
        self.operation = operation
        self.environment = environment
        self.teamID = teamID
        self.bundleID = bundleID
        self.requestID = requestID
    }
}
