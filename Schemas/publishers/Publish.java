import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Publishes a record, and prints where it is written: that is the id of its outcome. */
public class Publish {
    public static void main(String[] arguments) {
        Map<String, Object> settings = Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, System.getenv("BROKERS"),
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true,
            ProducerConfig.MAX_BLOCK_MS_CONFIG, 30_000,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 30_000);
        String activation = """
            {"appId":"112233","advertiserId":"10000","appType":"IOS","conversionType":"MOBILEAPP_COST",
             "deviceId":"1E2DFA89-496A-47FD-9941-DF1FC4E6484A","value":"4990","convertedAt":"%s"}
            """.formatted(Instant.now());
        ProducerRecord<String, String> record = new ProducerRecord<>("activation", "install-42", activation);
        record.headers().add("content-type", "application/json".getBytes(StandardCharsets.UTF_8));
        AtomicInteger failed = new AtomicInteger();
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            // The callback is called once for every record, on the producer's own thread: it may not block.
            producer.send(record, (written, error) -> {
                if (error == null) {
                    System.out.println(written.topic() + "/" + written.partition() + "/" + written.offset());
                } else {
                    failed.incrementAndGet();
                    System.err.println("not written: " + error);
                }
            });
            producer.flush();
        }
        System.exit(failed.get() == 0 ? 0 : 1);
    }
}
