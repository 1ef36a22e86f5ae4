/* A cheap HTTP/1.1 upstream on loopback: keep-alive, fixed answer, optional latency.
 *   upstream PORT LATENCY_MS [BODY]     (PORT 0: any; the port is printed) */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct conn {
    int fd;
    size_t n;
    long skip;
    char in[16384];
} conn;
typedef struct due {
    double at;
    conn *c;
} due;
static conn *conns[1 << 17];
static due *q;
static size_t qh, qt, qcap;
static char answer[2048];
static size_t alen;
static double lat;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void put(conn *c) {
    if (write(c->fd, answer, alen) < 0) { /* peer went away: its close arrives by itself */
    }
}
static void serve(conn *c) {
    for (;;) {
        if (c->skip > 0) {
            size_t d = (size_t)c->skip < c->n ? (size_t)c->skip : c->n;
            memmove(c->in, c->in + d, c->n - d);
            c->n -= d;
            c->skip -= d;
            if (c->skip) return;
        }
        char *e = memmem(c->in, c->n, "\r\n\r\n", 4);
        if (!e) return;
        size_t h = e - c->in + 4;
        char save = c->in[h - 1];
        c->in[h - 1] = 0;
        char *l = strcasestr(c->in, "content-length:");
        c->skip = l ? atol(l + 15) : 0;
        c->in[h - 1] = save;
        memmove(c->in, c->in + h, c->n - h);
        c->n -= h;
        if (lat <= 0)
            put(c);
        else {
            if (qt - qh == qcap) {
                size_t o = qcap;
                qcap = qcap ? qcap * 2 : 4096;
                due *nq = malloc(qcap * sizeof *nq);
                for (size_t i = 0; i < o; i++) nq[i] = q[(qh + i) % o];
                free(q);
                q = nq;
                qh = 0;
                qt = o;
            }
            q[qt++ % qcap] = (due){now() + lat, c};
        }
    }
}
int main(int c, char **v) {
    if (c < 3) {
        fprintf(stderr, "usage: upstream PORT LATENCY_MS [BODY]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    lat = atof(v[2]) / 1e3;
    const char *b = c > 3 ? v[3] : "{\"ret\":0,\"msg\":\"\"}";
    alen = snprintf(answer, sizeof answer,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                    strlen(b), b);
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons(atoi(v[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t al = sizeof a;
    if (bind(s, (void *)&a, sizeof a) || listen(s, 65535)) {
        perror("bind");
        return 1;
    }
    getsockname(s, (void *)&a, &al);
    printf("%d\n", ntohs(a.sin_port));
    fflush(stdout);
    int ep = epoll_create1(0);
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = s}, evs[512];
    epoll_ctl(ep, EPOLL_CTL_ADD, s, &ev);
    for (;;) {
        int t = -1;
        if (qt > qh) {
            double d = q[qh % qcap].at - now();
            t = d <= 0 ? 0 : (int)(d * 1e3) + 1;
        }
        int n = epoll_wait(ep, evs, 512, t);
        for (int i = 0; i < n; i++) {
            int fd = evs[i].data.fd;
            if (fd == s) {
                int k;
                while ((k = accept4(s, 0, 0, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(k, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                    if (k >= (1 << 17)) {
                        close(k);
                        continue;
                    }
                    if (!conns[k]) conns[k] = calloc(1, sizeof(conn));
                    conns[k]->fd = k;
                    conns[k]->n = 0;
                    conns[k]->skip = 0;
                    ev.events = EPOLLIN;
                    ev.data.fd = k;
                    epoll_ctl(ep, EPOLL_CTL_ADD, k, &ev);
                }
                continue;
            }
            conn *k = conns[fd];
            ssize_t r = read(fd, k->in + k->n, sizeof k->in - k->n);
            if (r <= 0) {
                if (r < 0 && errno == EAGAIN) continue;
                close(fd);
                continue;
            }
            k->n += r;
            serve(k);
        }
        double u = now();
        while (qt > qh && q[qh % qcap].at <= u) put(q[qh++ % qcap].c);
    }
}
