internal import CCurl

/// What a handle is told once.
extension Transfer {
    func setConstants(
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
            ccurl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                guard let context = unsafe context else { return 0 }
                let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return unsafe transfer.receivedHeader(
                    UnsafeRawBufferPointer(start: bytes, count: size &* count)
                )
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
        self.hold(bytes.count)
        return bytes.count
    }

    /// One line, with its line break: of a header section, or of the trailer after a body.
    fileprivate func receivedHeader(_ line: UnsafeRawBufferPointer) -> Int {
        self.headerBytes += line.count
        guard self.headerBytes <= Self.headerBytesLimit else {
            self.isOverLimit = true
            return 0
        }
        if line.count <= 2 {
            self.headerSectionEnded = true
        } else if unsafe line[0] == UInt8(ascii: "H"), unsafe line.starts(with: "HTTP/".utf8) {
            // An answer after an interim one.
            self.headerSectionEnded = false
        }
        return line.count
    }

    /// libcurl sends a request again by itself when a connection that it had kept ends before the first byte of
    /// an answer. Nothing may be done twice in silence, so the second sending is stopped here: the caller hears of
    /// a cut, and that the request may have been sent, and decides.
    fileprivate func maySend() -> Bool {
        guard self.sendings == 0 else { return false }
        self.sendings = 1
        return true
    }
}
