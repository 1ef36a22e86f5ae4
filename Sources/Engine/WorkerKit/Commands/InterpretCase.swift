import ArgumentParser
import Foundation
import UpstreamHTTP

/// One case on one line: a record, and an answer to it or the lack of one.
struct InterpretCase {
    /// The line is not a case.
    struct Fault: Error {}

    private struct Details: Decodable {
        var status: Int?
        var headers: [String: String]?
        var failure: String?
        var attempt: Int?
        var host: String?
        var visited: [String]?
        var refused: [String]?
        var renewed: Bool?
    }

    /// The bytes of the record, and of the answer's body if there is one. Each may be any JSON: a string
    /// stands for its text, every other value for itself.
    let record: [UInt8]
    let body: [UInt8]?
    private let details: Details

    init(_ line: [UInt8]) throws(Fault) {
        let line = Data(line)
        guard let details = try? JSONDecoder().decode(Details.self, from: line),
            let members = (try? JSONSerialization.jsonObject(with: line)) as? [String: Any],
            let record = members["record"].flatMap(Self.bytes)
        else { throw Fault() }
        self.record = record
        self.body = members["body"].flatMap { $0 is NSNull ? nil : Self.bytes($0) }
        self.details = details
    }

    private static func bytes(_ value: Any) -> [UInt8]? {
        if let text = value as? String { return Array(text.utf8) }
        let options: JSONSerialization.WritingOptions = [
            .fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys,
        ]
        return (try? JSONSerialization.data(withJSONObject: value, options: options)).map(Array.init)
    }

    var attempt: Int? { self.details.attempt }

    var place: CasePlace {
        var place = CasePlace()
        place.host = self.details.host
        place.visited = self.details.visited ?? []
        place.refused = self.details.refused ?? []
        place.isRenewed = self.details.renewed ?? false
        return place
    }

    var exchange: Exchange {
        get throws {
            try Self.exchange(
                status: self.details.status ?? 200,
                headers: (self.details.headers ?? [:]).sorted { $0.key < $1.key }
                    .map { HTTPHeader($0.key, $0.value) },
                body: self.body ?? [],
                failure: self.details.failure
            )
        }
    }

    /// Returns the exchange that the engine would have been given.
    ///
    /// - Throws: `ValidationError` for a status that no upstream can answer with, and for a failure that no
    ///   transfer can have.
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
