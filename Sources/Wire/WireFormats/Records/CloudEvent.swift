/// An event in CloudEvents' structured mode (JSON event format 1.0), reduced to its payload.
///
/// The binary mode needs no type: the record's value is the payload, and its `content-type` header names the
/// format.
struct CloudEvent {
    /// The content type of the data; nil if the event names none and carries its data in base64.
    var dataContentType: ContentType?
    /// The payload: decoded from base64, taken out of a JSON string, or a JSON value as it stands. Never
    /// empty.
    var data: [UInt8]

    /// Reads an event.
    ///
    /// - Throws: `RecordFault` if the event cannot be read or has no data.
    init(_ text: [UInt8]) throws(RecordFault) {
        // A phone may have chosen how deep the data nests; the reader of the data decides about it.
        guard let event = JSONObject(text, skipsDeeper: true) else {
            throw Self.fault("it is not a JSON object")
        }
        guard let version = event.string("specversion"), version.isExactly("1.0") else {
            throw Self.fault("its specversion is not 1.0")
        }
        self.dataContentType = event.string("datacontenttype").map { ContentType(Array($0.utf8)) }
        if let base64 = event.string("data_base64") {
            guard event.value("data") == nil, let data = Base64.decode(Array(base64.utf8)) else {
                throw Self.fault("its data_base64 is not base64, or stands beside data")
            }
            self.data = data
        } else if let data = event.value("data") {
            // Data that is a JSON string holds the text of a document. A string that is itself the data is
            // not supported, because our payload in JSON is always an object.
            self.data = event.string("data").map { Array($0.utf8) } ?? Array(data)
            self.dataContentType = self.dataContentType ?? .json
        } else {
            throw RecordFault.undecodable("value.tombstone", "The event has no data.")
        }
        guard !self.data.isEmpty else {
            throw RecordFault.undecodable("value.empty", "The event's data is empty.")
        }
    }

    static func fault(_ detail: String) -> RecordFault {
        .undecodable("value.cloudevents", "The CloudEvents envelope cannot be read: \(detail).")
    }
}
