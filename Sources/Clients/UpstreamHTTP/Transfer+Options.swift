internal import CCurl

/// The options that a handle gets once, when it is made.
extension Transfer {
    func setConstants(
        _ settings: HTTPClientSettings,
        _ sockets: SocketTable,
        share: UnsafeMutableRawPointer
    ) -> CURLcode {
        let easy = unsafe self.easy
        var codes: [CURLcode] = unsafe [
            ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
            ccurl_set_string(easy, CURLOPT_USERAGENT, settings.userAgent),
            // An empty proxy keeps libcurl from taking the address of a proxy from the environment.
            ccurl_set_string(easy, CURLOPT_PROXY, ""),
            ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            // The end of a transfer waits for no thread that still looks a name up.
            ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1),
            ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0),
            ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1),
            ccurl_set_long(easy, CURLOPT_HTTP09_ALLOWED, 0),
            ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1),
            ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2),
            ccurl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout.millisecondsRoundedUp),
            ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, settings.requestTimeout.millisecondsRoundedUp),
            ccurl_set_long(
                easy,
                CURLOPT_MAXAGE_CONN,
                settings.idleConnectionLifetime.millisecondsRoundedUp / 1_000
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
            // A request waits for a connection that is being made and becomes a stream of it, instead of
            // opening a connection of its own.
            unsafe codes.append(ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1))
        }
        if let file = settings.certificateAuthorityFile {
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_CAINFO, file))
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_CAPATH, nil))
            // libcurl keeps authorities for a day by default. A changed file counts for new connections after this time.
            unsafe codes.append(ccurl_set_long(easy, CURLOPT_CA_CACHE_TIMEOUT, Self.authoritiesAge))
            // A resumed session is not verified again, so a server of a removed authority would stay trusted.
            unsafe codes.append(ccurl_set_long(easy, CURLOPT_SSL_SESSIONID_CACHE, 0))
        }
        if let path = settings.unixSocket {
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, path))
        }
        codes.append(contentsOf: self.setCallbacks())
        unsafe codes.append(contentsOf: sockets.setCallbacks(on: easy))
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    /// How long the authorities of a file are kept, in seconds.
    private static var authoritiesAge: Int { 10 }

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
            ccurl_set_before_sending(easy) { context, address, _, _, _ in
                guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
                let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                guard unsafe transfer.mayReach(address) else { return CURL_PREREQFUNC_ABORT }
                return transfer.maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            },
            ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this),
            ccurl_set_open_socket(easy) { context, _, address in
                guard let context = unsafe context, let address = unsafe address else { return -1 }
                let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                return unsafe transfer.openSocket(to: address)
            },
        ]
    }
}

/// The calls that libcurl makes during an exchange.
extension Transfer {
    fileprivate func received(_ bytes: UnsafeRawBufferPointer) -> Int {
        // Returning less than libcurl offered makes it end the transfer.
        guard self.body.count + bytes.count <= self.responseBytesLimit else {
            self.isOverLimit = true
            return 0
        }
        unsafe self.body.append(contentsOf: bytes)
        self.hold(bytes.count)
        return bytes.count
    }

    /// Receives one line with its line end, either of a header section or of the trailer after a body.
    fileprivate func receivedHeader(_ line: UnsafeRawBufferPointer) -> Int {
        self.headerBytes += line.count
        guard self.headerBytes <= Self.headerBytesLimit else {
            self.isOverLimit = true
            return 0
        }
        if line.count <= 2 {
            self.headerSectionEnded = true
        } else if unsafe line[0] == UInt8(ascii: "H"), unsafe line.starts(with: "HTTP/".utf8) {
            // A new status line follows an interim answer, so another header section begins.
            self.headerSectionEnded = false
        }
        return line.count
    }

    /// Opens a socket for a connection, unless its address is out of reach.
    fileprivate func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        let target = unsafe address.pointee
        if self.reach == .publicInternet {
            // The address is the last member, and is longer than its type for some families.
            guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr),
                unsafe PublicAddress.isPublic(
                    UnsafeRawPointer(address) + start,
                    family: target.family,
                    length: target.addrlen
                )
            else {
                self.hasRefusedAddress = true
                return -1
            }
        }
        return self.sockets.open(target.family, target.socktype, protocol: target.protocol)
    }

    /// Returns whether the request may be sent on a connection to this address. The connection may be a kept
    /// one that another request opened.
    fileprivate func mayReach(_ address: UnsafePointer<CChar>?) -> Bool {
        guard self.reach == .publicInternet else { return true }
        if let address = unsafe address, unsafe PublicAddress.isPublic(address) { return true }
        self.hasRefusedAddress = true
        return false
    }

    /// Returns whether libcurl may send the request now, which is true only the first time.
    ///
    /// If a kept connection ends before the first byte of an answer, libcurl sends the request again by
    /// itself. The upstream must not carry out a request twice without the caller's knowledge, so the second
    /// sending is stopped here. The caller gets the error `cut`, with the remark that the request may have
    /// been sent, and decides what to do.
    fileprivate func maySend() -> Bool {
        guard self.sendings == 0 else { return false }
        self.sendings = 1
        return true
    }
}
