/* The floor: the job of a worker in plain C on the same libraries, with nothing that a user would
 * want beyond it. Consume -> HTTP request -> produce a result -> commit contiguously after the
 * broker acknowledged the result. No decoding, retry, breaker, dead letter, metrics or logging.
 *
 *   floor BROKERS TOPIC COUNT INFLIGHT URL     call URL once per record (GET with the record's offset)
 *   floor BROKERS TOPIC COUNT INFLIGHT -       pass-through: no HTTP, produce the value again
 *
 * Prints one JSON line: records, seconds from the first to the last record, CPU microseconds (user,
 * system) per record of this process over that span, peak resident KiB. */
#include <curl/curl.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PARTS 1024
#define RING (1 << 17)

typedef struct {
    int64_t base;
    int64_t next;
    unsigned char *done;
} ledger; /* contiguous commit */
typedef struct slot {
    CURL *easy;
    rd_kafka_message_t *m;
    size_t got;
    char body[256];
    struct slot *free;
} slot;

static ledger led[PARTS];
static rd_kafka_t *consumer, *producer;
static rd_kafka_queue_t *cq;
static slot *freelist;
static long settled, want;
static char result_topic[256];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static double tv(struct timeval t) {
    return t.tv_sec * 1e6 + t.tv_usec;
}
static void die(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void begin(int32_t p, int64_t o) {
    ledger *l = &led[p];
    if (!l->done) {
        l->done = calloc(RING, 1);
        l->base = l->next = o;
    }
    if (o - l->base >= RING) die("ledger", "window full");
    l->done[o % RING] = 0;
    l->next = o + 1;
}
static void finish(int32_t p, int64_t o) {
    ledger *l = &led[p];
    l->done[o % RING] = 1;
    while (l->base < l->next && l->done[l->base % RING]) l->base++;
    settled++;
}
static void on_delivery(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque) {
    (void)rk;
    (void)opaque;
    if (m->err) die("delivery", rd_kafka_err2str(m->err));
    uint64_t id = (uint64_t)(uintptr_t)m->_private;
    finish((int32_t)(id >> 48), (int64_t)(id & 0xffffffffffffULL));
}
static void produce(rd_kafka_message_t *m, const void *value, size_t len) {
    uint64_t id = (uint64_t)m->partition << 48 | (uint64_t)m->offset;
    for (;;) {
        rd_kafka_resp_err_t e =
            rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(result_topic), RD_KAFKA_V_KEY(m->key, m->key_len),
                              RD_KAFKA_V_VALUE((void *)value, len), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                              RD_KAFKA_V_OPAQUE((void *)(uintptr_t)id), RD_KAFKA_V_END);
        if (!e) return;
        if (e != RD_KAFKA_RESP_ERR__QUEUE_FULL) die("produce", rd_kafka_err2str(e));
        rd_kafka_poll(producer, 10);
    }
}
static void commit(int sync) {
    static int64_t sent[PARTS];
    int n = 0;
    rd_kafka_topic_partition_list_t *l = rd_kafka_topic_partition_list_new(8);
    for (int p = 0; p < PARTS; p++)
        if (led[p].done && led[p].base > sent[p]) {
            extern char topic_name[];
            rd_kafka_topic_partition_list_add(l, topic_name, p)->offset = led[p].base;
            sent[p] = led[p].base;
            n++;
        }
    if (n) rd_kafka_commit(consumer, l, !sync);
    rd_kafka_topic_partition_list_destroy(l);
}
char topic_name[256];
static int ep;
static double timer_at = -1;
/* libcurl tells which sockets to watch and when to be called; epoll does the watching. */
static int on_socket(CURL *e, curl_socket_t fd, int what, void *u, void *known) {
    (void)e;
    CURLM *multi = *(CURLM **)u;
    struct epoll_event ev = {.data.fd = fd};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(ep, EPOLL_CTL_DEL, fd, 0);
        return 0;
    }
    ev.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (known)
        epoll_ctl(ep, EPOLL_CTL_MOD, fd, &ev);
    else {
        epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
        curl_multi_assign(multi, fd, (void *)1);
    }
    return 0;
}
static int on_timer(CURLM *m, long ms, void *u) {
    (void)m;
    (void)u;
    timer_at = ms < 0 ? -1 : now() + ms / 1e3;
    return 0;
}
static size_t on_body(char *d, size_t s, size_t n, void *u) {
    slot *k = u;
    size_t b = s * n, r = sizeof k->body - k->got;
    if (b < r) r = b;
    memcpy(k->body + k->got, d, r);
    k->got += r;
    return b;
}

int main(int c, char **v) {
    if (c < 6) {
        fprintf(stderr, "usage: floor BROKERS TOPIC COUNT INFLIGHT URL|-\n");
        return 2;
    }
    want = atol(v[3]);
    int inflight = atoi(v[4]);
    const char *url = strcmp(v[5], "-") ? v[5] : NULL;
    char err[512];
    snprintf(topic_name, sizeof topic_name, "%s", v[2]);
    snprintf(result_topic, sizeof result_topic, "%s.result", v[2]);

    rd_kafka_conf_t *k = rd_kafka_conf_new();
    const char *ck[] = {"bootstrap.servers",
                        v[1],
                        "group.id",
                        getenv("GROUP") ? getenv("GROUP") : "floor",
                        "enable.auto.commit",
                        "false",
                        "auto.offset.reset",
                        "earliest",
                        "fetch.wait.max.ms",
                        "5",
                        "enable.auto.offset.store",
                        "false",
                        "session.timeout.ms",
                        "6000",
                        "heartbeat.interval.ms",
                        "500",
                        0};
    for (int i = 0; ck[i]; i += 2)
        if (rd_kafka_conf_set(k, ck[i], ck[i + 1], err, sizeof err)) die("conf", err);
    if (!(consumer = rd_kafka_new(RD_KAFKA_CONSUMER, k, err, sizeof err))) die("consumer", err);
    rd_kafka_poll_set_consumer(consumer);
    cq = rd_kafka_queue_get_consumer(consumer);
    k = rd_kafka_conf_new();
    const char *pk[] = {"bootstrap.servers", v[1], "enable.idempotence", "true", "linger.ms", "5", 0};
    for (int i = 0; pk[i]; i += 2)
        if (rd_kafka_conf_set(k, pk[i], pk[i + 1], err, sizeof err)) die("conf", err);
    rd_kafka_conf_set_dr_msg_cb(k, on_delivery);
    if (!(producer = rd_kafka_new(RD_KAFKA_PRODUCER, k, err, sizeof err))) die("producer", err);
    rd_kafka_topic_partition_list_t *sub = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(sub, v[2], RD_KAFKA_PARTITION_UA);
    rd_kafka_subscribe(consumer, sub);

    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)inflight);
    ep = epoll_create1(0);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, &multi);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    for (int i = 0; url && i < inflight; i++) {
        slot *s = calloc(1, sizeof *s);
        s->easy = curl_easy_init();
        curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
        curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, on_body);
        curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
        curl_easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L);
        s->free = freelist;
        freelist = s;
    }
    rd_kafka_message_t *batch[256];
    int have = 0, at = 0, running = 0, busy = 0;
    long begun = 0;
    double t0 = 0, last = 0;
    struct rusage r0, r1;
    while (settled < want) {
        int idle = 1;
        if (at == have && begun < want && (!url || busy < inflight) && begun - settled < RING / 4) {
            have = (int)rd_kafka_consume_batch_queue(cq, busy || begun > settled ? 0 : 100, batch, 256);
            at = 0;
            if (have < 0) have = 0;
            if (have && !t0) {
                t0 = now();
                getrusage(RUSAGE_SELF, &r0);
            }
        }
        while (at < have && (!url || freelist)) {
            rd_kafka_message_t *m = batch[at++];
            idle = 0;
            if (m->err || begun >= want) {
                rd_kafka_message_destroy(m);
                continue;
            }
            begin(m->partition, m->offset);
            begun++;
            if (!url) {
                produce(m, m->payload, m->len);
                rd_kafka_message_destroy(m);
                continue;
            }
            slot *s = freelist;
            freelist = s->free;
            s->m = m;
            s->got = 0;
            busy++;
            char u[512];
            snprintf(u, sizeof u, "%s?p=%d&o=%lld", url, m->partition, (long long)m->offset);
            curl_easy_setopt(s->easy, CURLOPT_URL, u);
            curl_multi_add_handle(multi, s->easy);
        }
        if (url) {
            int q;
            CURLMsg *d;
            struct epoll_event evs[256];
            int n = epoll_wait(ep, evs, 256, idle && busy && timer_at < 0 ? 1 : 0);
            for (int i = 0; i < n; i++)
                curl_multi_socket_action(multi, evs[i].data.fd,
                                         (evs[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
                                             (evs[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                                             (evs[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0),
                                         &running);
            if (timer_at >= 0 && now() >= timer_at) {
                timer_at = -1;
                curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
            }
            while ((d = curl_multi_info_read(multi, &q)))
                if (d->msg == CURLMSG_DONE) {
                    slot *s;
                    curl_easy_getinfo(d->easy_handle, CURLINFO_PRIVATE, (char **)&s);
                    idle = 0;
                    if (d->data.result) die("http", curl_easy_strerror(d->data.result));
                    curl_multi_remove_handle(multi, s->easy);
                    produce(s->m, s->body, s->got);
                    rd_kafka_message_destroy(s->m);
                    s->free = freelist;
                    freelist = s;
                    busy--;
                }
        }
        rd_kafka_poll(producer, !url && idle ? 1 : 0);
        double n = now();
        if (n - last > 0.1) {
            commit(0);
            last = n;
        }
    }
    double s = now() - t0;
    getrusage(RUSAGE_SELF, &r1);
    commit(1);
    printf("{\"program\":\"floor\",\"records\":%ld,\"seconds\":%.3f,\"per_second\":%.0f,\"user_us\":%.2f,"
           "\"system_us\":%.2f,\"cpu_us\":%.2f,\"rss_kib\":%ld}\n",
           settled, s, settled / s, (tv(r1.ru_utime) - tv(r0.ru_utime)) / settled,
           (tv(r1.ru_stime) - tv(r0.ru_stime)) / settled,
           (tv(r1.ru_utime) - tv(r0.ru_utime) + tv(r1.ru_stime) - tv(r0.ru_stime)) / settled, r1.ru_maxrss);
    fflush(stdout);
    rd_kafka_flush(producer, 5000);
    rd_kafka_consumer_close(consumer);
    _exit(0);
}
