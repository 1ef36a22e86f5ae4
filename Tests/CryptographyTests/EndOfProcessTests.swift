import COpenSSL
import Cryptography
import Foundation
import Glibc
import Testing

struct EndOfProcessTests {
    /// OpenSSL's own end of the process freed what threads that were ending freed too: `dead-letters groups` had printed
    /// its answer and died of "malloc_consolidate(): unaligned fastbin chunk detected".
    @Test func openSSLFreesNothingWhileTheProcessEnds() async {
        await #expect(processExitsWith: .exitCode(0)) {
            #expect(Digest.sha256(Array("anything".utf8)).count == 32)
            // OpenSSL calls this where it would free its memory.
            #expect(OPENSSL_atexit { _exit(3) } == 1)
            exit(0)
        }
    }

    /// The cause, made sure by a delay at the end of the process: this is what OpenSSL's handler would do.
    @Test func threadsDieWhereOpenSSLFreesItsMemory() async {
        await #expect(processExitsWith: .failure) {
            // The place of the crash is of no interest.
            for number in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            Self.keepThreadsBusy()
            OPENSSL_cleanup()
            // A busy machine may give the threads no time before.
            sleep(20)
            _exit(0)
        }
    }

    @Test func threadsMayBeBusyWhileTheProcessEnds() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // It runs after all handlers that are registered later.
            #expect(atexit { usleep(500_000) } == 0)
            Self.keepThreadsBusy()
            exit(0)
        }
    }

    /// Starts threads that use OpenSSL until the process ends, as those of librdkafka and libcurl may.
    private static func keepThreadsBusy() {
        for _ in 0..<4 {
            Thread.detachNewThread {
                while true {
                    let context = unsafe EVP_MD_CTX_new()
                    _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
                    unsafe EVP_MD_CTX_free(context)
                }
            }
        }
    }
}
