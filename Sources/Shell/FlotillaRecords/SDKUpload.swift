package import WireFormats

/// An upload of GrowingIO's SDKs: the HTTP request with which a phone sent its events.
///
/// On a topic, the body is the value, the request's headers are the record's headers, and the header
/// `upload.target` holds the request's path and query.
public struct SDKUpload: Hashable, Sendable {
    package var request: SDKUploadRequest

    /// Makes an upload from the request that a phone has sent.
    ///
    /// - Parameters:
    ///   - target: The path and the query: `/v3/projects/{account}/collect?stm={ms}`.
    ///   - headers: The names and values of the HTTP headers; the case of a name does not matter.
    ///   - clientIP: The address that the request came from; nil if it is unknown.
    public init(
        target: String,
        headers: [(name: String, value: String)],
        clientIP: String? = nil,
        body: [UInt8]
    ) {
        self.request = SDKUploadRequest(target: target, headers: headers, clientIP: clientIP, body: body)
    }

    /// Reads a record that holds an upload; nil if its value or the header `upload.target` is missing.
    public init?(_ record: Record) {
        guard let request = SDKUploadRequest(of: record.inbound) else { return nil }
        self.request = request
    }

    /// The path and the query of the request.
    public var target: String { self.request.target }
    /// The number of the encryption, as the header `X-Crypt-Codec` names it; nil if there is none.
    public var cryptCodec: String? { self.request.cryptCodec }
    /// The bytes of the body as they were sent.
    public var body: [UInt8] { self.request.body }

    /// Returns a record that holds the upload.
    public func record(to topic: String = "sdk-upload", key: [UInt8]? = nil) -> OutgoingRecord {
        let texts: [(String, String?)] = [
            (SDKUploadRequest.targetHeader, self.request.target),
            (SDKUploadRequest.methodHeader, self.request.method),
            (SDKUploadRequest.clientIPHeader, self.request.clientIP),
            ("content-type", self.request.contentType),
            ("x-compress-codec", self.request.compressCodec),
            ("x-crypt-codec", self.request.cryptCodec),
        ]
        let headers = texts.compactMap { name, text in text.map { Header(name, $0) } }
        return OutgoingRecord(topic: topic, key: key, value: self.request.body, headers: headers)
    }

    /// Decrypts, decompresses and decodes the upload as a whole, or not at all.
    ///
    /// - Parameter ciphers: Encryptions of your own. One with the number of a standard one replaces it.
    /// - Throws: `RecordError` with a code such as `upload.lz4_offset`. The phone has chosen every byte of an
    ///   upload, and the same bytes fail again.
    public func events(ciphers: [any UploadCipher] = []) throws(RecordError) -> SDKEvents {
        do throws(SDKUploadFault) {
            return SDKEvents(
                try WireFormats.SDKUpload(decoding: self.request, ciphers: UploadCiphers(ciphers))
            )
        } catch {
            throw RecordError(error.reason)
        }
    }
}

/// The events of one upload. A phone sends an upload again until it is answered, so events can come twice.
public struct SDKEvents: Sendable {
    /// The account of the project that the upload names. The phone has chosen it.
    public var account: String
    /// The events that say whose they are, from which app, and when they happened.
    public var events: [SDKEvent]
    /// The number of events that do not say so.
    public var dropped: Int

    init(_ upload: WireFormats.SDKUpload) {
        self.account = upload.account
        self.events = upload.events.map(SDKEvent.init)
        self.dropped = upload.dropped
    }
}

/// One event of an upload.
public struct SDKEvent: Hashable, Sendable {
    /// The type, such as `ACTIVATE` or `PAGE`. A reader must expect more.
    public var type: String
    /// The event as one JSON object, as the SDK's own JSON has it, whichever form the upload had.
    public var json: [UInt8]

    init(_ event: WireFormats.SDKEvent) {
        self.type = event.type.name
        self.json = event.json
    }
}
