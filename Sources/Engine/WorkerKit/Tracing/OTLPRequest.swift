import Operations
import WireFormats

/// The body of an export request, in the JSON encoding of OTLP.
enum OTLPRequest {
    /// Returns the bytes of a request with these spans.
    ///
    /// - Parameter resource: The attributes of the process, by their names.
    static func body(_ spans: [Span], resource: [(String, String)], version: String) -> [UInt8] {
        var json = JSONWriter()
        json.bytes.reserveCapacity(512 + spans.count * 700)
        json.raw("{\"resourceSpans\":[{\"resource\":{\"attributes\":[")
        json.list(resource) { json, attribute in json.attribute(attribute.0, .text(attribute.1)) }
        json.raw("]},\"scopeSpans\":[{\"scope\":{\"name\":\"flotilla\",\"version\":")
        json.text(version)
        json.raw("},\"spans\":[")
        json.list(spans) { $0.span($1) }
        json.raw("]}]}]}")
        return json.bytes
    }
}

/// Bytes of JSON that are being written. Texts are cut, so that no record makes a span large.
private struct JSONWriter {
    var bytes: [UInt8] = []
    private static let textLimit = 256

    mutating func raw(_ json: StaticString) {
        let text = unsafe UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount)
        unsafe self.bytes.append(contentsOf: text)
    }

    mutating func text(_ text: String) {
        JSONText.appendQuoted(text, to: &self.bytes, limit: Self.textLimit)
    }

    /// Writes a 64-bit number, which is a string in the JSON of protobuf.
    mutating func number(_ number: Int64) {
        self.raw("\"")
        self.bytes.append(contentsOf: String(number).utf8)
        self.raw("\"")
    }

    mutating func list<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        for (index, element) in elements.enumerated() {
            if index > 0 { self.raw(",") }
            write(&self, element)
        }
    }

    mutating func attribute(_ name: String, _ value: SpanAttribute.Value) {
        self.raw("{\"key\":")
        self.text(name)
        self.raw(",\"value\":{")
        switch value {
        case .text(let text):
            self.raw("\"stringValue\":")
            self.text(text)
        case .number(let number):
            self.raw("\"intValue\":")
            self.number(number)
        case .flag(let flag):
            self.raw("\"boolValue\":")
            self.raw(flag ? "true" : "false")
        }
        self.raw("}}")
    }

    mutating func span(_ span: Span) {
        self.raw("{\"traceId\":")
        self.text(span.context.traceID)
        self.raw(",\"spanId\":")
        self.text(span.context.parentID)
        if let state = span.context.state {
            self.raw(",\"traceState\":")
            JSONText.appendQuoted(state, to: &self.bytes)
        }
        if let parent = span.parent {
            self.raw(",\"parentSpanId\":")
            self.text(parent.parentID)
        }
        self.raw(",\"name\":")
        self.text(span.name)
        self.raw(",\"kind\":")
        self.bytes.append(contentsOf: String(span.kind.rawValue).utf8)
        self.raw(",\"startTimeUnixNano\":")
        self.number(span.start)
        self.raw(",\"endTimeUnixNano\":")
        self.number(span.end)
        self.raw(",\"attributes\":[")
        var attributes = span.attributes
        if let error = span.error { attributes.append((.errorType, .text(error))) }
        self.list(attributes) { $0.attribute($1.name.rawValue, $1.value) }
        self.raw("]")
        if let link = span.link {
            self.raw(",\"links\":[{\"traceId\":")
            self.text(link.traceID)
            self.raw(",\"spanId\":")
            self.text(link.parentID)
            self.raw("}]")
        }
        // The status is set only if the step failed: 2 is an error.
        if span.error != nil { self.raw(",\"status\":{\"code\":2}") }
        self.raw("}")
    }
}
