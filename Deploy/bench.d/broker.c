/* librdkafka's mock cluster as a broker process: prints its bootstrap address, runs until stdin closes.
 *   broker [TOPIC PARTITIONS]... */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int c, char **v) {
    char err[512];
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), err, sizeof err);
    if (!rk) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }
    rd_kafka_mock_cluster_t *m = rd_kafka_mock_cluster_new(rk, 1);
    for (int i = 1; i + 1 < c; i += 2) rd_kafka_mock_topic_create(m, v[i], atoi(v[i + 1]), 1);
    printf("%s\n", rd_kafka_mock_cluster_bootstraps(m));
    fflush(stdout);
    char b[256];
    while (read(0, b, sizeof b) > 0) {}
    rd_kafka_mock_cluster_destroy(m);
    rd_kafka_destroy(rk);
    return 0;
}
