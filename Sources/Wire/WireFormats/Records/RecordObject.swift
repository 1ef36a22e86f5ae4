package import Records
import WireMessages

/// Reads the value of a record as one JSON object, for conditions on its fields (`RecordFilter`).
///
/// The functions return nil for a value that cannot be read. A value in protobuf is decoded and written anew.
package enum RecordObject {
    /// Reads a record of the topic `activation`.
    package static func activation(_ record: borrowing InboundRecord) -> JSONObject? {
        (try? RecordPayload(of: record))?.object(as: Flotilla_Activation_V1_Activation.self)
    }

    /// Reads a record of the topic `devicecheck`.
    package static func deviceCheck(_ record: borrowing InboundRecord) -> JSONObject? {
        (try? RecordPayload(of: record))?.object(as: Flotilla_Devicecheck_V1_DeviceCheck.self)
    }

    /// Reads a record of the topic `receipt`.
    package static func receipt(_ record: borrowing InboundRecord) -> JSONObject? {
        (try? RecordPayload(of: record, bytesLimit: Receipt.recordBytesLimit))?.object(
            as: Flotilla_Receipt_V1_Receipt.self
        )
    }

    /// Reads a record of any topic, if its value is in JSON.
    package static func json(_ record: borrowing InboundRecord) -> JSONObject? {
        (try? RecordPayload(of: record))?.object
    }
}
