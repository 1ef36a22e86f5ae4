internal import CCurl

extension TransferError {
    /// Converts an error of libcurl. The message is only the fixed text of the code, because libcurl's error
    /// buffer may quote the host and the path.
    init(code: CURLcode, wasSent: Bool) {
        self.init(
            kind: Kind(code: code, wasSent: wasSent),
            mayHaveBeenSent: wasSent,
            message: unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) } ?? "unknown"
        )
    }

    static func refused(_ reason: String) -> TransferError {
        TransferError(kind: .other, mayHaveBeenSent: false, message: reason)
    }
}

extension TransferError.Kind {
    fileprivate init(code: CURLcode, wasSent: Bool) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self = .resolve
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            self = .connect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            self = .tls
        case CURLE_OPERATION_TIMEDOUT:
            self = .timeout
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
            CURLE_HTTP2_STREAM:
            // A connection that ends before the request was sent counts as one that could not be made.
            self = wasSent ? .cut : .connect
        // libcurl reports an answer without a status line as an unsupported protocol.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = wasSent ? .malformed : .other
        case CURLE_FILESIZE_EXCEEDED:
            self = .tooLarge
        // libcurl reports a header line beyond its own limit of 100 KiB as memory that ran out.
        case CURLE_OUT_OF_MEMORY:
            self = wasSent ? .tooLarge : .other
        default:
            self = .other
        }
    }
}
