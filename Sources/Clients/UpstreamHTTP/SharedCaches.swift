internal import CCurl
internal import Glibc

/// The caches that the shards of one client share: resolved names and TLS sessions. Only one thread uses
/// them, so libcurl needs no locks.
@safe final class SharedCaches {
    let handle: UnsafeMutableRawPointer

    /// Whether libcurl's own initialization has succeeded. It runs once in a process.
    private static let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Makes the caches. Nil if libcurl cannot be initialized or has no memory left.
    init?() {
        guard Self.curlIsReady, let handle = unsafe curl_share_init() else { return nil }
        unsafe self.handle = handle
        for data in [CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_SSL_SESSION]
        where unsafe ccurl_share(handle, data) != CURLSHE_OK {
            return nil
        }
    }

    /// Every transfer that uses the caches must be gone by now, since libcurl refuses to free them otherwise.
    deinit { unsafe curl_share_cleanup(self.handle) }

    static func canRead(_ file: String) -> Bool { unsafe access(file, R_OK) == 0 }
}
