import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the ids that a publisher has printed, such as activation/1/0, and prints the outcome of each. */
public class Match {
    public static void main(String[] arguments) throws Exception {
        Set<String> missing = new HashSet<>(new BufferedReader(new InputStreamReader(System.in)).lines().toList());
        Map<String, Object> settings = Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, System.getenv("BROKERS"),
            ConsumerConfig.GROUP_ID_CONFIG, "matcher",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        ObjectMapper json = new ObjectMapper();
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of("activation.result"));
            while (!missing.isEmpty() && System.nanoTime() < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    JsonNode outcome = json.readTree(record.value()).path("outcome");
                    // After a crash of the worker an outcome can come twice with one id: the first one counts.
                    if (missing.remove(outcome.path("id").asText())) {
                        System.out.println(outcome.path("id").asText() + " " + outcome.path("fate").asText()
                            + " " + outcome.path("reason").path("code").asText());
                    }
                }
                // A service that publishes elsewhere stores an outcome whose id it does not know yet, before this.
                consumer.commitSync();
            }
        }
        if (!missing.isEmpty()) {
            System.err.println("no outcome yet of " + missing);
            System.exit(1);
        }
    }
}
