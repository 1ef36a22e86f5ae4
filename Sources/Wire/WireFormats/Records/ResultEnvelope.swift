package import Records

/// The form in which an outcome stands in its record. The raw value is the setting's.
package enum ResultEnvelope: String, Hashable, Sendable, CaseIterable {
    /// The value is the outcome, and no header says more of it than its content type.
    case none
    /// A CloudEvent 1.0 in binary mode: the value is the outcome, and headers have the attributes.
    case binary = "cloudevents"
    /// A CloudEvent 1.0 in structured mode: the value is an event in JSON with the outcome inside.
    case structured = "cloudevents-structured"
}

extension OutboundRecord {
    /// Makes a CloudEvent of the record of an outcome (CloudEvents 1.0.2, with the Kafka protocol binding 1.0.2 and
    /// the correlation extension).
    ///
    /// The event has the outcome's id, so that a repeat after a crash is the same event. The input's own `ce_id`
    /// moves to the attribute `causationid`, because a record is one event with one id.
    ///
    /// - Parameter format: the format of the value as it is.
    package mutating func wrap(in envelope: ResultEnvelope, of outcome: Outcome, as format: ValueFormat) {
        guard envelope != .none else { return }
        let cause = self.headers.last { $0.name == "ce_id" }?.value
        self.headers.removeAll { $0.name == "ce_id" }
        let attributes: [(name: String, value: String?)] = [
            ("specversion", "1.0"), ("id", outcome.id), ("source", "/flotilla/\(outcome.worker)"),
            ("type", "flotilla.outcome.v1.\(outcome.fate.rawValue)"),
            ("time", RFC3339.string(outcome.settledAt)),
            ("causationid", cause.flatMap { String(validating: $0, as: UTF8.self) }),
        ]
        switch envelope {
        case .none: break
        case .binary:
            self.headers += attributes.compactMap { name, value in
                value.map { RecordHeader("ce_\(name)", $0) }
            }
        case .structured:
            self.value = Self.event(attributes, data: self.value ?? [], format)
            self.headers.removeAll { $0.name == "content-type" }
            self.headers.insert(RecordHeader("content-type", Self.structuredContentType), at: 0)
        }
    }

    private static let structuredContentType = "application/cloudevents+json; charset=UTF-8"

    private static func event(
        _ attributes: [(name: String, value: String?)],
        data: [UInt8],
        _ format: ValueFormat
    ) -> [UInt8] {
        var json = JSONWriter(reserving: 512 + data.count * 4 / 3)
        json.object { json in
            for attribute in attributes { json.optionalString(attribute.name, attribute.value) }
            json.string("datacontenttype", format.contentType)
            switch format {
            case .json: json.raw(escaping: "data", String(decoding: data, as: UTF8.self))
            case .protobuf: json.string("data_base64", String(decoding: Base64.encode(data), as: UTF8.self))
            }
        }
        return json.text
    }
}
