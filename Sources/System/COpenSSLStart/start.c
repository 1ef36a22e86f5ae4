#include "COpenSSLStart.h"

#include <openssl/crypto.h>

// By a handler of atexit(), OpenSSL frees all that it holds when the process calls exit(). It also frees what other
// threads are to free when they end, and takes no lock for that (init_thread_deregister in crypto/initthread.c; see
// openssl/openssl#6214). Swift calls exit() as soon as the main task has returned, while the thread of the work, and
// those of librdkafka and dispatch, may be ending or still use OpenSSL. The same memory was then freed twice, and a
// program whose work was done died of "malloc_consolidate(): unaligned fastbin chunk detected".
//
// With this option the handler is never registered, and the system takes the memory back. OpenSSL accepts the option
// only before its first use, which may come from librdkafka or libcurl. A constructor comes before both.
__attribute__((constructor)) static void leaveMemoryToTheSystem(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
