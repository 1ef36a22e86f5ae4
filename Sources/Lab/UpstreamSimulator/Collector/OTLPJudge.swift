/// Judges spans by the rules of OTLP and of the semantic conventions for messaging and HTTP.
struct OTLPJudge {
    /// A rule that a request has broken.
    struct Broken: Error {
        var rule: String
    }

    /// The present, in Unix milliseconds.
    let now: Int64

    /// Returns the spans of a request.
    ///
    /// - Throws: `Broken`, with the first rule that the request breaks.
    func spans(in body: [UInt8]) throws(Broken) -> [CollectorSimulator.Span] {
        let request: OTLPRequest
        do {
            request = try StrictJSON.decode(OTLPRequest.self, from: body)
        } catch {
            throw Broken(rule: "not the JSON of an export request: \(error.explanation)")
        }
        var spans: [CollectorSimulator.Span] = []
        for resource in request.resourceSpans {
            let about = try self.texts(of: resource.resource.attributes)
            guard let service = about["service.name"], !service.isEmpty else {
                throw Broken(rule: "a resource has no service.name")
            }
            for scope in resource.scopeSpans {
                for span in scope.spans { spans.append(try self.judged(span, of: service)) }
            }
        }
        guard !spans.isEmpty else { throw Broken(rule: "a request has no span") }
        return spans
    }

    private func judged(
        _ span: OTLPRequest.Span,
        of service: String
    ) throws(Broken) -> CollectorSimulator.Span {
        try self.check(id: span.traceId, digits: 32)
        try self.check(id: span.spanId, digits: 16)
        if let parent = span.parentSpanId { try self.check(id: parent, digits: 16) }
        for link in span.links ?? [] {
            try self.check(id: link.traceId, digits: 32)
            try self.check(id: link.spanId, digits: 16)
        }
        guard !span.name.isEmpty, (1...5).contains(span.kind) else {
            throw Broken(rule: "a span has no name, or a kind that does not exist")
        }
        guard let start = Int64(span.startTimeUnixNano), let end = Int64(span.endTimeUnixNano), start <= end,
            end / 1_000_000 <= self.now + 60_000, start / 1_000_000 > self.now - 86_400_000
        else { throw Broken(rule: "the times of a span are out of order, or not of today") }
        let attributes = try self.texts(of: span.attributes)
        let isError = span.status?.code == 2
        guard !isError || attributes["error.type"] != nil else {
            throw Broken(rule: "a span has failed without an error.type")
        }
        if attributes["messaging.system"] != nil {
            try self.checkMessaging(span, attributes)
        }
        if attributes["http.request.method"] != nil { try self.checkHTTP(span, attributes) }
        return CollectorSimulator.Span(
            service: service,
            traceID: span.traceId,
            spanID: span.spanId,
            parentID: span.parentSpanId,
            name: span.name,
            kind: span.kind,
            start: start,
            end: end,
            attributes: attributes,
            links: (span.links ?? []).map { "\($0.traceId)/\($0.spanId)" },
            isError: isError
        )
    }

    private func check(id: String, digits: Int) throws(Broken) {
        let isHexadecimal = id.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard id.utf8.count == digits, isHexadecimal, id.contains(where: { $0 != "0" }) else {
            throw Broken(rule: "an id is not \(digits) lower-case hexadecimal digits")
        }
    }

    private func checkMessaging(
        _ span: OTLPRequest.Span,
        _ attributes: [String: String]
    ) throws(Broken) {
        let needed = [
            "messaging.operation.name", "messaging.operation.type", "messaging.destination.name",
            "messaging.destination.partition.id", "messaging.kafka.offset", "messaging.consumer.group.name",
        ]
        for name in needed where attributes[name] == nil {
            throw Broken(rule: "a messaging span has no \(name)")
        }
        guard attributes["messaging.system"] == "kafka" else {
            throw Broken(rule: "the messaging system is not kafka")
        }
        let operation = attributes["messaging.operation.name"] ?? ""
        guard span.name == "\(operation) \(attributes["messaging.destination.name"] ?? "")" else {
            throw Broken(rule: "the name of a messaging span is not its operation and its destination")
        }
        // A consumer handles the record; polling and settling are calls of a client.
        let kinds = ["process": 5, "receive": 3, "settle": 3]
        guard kinds[attributes["messaging.operation.type"] ?? ""] == span.kind else {
            throw Broken(rule: "the kind of a messaging span does not fit its operation")
        }
    }

    private func checkHTTP(_ span: OTLPRequest.Span, _ attributes: [String: String]) throws(Broken) {
        guard span.kind == 3, span.name == attributes["http.request.method"] else {
            throw Broken(rule: "an HTTP span is no client's, or is not named by its method")
        }
        guard attributes["server.address"] != nil, attributes["server.port"] != nil else {
            throw Broken(rule: "an HTTP span does not name its server")
        }
        let status = attributes["http.response.status_code"].flatMap { Int($0) }
        guard status != nil || attributes["error.type"] != nil else {
            throw Broken(rule: "an HTTP span has neither a status nor an error.type")
        }
        if let status, status >= 400, attributes["error.type"] != String(status) {
            throw Broken(rule: "an HTTP span with an error status does not say so in error.type")
        }
        for name in attributes.keys where name.hasPrefix("url.") && name != "url.scheme" {
            throw Broken(rule: "an HTTP span tells \(name), which can hold personal data")
        }
    }

    private func texts(of attributes: [OTLPRequest.Attribute]) throws(Broken) -> [String: String] {
        var texts: [String: String] = [:]
        for attribute in attributes {
            guard let text = attribute.value.text else {
                throw Broken(rule: "an attribute does not have one value: \(attribute.key)")
            }
            guard texts.updateValue(text, forKey: attribute.key) == nil else {
                throw Broken(rule: "an attribute comes twice: \(attribute.key)")
            }
        }
        return texts
    }
}
