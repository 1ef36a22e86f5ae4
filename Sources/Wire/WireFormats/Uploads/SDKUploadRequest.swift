package import Records

/// The HTTP request with which one of GrowingIO's SDKs uploads events, as far as decoding needs it:
/// `POST /v3/projects/{account}/collect?stm={ms}`.
///
/// A request becomes a record as follows: its body is the value, its headers are the record's headers, in any
/// case, and three more headers say what else is known of it.
///
/// | header | meaning |
/// |---|---|
/// | `upload.target` | the request's target, path and query; it marks a record as an upload |
/// | `upload.method` | the request's method; POST if it is absent |
/// | `upload.client_ip` | the address from which the request came, if it is known |
package struct SDKUploadRequest: Hashable, Sendable {
    package static let targetHeader = "upload.target"
    package static let methodHeader = "upload.method"
    package static let clientIPHeader = "upload.client_ip"

    /// The request's method, such as `POST`.
    package var method: String
    /// The path with its query.
    package var target: String
    package var contentType: String?
    package var compressCodec: String?
    package var cryptCodec: String?
    /// The address of the device, or of the last proxy before the edge; nil if it is unknown.
    package var clientIP: String?
    package var body: [UInt8]

    /// Makes a request from the names and values of its HTTP headers; case does not matter, and the last of
    /// two headers with the same name counts.
    package init(
        method: String = "POST",
        target: String,
        headers: [(name: String, value: String)],
        clientIP: String? = nil,
        body: [UInt8]
    ) {
        self.method = method
        self.target = target
        self.clientIP = clientIP
        self.body = body
        for (name, value) in headers { self.take(name, value) }
    }

    /// Reads a record that holds an upload; nil if the header that marks it, or the value, is missing.
    package init?(of record: borrowing InboundRecord) {
        guard let target = record.header(Self.targetHeader), let body = record.value else { return nil }
        func text(_ name: String) -> String? {
            record.header(name).map { String(decoding: $0, as: UTF8.self) }
        }
        self.init(
            method: text(Self.methodHeader) ?? "POST",
            target: String(decoding: target, as: UTF8.self),
            headers: record.headers.map {
                ($0.name, String(decoding: $0.value ?? [], as: UTF8.self))
            },
            clientIP: text(Self.clientIPHeader).flatMap { IPAddress.isValid($0) ? $0 : nil },
            body: body
        )
    }

    /// Returns the record that holds this upload, without a key. `init(of:)` reads it again.
    package func record(to topic: String) -> OutboundRecord {
        let texts = [
            (Self.targetHeader, self.target), (Self.methodHeader, self.method),
            (Self.clientIPHeader, self.clientIP), ("content-type", self.contentType),
            ("x-compress-codec", self.compressCodec), ("x-crypt-codec", self.cryptCodec),
        ]
        return OutboundRecord(
            topic: topic,
            value: self.body,
            headers: texts.compactMap { name, text in text.map { RecordHeader(name, $0) } }
        )
    }

    private mutating func take(_ name: String, _ value: String) {
        let value = value.isEmpty ? nil : value
        switch name.lowercased() {
        case "content-type": self.contentType = value
        case "x-compress-codec": self.compressCodec = value
        case "x-crypt-codec": self.cryptCodec = value
        default: break
        }
    }

    // MARK: - Parts of the target

    /// The account of the project; nil if the target is none to which an SDK uploads.
    package var account: String? {
        guard self.target.utf8.count <= Self.targetLengthLimit else { return nil }
        let path = self.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1].elementsEqual("v3".utf8),
            parts[2].elementsEqual("projects".utf8), parts[4].elementsEqual("collect".utf8),
            (1...Self.accountLengthLimit).contains(parts[3].count), parts[3].allSatisfy(\.isVisible)
        else { return nil }
        return String(parts[3])
    }

    private static let accountLengthLimit = 128
    /// The most bytes of a target, as web servers have it. A longer one would be split into millions of parts.
    private static let targetLengthLimit = 8_192

    /// The key of the encryption: the lowest byte of `stm` in the query, which is a decimal number of up to
    /// 64 bits; nil if there is none. (The header `X-Timestamp` is read a little later and may differ.)
    var factor: UInt8? {
        guard let query = self.target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let name = "stm="
        for part in self.target.utf8[query...].dropFirst().split(separator: UInt8(ascii: "&"))
        where part.starts(with: name.utf8) {
            let digits = part.dropFirst(name.utf8.count)
            guard digits.allSatisfy(\.isDigit), let stm = UInt64(Substring(digits)) else { return nil }
            return UInt8(truncatingIfNeeded: stm)
        }
        return nil
    }
}
