/* Lets valgrind 3.19 run a Swift program. valgrind writes into the mask that is given to sigsuspend(2), and Swift's
 * main thread, which sleeps there, gives one in memory that cannot be written to. Preloaded, this gives a copy. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
