import COpenSSL
import Cryptography
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
}
