internal import CCurl
internal import Glibc

/// One libcurl easy handle and what it carries at the moment. Made once, used for one exchange after
/// another: what never changes is set once, and only what differs from the exchange before is set again.
///
/// libcurl holds unretained pointers to a transfer. The client keeps every transfer it made until it has
/// closed all handles.
@safe final class Transfer {
    /// A body that the upstream has taken is let go of beyond this size, so that one large request does
    /// not occupy memory for ever.
    private static let keptBodyLimit = 64 << 10
    private static let headerBytesLimit = 64 << 10

    let slot: Int32
    let easy: UnsafeMutableRawPointer
    /// The caller's name for the current exchange.
    private(set) var id: UInt64 = 0
    /// The shard that carries the current exchange.
    var shard = -1
    var nextInBucket: Int32 = -1

    private let responseBytesLimit: Int
    private var method = HTTPRequest.Method.get
    private var hasLargeBody = false
    private var headers: [HTTPHeader] = []
    private var headerList = HeaderList()

    private var body: [UInt8] = []
    private var headerBytes = 0
    private var isOverLimit = false
    /// How often libcurl was about to put the current request on a connection.
    private var sendings = 0

    /// Nil if libcurl has no memory left.
    init?(slot: Int32, settings: HTTPClientSettings, sockets: SocketTable, share: UnsafeMutableRawPointer) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        self.slot = slot
        unsafe self.easy = easy
        self.responseBytesLimit = settings.responseBytesLimit
        guard unsafe self.setConstants(settings, sockets, share) == CURLE_OK else { return nil }
    }

    deinit { unsafe curl_easy_cleanup(self.easy) }

    private func setConstants(
        _ settings: HTTPClientSettings,
        _ sockets: SocketTable,
        _ share: UnsafeMutableRawPointer
    ) -> CURLcode {
        let easy = unsafe self.easy
        var codes: [CURLcode] = unsafe [
            ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
            ccurl_set_string(easy, CURLOPT_USERAGENT, settings.userAgent),
            // Where a request goes is not for the environment to say.
            ccurl_set_string(easy, CURLOPT_PROXY, ""),
            ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0),
            ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1),
            ccurl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0),
            ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1),
            ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2),
            ccurl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.wholeMilliseconds),
            ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, settings.requestTimeout.wholeMilliseconds),
            ccurl_set_long(
                easy,
                CURLOPT_MAXAGE_CONN,
                settings.idleConnectionLifetime.wholeMilliseconds / 1_000
            ),
            ccurl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, Int(settings.responseBytesLimit)),
            ccurl_set_pointer(easy, CURLOPT_SHARE, share),
            ccurl_set_pointer(easy, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque()),
        ]
        switch settings.httpVersion {
        case .http1:
            unsafe codes.append(ccurl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1))
        case .http2:
            unsafe codes.append(ccurl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS))
            // Rather a stream on the connection that is being made than a connection of its own.
            unsafe codes.append(ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1))
        }
        if let file = settings.certificateAuthorityFile {
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_CAINFO, file))
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_CAPATH, nil))
        }
        codes.append(contentsOf: self.setCallbacks())
        unsafe codes.append(contentsOf: sockets.setCallbacks(on: easy))
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private func setCallbacks() -> [CURLcode] {
        let easy = unsafe self.easy
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe [
            ccurl_set_pointer(easy, CURLOPT_WRITEDATA, this),
            ccurl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                guard let context = unsafe context else { return 0 }
                let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return unsafe transfer.received(UnsafeRawBufferPointer(start: bytes, count: size &* count))
            },
            ccurl_set_pointer(easy, CURLOPT_HEADERDATA, this),
            ccurl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { _, size, count, context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    .receivedHeader(byteCount: size &* count)
            },
            ccurl_set_pointer(easy, CURLOPT_PREREQDATA, this),
            ccurl_set_before_sending(easy) { context, _, _, _, _ in
                guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
                let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            },
        ]
    }
}

/// What libcurl asks and tells while an exchange is under way.
extension Transfer {
    fileprivate func received(_ bytes: UnsafeRawBufferPointer) -> Int {
        // Less than was offered makes libcurl give up.
        guard self.body.count + bytes.count <= self.responseBytesLimit else {
            self.isOverLimit = true
            return 0
        }
        unsafe self.body.append(contentsOf: bytes)
        return bytes.count
    }

    fileprivate func receivedHeader(byteCount: Int) -> Int {
        self.headerBytes += byteCount
        guard self.headerBytes <= Self.headerBytesLimit else {
            self.isOverLimit = true
            return 0
        }
        return byteCount
    }

    /// libcurl sends a request again by itself when a connection that it had kept ends before the first
    /// byte of an answer, because servers close idle connections at any moment. A GET may be repeated so,
    /// once; a POST may not: its second sending is stopped here, and the caller hears of a cut.
    fileprivate func maySend() -> Bool {
        guard self.sendings < self.sendingsLimit else { return false }
        self.sendings += 1
        return true
    }

    private var sendingsLimit: Int {
        switch self.method {
        case .get: 2
        case .post: 1
        }
    }
}

extension Transfer {
    /// Loads the handle with a request that `HTTPRequest.refusal` has passed.
    func prepare(_ request: HTTPRequest, id: UInt64) throws(TransferError) {
        self.id = id
        self.headerBytes = 0
        self.isOverLimit = false
        self.sendings = 0
        if unsafe request.headers != self.headers || self.headerList.head == nil {
            try self.setHeaders(request.headers)
        }
        // The URL is copied by libcurl.
        var code = unsafe ccurl_set_string(self.easy, CURLOPT_URL, request.url)
        if code == CURLE_OK && (request.method != .get || self.method != .get) {
            code = self.setMethod(request)
        }
        guard code == CURLE_OK else {
            throw TransferError(code: code, wasSent: false)
        }
    }

    private func setHeaders(_ headers: [HTTPHeader]) throws(TransferError) {
        unsafe ccurl_set_headers(self.easy, nil)
        self.headers = []
        self.headerList = HeaderList()
        do {
            try self.headerList.fill(headers)
        } catch {
            self.headerList = HeaderList()
            throw error
        }
        self.headers = headers
        unsafe ccurl_set_headers(self.easy, self.headerList.head)
    }

    private func setMethod(_ request: HTTPRequest) -> CURLcode {
        let easy = unsafe self.easy
        self.method = request.method
        switch request.method {
        case .get:
            return unsafe ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
        case .post:
            let body = request.body ?? []
            self.hasLargeBody = body.count > Self.keptBodyLimit
            // The size comes first: libcurl copies as many bytes as it knows of.
            for code in unsafe [
                ccurl_set_long(easy, CURLOPT_POST, 1),
                ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, body.count),
            ] where code != CURLE_OK {
                return code
            }
            guard !body.isEmpty else {
                return unsafe ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
            }
            return unsafe body.withUnsafeBytes {
                unsafe ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
            }
        }
    }

    /// What became of the exchange, once libcurl has finished with it.
    func outcome(
        _ code: CURLcode,
        keeping keptHeaders: [String]
    ) -> Result<HTTPResponse, TransferError> {
        guard code == CURLE_OK else {
            return .failure(self.error(code))
        }
        var response = unsafe HTTPResponse(status: ccurl_get_status(self.easy))
        for name in keptHeaders {
            if let value = self.header(name) {
                response.headers.append(HTTPHeader(name, value))
            }
        }
        swap(&response.body, &self.body)
        return .success(response)
    }

    /// The exchange was ended by us.
    var cancellation: TransferError {
        TransferError(kind: .cancelled, mayHaveBeenSent: self.sendings > 0, message: "cancelled")
    }

    /// Lets go of what the exchange held and the next does not need.
    func reset() {
        self.body = []
        if self.hasLargeBody {
            unsafe ccurl_set_pointer(self.easy, CURLOPT_POSTFIELDS, nil)
            self.hasLargeBody = false
        }
    }

    private func error(_ code: CURLcode) -> TransferError {
        let wasSent = self.sendings > 0
        if code == CURLE_WRITE_ERROR && self.isOverLimit {
            return TransferError(
                kind: .tooLarge,
                mayHaveBeenSent: wasSent,
                message: "the answer is longer than the limit"
            )
        }
        if code == CURLE_ABORTED_BY_CALLBACK {
            return TransferError(
                kind: .cut,
                mayHaveBeenSent: wasSent,
                message: "the kept connection ended before an answer; not sent again"
            )
        }
        return TransferError(code: code, wasSent: wasSent)
    }

    private func header(_ name: String) -> String? {
        var found: UnsafeMutablePointer<curl_header>?
        guard
            unsafe curl_easy_header(self.easy, name, 0, UInt32(CURLH_HEADER), -1, &found) == CURLHE_OK,
            let found = unsafe found
        else { return nil }
        return unsafe String(cString: found.pointee.value)
    }
}
