package import UpstreamHTTP

/// A request that a handler under test has written itself, for one record or several. Before the handler's own
/// headers it has one for each record, by which judges and upstreams tell the records apart.
package enum SharedRequest {
    private static let header = "element"

    /// Returns the element of a record, which the handler's template gets in place of its own.
    ///
    /// - Parameter request: The headers of `SimulatedUpstream.Call`, without tabs and line feeds, and the
    ///   handler's own element as the body.
    package static func element(of request: HTTPRequest) -> [UInt8] {
        var marked = request
        marked.headers.insert(HTTPHeader(SimulatedBatch.header, ""), at: 0)
        return SimulatedBatch.element(of: marked)
    }

    /// Returns the handler's own element.
    package static func own(_ element: [UInt8]) -> [UInt8] { self.part(element).body ?? [] }

    /// Returns the handler's request with the elements of its records.
    package static func marked(_ request: HTTPRequest, with elements: [[UInt8]]) -> HTTPRequest {
        var marked = request
        let headers = elements.map { HTTPHeader(self.header, String(decoding: $0, as: UTF8.self)) }
        marked.headers.insert(contentsOf: headers, at: 0)
        return marked
    }

    /// Returns the request as the handler has written it.
    package static func unmarked(_ request: HTTPRequest) -> HTTPRequest {
        var unmarked = request
        unmarked.headers.removeAll { $0.name == self.header }
        return unmarked
    }

    /// Returns whether the request has elements of records.
    static func isMarked(_ request: HTTPRequest) -> Bool {
        request.headers.contains { $0.name == self.header }
    }

    /// Returns the calls that a request stands for, in the order of its elements: one for each record.
    package static func calls(in request: HTTPRequest, at now: Int64) -> [SimulatedUpstream.Call] {
        let requests =
            self.isMarked(request)
            ? request.headers.filter { $0.name == self.header }.map { self.part(Array($0.value.utf8)) }
            : SimulatedBatch.requests(in: request)
        return requests.map { SimulatedUpstream.Call($0, at: now) }
    }

    private static func part(_ element: [UInt8]) -> HTTPRequest { SimulatedBatch.request(of: element) }
}
