/// An export request in the JSON encoding of OTLP, as far as a collector of this project's spans has to read it.
/// Keys that are not here are refused.
struct OTLPRequest: Codable {
    struct ResourceSpans: Codable {
        var resource: Resource
        var scopeSpans: [ScopeSpans]
    }

    struct Resource: Codable {
        var attributes: [Attribute]
    }

    struct ScopeSpans: Codable {
        var scope: Scope
        var spans: [Span]
    }

    struct Scope: Codable {
        var name: String
        var version: String
    }

    struct Attribute: Codable {
        var key: String
        var value: Value
    }

    /// A value of which exactly one member is set. A 64-bit number is a string in the JSON of protobuf.
    struct Value: Codable {
        var stringValue: String?
        var intValue: String?
        var boolValue: Bool?

        /// The value as a text; nil if not exactly one member is set, or a number is none.
        var text: String? {
            switch (self.stringValue, self.intValue, self.boolValue) {
            case (let text?, nil, nil): text
            case (nil, let number?, nil): Int64(number).map { String($0) }
            case (nil, nil, let flag?): String(flag)
            default: nil
            }
        }
    }

    struct Link: Codable {
        var traceId: String
        var spanId: String
    }

    struct Status: Codable {
        var code: Int
    }

    struct Span: Codable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var parentSpanId: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var links: [Link]?
        var status: Status?
    }

    var resourceSpans: [ResourceSpans]
}
