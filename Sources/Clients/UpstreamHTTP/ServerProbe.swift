internal import CCurl

/// A look at a server that sends no request: name, connection, TLS handshake.
package struct ServerProbe: Hashable, Sendable {
    /// The server's certificates in PEM, its own first; empty for a URL of http.
    package var certificates: [String]

    /// Connects to the server of a URL, and closes the connection again. Certificates and host names are
    /// verified as for every request. Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - longest: the time until the handshake has to be finished. The lookup of a name may take longer.
    ///   - certificateAuthorityFile: as in `HTTPClientSettings`.
    /// - Throws: an error that says at which step it failed.
    package init(
        _ url: String,
        longest: Duration,
        certificateAuthorityFile: String? = nil
    ) throws(TransferError) {
        guard let easy = unsafe curl_easy_init() else { throw .refused("no memory for a connection") }
        defer { unsafe curl_easy_cleanup(easy) }
        var codes: [CURLcode] = unsafe [
            ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https"),
            ccurl_set_string(easy, CURLOPT_URL, url),
            // An empty proxy keeps libcurl from taking the address of a proxy from the environment.
            ccurl_set_string(easy, CURLOPT_PROXY, ""),
            ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            ccurl_set_long(easy, CURLOPT_CONNECT_ONLY, 1),
            ccurl_set_long(easy, CURLOPT_CERTINFO, 1),
            ccurl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, longest.millisecondsRoundedUp),
            ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, longest.millisecondsRoundedUp),
        ]
        if let file = certificateAuthorityFile {
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_CAINFO, file))
            unsafe codes.append(ccurl_set_string(easy, CURLOPT_CAPATH, nil))
        }
        if let code = codes.first(where: { $0 != CURLE_OK }) {
            throw TransferError(code: code, wasSent: false)
        }
        let code = unsafe curl_easy_perform(easy)
        guard code == CURLE_OK else { throw TransferError(code: code, wasSent: false) }
        self.certificates = unsafe Self.certificates(of: easy)
    }

    /// Reads the list of libcurl: for each certificate a list of `name:value`, of which `Cert` is the PEM.
    private static func certificates(of easy: UnsafeMutableRawPointer) -> [String] {
        guard let found = unsafe ccurl_get_certificates(easy), let lists = unsafe found.pointee.certinfo
        else {
            return []
        }
        var certificates: [String] = []
        for index in 0..<Int(unsafe found.pointee.num_of_certs) {
            var entry = unsafe lists[index]
            while let line = unsafe entry {
                if let data = unsafe line.pointee.data {
                    let text = unsafe String(cString: data)
                    if text.hasPrefix("Cert:") { certificates.append(String(text.dropFirst(5))) }
                }
                unsafe entry = line.pointee.next
            }
        }
        return certificates
    }
}
