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
        // Longer names are none of these, and a record's publisher chooses them.
        guard name.utf8.count <= 32 else { return }
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
        let target = self.target.utf8Span.span
        guard target.count <= Self.targetLengthLimit else { return nil }
        let path = target.extracting(..<target.firstIndex(of: UInt8(ascii: "?")))
        guard path.starts(with: Self.parents) else { return nil }
        let rest = path.extracting(Self.parents.count...)
        let account = rest.extracting(..<rest.firstIndex(of: UInt8(ascii: "/")))
        let name = rest.extracting(account.count...)
        guard (1...Self.accountLengthLimit).contains(account.count),
            account.indices.allSatisfy({ account[$0].isVisible }),
            name.count == Self.name.count, name.starts(with: Self.name)
        else { return nil }
        return Self.string(account)
    }

    /// The path of an upload before and after the account.
    private static let parents = Array("/v3/projects/".utf8)
    private static let name = Array("/collect".utf8)
    private static let accountLengthLimit = 128
    /// The most bytes of a target, as web servers have it.
    private static let targetLengthLimit = 8_192

    /// The key of the encryption: the lowest byte of `stm` in the query, which is a decimal number of up to
    /// 64 bits; nil if there is none. (The header `X-Timestamp` is read a little later and may differ.)
    var factor: UInt8? {
        let target = self.target.utf8Span.span
        var start = target.firstIndex(of: UInt8(ascii: "?")) + 1
        while start < target.count {
            let rest = target.extracting(start...)
            let part = rest.extracting(..<rest.firstIndex(of: UInt8(ascii: "&")))
            if part.starts(with: Self.time) {
                return Self.string(part.extracting(Self.time.count...))?.utf8.decimal(as: UInt64.self)
                    .map { UInt8(truncatingIfNeeded: $0) }
            }
            start += part.count + 1
        }
        return nil
    }

    private static let time = Array("stm=".utf8)

    private static func string(_ bytes: Span<UInt8>) -> String? {
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }
}

extension Span<UInt8> {
    /// Returns where a byte is first; the end if it is nowhere.
    fileprivate func firstIndex(of byte: UInt8) -> Int {
        var index = 0
        while index < self.count, self[index] != byte { index += 1 }
        return index
    }

    fileprivate func starts(with other: [UInt8]) -> Bool {
        guard self.count >= other.count else { return false }
        for index in other.indices where self[index] != other[index] { return false }
        return true
    }
}
