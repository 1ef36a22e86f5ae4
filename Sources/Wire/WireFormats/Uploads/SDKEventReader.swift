/// Reads the list of events in a decompressed upload.
///
/// The result is three lists that refer to each other by position: the bytes of all texts, the fields of all
/// events, and the fields of each event. A dictionary of strings for each event would cost several times as
/// much as everything else that is done with an upload.
struct SDKEventReader {
    /// The bytes, the fields, and for each event the range of its fields.
    typealias Result = (text: [UInt8], values: [SDKEvent.Value], events: [Range<Int>])

    let limits: SDKUpload.Limits

    /// The fields of all events while they are read. A field of two bytes takes 16 times as many in memory, so
    /// their number has a limit.
    struct Values {
        private(set) var all: [SDKEvent.Value] = []
        private let limit: Int

        /// - Parameter bytes: The number of bytes that are read, from which room is reserved.
        init(_ limits: SDKUpload.Limits, bytes: Int) {
            self.limit = limits.fields
            self.all.reserveCapacity(min(limits.fields, bytes / 16))
        }

        var count: Int { self.all.count }

        mutating func append(_ field: SDKEventField, _ content: SDKEvent.Content) throws(SDKUploadFault) {
            guard self.all.count < self.limit else { throw .tooLarge }
            self.all.append(SDKEvent.Value(field: field, content: content))
        }
    }
}
