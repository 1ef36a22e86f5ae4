/// Reads the list of events in a decompressed upload.
///
/// The result is one list of the fields of all events, whose texts are positions in the bytes. A dictionary of
/// strings for each event would cost several times as much as everything else that is done with an upload.
struct SDKEventReader {
    /// The bytes of all texts, the fields, and what is counted of the events.
    typealias Result = (text: [UInt8], values: [SDKEvent.Value], tally: SDKEventTally)

    let limits: SDKUpload.Limits
}
