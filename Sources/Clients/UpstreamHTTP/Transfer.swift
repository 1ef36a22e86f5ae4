internal import CCurl

/// One libcurl easy handle and the exchange that it carries at the moment.
///
/// A transfer is made once and used for one exchange after another. Options that never change are set once,
/// and of the others only those that differ from the exchange before are set again.
///
/// libcurl holds unretained pointers to a transfer. The client therefore keeps every transfer until it has
/// closed all handles.
@safe final class Transfer {
    /// The largest request body, in bytes, that libcurl may keep after the exchange. Larger ones are freed,
    /// so that one large request does not occupy memory for the life of the client.
    private static let keptBodyLimit = 64 << 10
    static let headerBytesLimit = 64 << 10

    let easy: UnsafeMutableRawPointer
    /// The caller's number for the current exchange.
    private(set) var id: UInt64 = 0
    /// The index of the shard that carries the current exchange, or -1.
    var shard = -1

    let responseBytesLimit: Int
    private let meter: ByteMeter
    /// The bytes that this exchange holds, as the meter has counted them.
    private var heldBytes = 0
    var method = HTTPRequest.Method.get
    private var hasLargeBody = false
    /// The scheme, host and port that libcurl was given last.
    var origin = ""
    /// That origin in libcurl's parsed form.
    let address: OpaquePointer
    private var headers: [HTTPHeader] = []
    private var headerList = HeaderList()

    var body: [UInt8] = []
    var headerBytes = 0
    var headerSectionEnded = false
    var isOverLimit = false
    var reach = HTTPRequest.Reach.everywhere
    /// Whether an address of the host was refused because of `reach`.
    var hasRefusedAddress = false
    /// The sockets of the client, through which libcurl opens connections.
    let sockets: SocketTable
    /// The number of times that libcurl was about to send the current request on a connection.
    var sendings = 0

    /// Makes a handle and sets its constant options. Nil if libcurl has no memory left or refuses an option.
    init?(
        settings: HTTPClientSettings,
        sockets: SocketTable,
        share: UnsafeMutableRawPointer,
        meter: ByteMeter
    ) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        guard let address = unsafe curl_url() else {
            unsafe curl_easy_cleanup(easy)
            return nil
        }
        unsafe self.easy = easy
        unsafe self.address = address
        self.responseBytesLimit = settings.responseBytesLimit
        self.meter = meter
        self.sockets = sockets
        guard unsafe self.setConstants(settings, sockets, share: share) == CURLE_OK else { return nil }
    }

    deinit {
        unsafe curl_easy_cleanup(self.easy)
        unsafe curl_url_cleanup(self.address)
    }
}

extension Transfer {
    /// Prepares the handle for a request that `HTTPRequest.refusal` has accepted.
    ///
    /// - Throws: an error for a header that must not be sent, or the error of libcurl.
    func prepare(_ request: HTTPRequest, id: UInt64) throws(TransferError) {
        self.id = id
        self.headerBytes = 0
        self.headerSectionEnded = false
        self.isOverLimit = false
        self.sendings = 0
        self.reach = request.reach
        self.hasRefusedAddress = false
        if unsafe request.headers != self.headers || self.headerList.head == nil {
            try self.setHeaders(request.headers)
        }
        var code = self.setTarget(request.url)
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
            self.hold(body.count)
            // The size must be set first, since libcurl copies as many bytes as it was told of.
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

    /// Returns the result of the exchange, once libcurl has finished it.
    func outcome(
        _ code: CURLcode,
        keeping keptHeaders: [String]
    ) -> Result<HTTPResponse, TransferError> {
        guard code == CURLE_OK else {
            return .failure(self.error(code))
        }
        var response = unsafe HTTPResponse(status: ccurl_get_status(self.easy))
        // If a connection ends within the header section, or after an interim answer, libcurl reports the end
        // of an empty body.
        guard self.headerSectionEnded, response.status >= 200 else {
            return .failure(TransferError(code: CURLE_PARTIAL_FILE, wasSent: true))
        }
        for name in keptHeaders {
            if let value = self.header(name) {
                response.headers.append(HTTPHeader(name, value))
            }
        }
        swap(&response.body, &self.body)
        return .success(response)
    }

    /// The error of an exchange that its caller ends before the timeout.
    var timeout: TransferError { self.error(CURLE_OPERATION_TIMEDOUT) }

    /// Frees the memory of the exchange that the next one does not need.
    func reset() {
        self.body = []
        self.hold(-self.heldBytes)
        if self.hasLargeBody {
            unsafe ccurl_set_pointer(self.easy, CURLOPT_POSTFIELDS, nil)
            self.hasLargeBody = false
        }
    }

    /// Counts so many more bytes as held by the exchange. A negative number gives bytes back.
    func hold(_ bytes: Int) {
        self.heldBytes += bytes
        self.meter.bytes += bytes
    }

    private func error(_ code: CURLcode) -> TransferError {
        let wasSent = self.sendings > 0
        if self.hasRefusedAddress && !wasSent {
            return TransferError(
                kind: .address,
                mayHaveBeenSent: false,
                message: "the host has no address of the public internet"
            )
        }
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

    private static func withoutLineEnds(_ value: String) -> String {
        let bytes = value.utf8.filter { $0 != 0x0D && $0 != 0x0A }
        return String(decoding: bytes.drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    private func header(_ name: String) -> String? {
        var found: UnsafeMutablePointer<curl_header>?
        guard
            unsafe curl_easy_header(self.easy, name, 0, UInt32(CURLH_HEADER), -1, &found) == CURLHE_OK,
            let found = unsafe found
        else { return nil }
        let value = unsafe String(cString: found.pointee.value)
        // For a field without a value, libcurl 7.88 returns the line end as the value.
        return value.contains(where: \.isNewline) ? Self.withoutLineEnds(value) : value
    }
}
