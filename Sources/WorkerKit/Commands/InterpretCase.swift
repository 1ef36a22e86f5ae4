import ArgumentParser
import UpstreamHTTP

/// One case on one line: a record, and an answer to it or the lack of one.
struct InterpretCase: Decodable {
    var record: JSONValue
    var status: Int?
    var headers: [String: String]?
    var body: JSONValue?
    var failure: String?
    var attempt: Int?

    var recordBytes: [UInt8] { self.record.bytes }

    var exchange: Exchange {
        get throws {
            try Self.exchange(
                status: self.status ?? 200,
                headers: (self.headers ?? [:]).sorted { $0.key < $1.key }
                    .map { HTTPHeader($0.key, $0.value) },
                body: self.body?.bytes ?? [],
                failure: self.failure
            )
        }
    }

    /// What the engine would have been given.
    ///
    /// - Throws: `ValidationError` for what no upstream can answer and no transfer can do.
    static func exchange(status: Int, headers: [HTTPHeader], body: [UInt8], failure: String?) throws
        -> Exchange
    {
        guard let failure else {
            guard (100...999).contains(status) else {
                throw ValidationError("an HTTP status is a number from 100 to 999")
            }
            return .response(HTTPResponse(status: status, headers: headers, body: body))
        }
        guard let kind = TransferError.Kind(rawValue: failure) else {
            let known = TransferError.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("a failure is one of \(known)")
        }
        let isEarly = [.resolve, .connect, .tls].contains(kind)
        return Exchange(.failure(TransferError(kind: kind, mayHaveBeenSent: !isEarly, message: failure)))
    }
}
