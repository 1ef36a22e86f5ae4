package import Hummingbird
import HummingbirdCore
import NIOCore

extension PageRequest {
    /// Takes everything from a request except the body, which has not been read yet.
    package init(_ request: Request) {
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        // No address has other characters, and to compare those of a stranger's choice can take seconds. This path is
        // that of no page.
        let isAddress = request.uri.path.utf8.allSatisfy { $0 < 0x80 }
        self.init(
            method: request.method == .get || request.method == .head
                ? .get : request.method == .post ? .post : .other,
            path: isAddress ? request.uri.path : "/?",
            query: FormFields(request.uri.query ?? ""),
            host: request.head.authority,
            headers: headers
        )
    }
}

extension PageAnswer {
    /// Returns the answer as an HTTP response with the strict headers; without a body for `HEAD`.
    package func response(to request: Request) -> Response {
        var fields: HTTPFields = [:]
        for (name, value) in Self.strictHeaders + self.headers {
            if let name = HTTPFields.Element.Name(name) { fields.append(.init(name: name, value: value)) }
        }
        let response = Response(
            status: .init(code: self.status.rawValue),
            headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: self.body))
        )
        return request.method == .head ? response.createHeadResponse() : response
    }
}
