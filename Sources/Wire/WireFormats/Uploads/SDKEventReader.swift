/// Reads the list of events in a decompressed upload.
///
/// The result is three lists that refer to each other by position: the bytes of all texts, the fields of all
/// events, and the fields of each event. A dictionary of strings for each event would cost several times as
/// much as everything else that is done with an upload.
struct SDKEventReader {
    /// The bytes, the fields, and for each event the range of its fields.
    typealias Result = (text: [UInt8], values: [SDKEvent.Value], events: [Range<Int>])

    /// The most events.
    let eventsLimit: Int
}
