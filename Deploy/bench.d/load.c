/* Publishes COUNT records of about 300 bytes with distinct keys: activation records in JSON, of now, because an upstream
 * refuses old ones.
 *   load BROKERS TOPIC COUNT */
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int c, char **v) {
    if (c < 4) {
        fprintf(stderr, "usage: load BROKERS TOPIC COUNT\n");
        return 2;
    }
    char err[512];
    rd_kafka_conf_t *k = rd_kafka_conf_new();
    rd_kafka_conf_set(k, "bootstrap.servers", v[1], err, sizeof err);
    rd_kafka_conf_set(k, "linger.ms", "5", err, sizeof err);
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, k, err, sizeof err);
    if (!rk) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }
    char at[32];
    time_t now = time(NULL);
    strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    for (long i = 0, n = atol(v[3]); i < n; i++) {
        char key[64], val[512];
        int kl = snprintf(key, sizeof key, "k%ld", i);
        int vl = snprintf(val, sizeof val, "%s", getenv("VALUE") ? getenv("VALUE") : "");
        if (!vl)
            vl = snprintf(
                val, sizeof val,
                "{\"appId\":\"112233\",\"advertiserId\":\"10000\",\"appType\":\"IOS\",\"conversionType\":"
                "\"MOBILEAPP_ACTIVITE\",\"deviceId\":\"%08lX-496A-47FD-9941-DF1FC4E6484A\",\"convertedAt\":"
                "\"%s\",\"clientIp\":\"10.11.12.13\",\"note\":\"%0100ld\"}",
                i, at, i);
        while (rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(v[2]), RD_KAFKA_V_KEY(key, kl),
                                 RD_KAFKA_V_VALUE(val, vl), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                                 RD_KAFKA_V_END))
            rd_kafka_poll(rk, 10);
        if (!(i & 1023)) rd_kafka_poll(rk, 0);
    }
    return rd_kafka_flush(rk, 60000) ? 1 : 0;
}
