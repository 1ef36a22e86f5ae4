package import Records
import WireMessages

/// One operation on the two bits of a device, checked by every rule that needs neither clock nor configuration.
package struct DeviceCheck: Hashable, Sendable {
    /// What is asked for, and with an update the bits.
    package enum Demand: Hashable, Sendable {
        case query
        case update(BitChange)
        case validate
    }

    package var demand: Demand
    package var token: DeviceToken
    package var header: DeviceCheckHeader
    /// Wall-clock milliseconds since 1970: when the token was made, by the device's clock.
    package var tokenCreatedAt: Int64?
    /// When it reached us, by ours.
    package var receivedAt: Int64?
    /// When the operation was decided upon, or what stands in for that.
    package var requestedAt: Int64?
    /// Whom the bits are about; nil if nobody says.
    package var subject: [UInt8]?
    /// Names the record the same way every time it is read.
    package var recordID: String

    /// Why a record is not an operation to carry out.
    package enum Fault: Error, Hashable, Sendable {
        /// The record is wrong: a dead letter.
        case record(RecordFault)
        /// The record is right and its device token cannot be one. It comes from a device, which may send anything:
        /// a final no, and never a dead letter.
        case refused(Reason, DeviceCheckAnswer)
    }

    /// Reads a record of the topic `devicecheck`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        let message: Flotilla_Devicecheck_V1_DeviceCheck
        do throws(RecordFault) {
            message = try RecordPayload(of: record).decode(as: Flotilla_Devicecheck_V1_DeviceCheck.self)
        } catch {
            throw .record(error)
        }
        try self.init(message, of: record)
    }

    package var operation: DeviceCheckOperation {
        switch self.demand {
        case .query: .query
        case .update: .update
        case .validate: .validate
        }
    }
}

/// Which operation it was: what a result repeats of its input.
package struct DeviceCheckHeader: Hashable, Sendable {
    package var operation: DeviceCheckOperation
    package var environment: DeviceCheckEnvironment
    /// Empty if the record names none.
    package var teamID: String
    package var bundleID: String
    package var requestID: String

    package init(
        operation: DeviceCheckOperation,
        environment: DeviceCheckEnvironment,
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
