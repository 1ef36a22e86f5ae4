import json, os, sys, time
from confluent_kafka import Consumer

# The ids that a publisher has printed, such as activation/1/0, one on a line.
missing = {line.strip() for line in sys.stdin if line.strip()}
end = time.monotonic() + float(os.environ.get("SECONDS_TO_WAIT", "60"))
consumer = Consumer({"bootstrap.servers": os.environ["BROKERS"], "group.id": "matcher",
                     "auto.offset.reset": "earliest", "enable.auto.commit": False,
                     "isolation.level": "read_committed"})
consumer.subscribe(["activation.result"])
while missing and time.monotonic() < end:
    record = consumer.poll(1)
    if record is None or record.error():
        continue  # An error here is told and mended by the client; only fatal ones end it.
    outcome = json.loads(record.value())["outcome"]
    # After a crash of the worker an outcome can come twice with one id: the first one counts.
    if outcome["id"] in missing:
        missing.remove(outcome["id"])
        print(outcome["id"], outcome["fate"], outcome.get("reason", {}).get("code", ""))
    # A service that publishes elsewhere stores an outcome whose id it does not know yet, before it commits.
    consumer.commit(record, asynchronous=False)
consumer.close()
if missing:
    sys.exit("no outcome yet of " + ", ".join(sorted(missing)))
