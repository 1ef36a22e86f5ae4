internal import CCurl
internal import Glibc

/// What the shards of one client have in common: resolved names and TLS sessions. One thread uses it, so
/// that libcurl needs no locks.
@safe final class SharedCaches {
    let handle: UnsafeMutableRawPointer

    /// libcurl's own initialisation, once in the life of a process.
    private static let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Nil if libcurl cannot be initialised or has no memory left.
    init?() {
        guard Self.curlIsReady, let handle = unsafe curl_share_init() else { return nil }
        unsafe self.handle = handle
        for data in [CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_SSL_SESSION]
        where unsafe ccurl_share(handle, data) != CURLSHE_OK {
            return nil
        }
    }

    /// Every transfer that uses the caches is gone by now: libcurl refuses otherwise.
    deinit { unsafe curl_share_cleanup(self.handle) }

    static func canRead(_ file: String) -> Bool { unsafe access(file, R_OK) == 0 }
}
