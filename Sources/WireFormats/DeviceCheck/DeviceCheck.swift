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
    /// When the operation was decided upon, or what stands in for that. Nil where nothing tells, or where it would be
    /// after the record was published, which cannot be: the log's order then has to do.
    package var requestedAt: Int64?
    /// Whom the bits are about; nil if nobody says.
    package var subject: [UInt8]?
    /// Names the record the same way every time it is read.
    package var recordID: String

    /// Why a record is not an operation to carry out.
    package enum Fault: Error, Hashable, Sendable {
        /// The record is wrong: a dead letter.
        case record(RecordFault)
        /// The record is right, and what a device sent cannot be. A device may send anything: a final no, and never
        /// a dead letter. With an answer as far as the record could be read.
        case refused(Reason, DeviceCheckAnswer?)
    }

    /// Reads a record of the topic `devicecheck`, in any of the forms that a value may have.
    package init(decoding record: borrowing InboundRecord) throws(Fault) {
        let payload: RecordPayload
        do throws(RecordFault) {
            payload = try RecordPayload(of: record)
        } catch {
            // Nothing but the device token and other texts of the device's has that many bytes.
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

    /// Which of Apple's hosts the token belongs to.
    package var environment: DeviceCheckEnvironment { self.header.environment ?? .production }

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
    /// Nil if the record names one that does not exist.
    package var environment: DeviceCheckEnvironment?
    /// Empty if the record names none.
    package var teamID: String
    package var bundleID: String
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
