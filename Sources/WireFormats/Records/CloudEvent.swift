/// An event in CloudEvents' structured mode (JSON event format 1.0), as far as its payload goes.
///
/// The binary mode needs nothing: there the record's value is the payload and its `content-type` says which.
struct CloudEvent {
    /// Nil if the event does not say.
    var dataContentType: ContentType?
    var data: [UInt8]

    init(_ text: [UInt8]) throws(RecordFault) {
        guard let event = JSONObject(text) else {
            throw Self.fault("it is not a JSON object")
        }
        guard let version = event.string("specversion"), version == "1.0" else {
            throw Self.fault("its specversion is not 1.0")
        }
        self.dataContentType = event.string("datacontenttype").map { ContentType(Array($0.utf8)) }
        if let base64 = event.string("data_base64") {
            guard event.value("data") == nil, let data = Base64.decode(Array(base64.utf8)) else {
                throw Self.fault("its data_base64 is not base64, or stands beside data")
            }
            self.data = data
        } else if let data = event.value("data") {
            // Data that is a string is a document written out as text, unless that text is itself the data;
            // ours is always a JSON object.
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
