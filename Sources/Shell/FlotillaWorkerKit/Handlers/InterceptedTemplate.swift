import ServiceKit
import UpstreamHTTP

/// A template of a batch, with the headers that interceptors have changed.
///
/// The request of a batch is written when it is sent, and its token, time and nonce are of that moment. So
/// this holds the changes alone, and makes them in the request. Records with different changes share no request:
/// a header that names a tenant makes a batch for each tenant.
struct InterceptedTemplate: BatchTemplate {
    private let base: any BatchTemplate
    /// The names in lower case of headers that were changed or taken away.
    private let replaced: Set<String>
    /// The headers in place of these, and those that were added.
    private let added: [HTTPHeader]

    /// Returns the template itself where nothing was changed.
    ///
    /// - Parameters:
    ///   - planned: the headers that the interceptors were shown.
    ///   - changed: the headers as they have left them.
    init(_ base: any BatchTemplate, planned: [HTTPHeader], changed: [HTTPHeader]) {
        self.base = base
        let touched = Set(planned).symmetricDifference(changed).map { $0.name.lowercased() }
        self.replaced = Set(touched)
        self.added = changed.filter { touched.contains($0.name.lowercased()) }
    }

    /// Names and values are lengths and texts in turn, so that two different sets of headers have two keys.
    var key: String {
        guard !self.replaced.isEmpty else { return self.base.key }
        let texts = self.replaced.sorted() + ["="] + self.added.flatMap { [$0.name, $0.value] }
        return self.base.key + texts.map { " \($0.utf8.count):\($0)" }.joined()
    }

    var elementsLimit: Int { self.base.elementsLimit }
    var bytesLimit: Int { self.base.bytesLimit }
    var requestsLimit: Int { self.base.requestsLimit }
    var isReady: Bool { self.base.isReady }

    func request(of elements: [[UInt8]], at now: Int64, nonce: String) -> HTTPRequest {
        var request = self.base.request(of: elements, at: now, nonce: nonce)
        request.headers.removeAll { self.replaced.contains($0.name.lowercased()) }
        request.headers += self.added
        return request
    }

    func scope(of response: HTTPResponse) -> BatchScope { self.base.scope(of: response) }
}
