import json, os, sys, time
from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": os.environ["BROKERS"], "enable.idempotence": True,
                     "delivery.timeout.ms": 30_000})
failed = []

def delivered(error, record):
    # Called for every record, from poll() and flush(). What is not written is told only here, and so is where the
    # others are written: that is the id of their outcome.
    if error is not None:
        failed.append(f"{record.topic()}: {error}")
    else:
        print(f"{record.topic()}/{record.partition()}/{record.offset()}")

activation = {
    "appId": "112233", "advertiserId": "10000", "appType": "IOS", "conversionType": "MOBILEAPP_COST",
    "deviceId": "1E2DFA89-496A-47FD-9941-DF1FC4E6484A", "value": "4990",
    "convertedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
}
producer.produce(os.environ.get("TOPIC", "activation"), key="install-42", value=json.dumps(activation),
                 headers={"content-type": "application/json", "correlation-id": "order-7"}, on_delivery=delivered)
# A loop that produces calls poll(0) for each record, and poll(1) on BufferError: the queue is full.
unsent = producer.flush(35)
if failed or unsent:
    sys.exit("\n".join(failed) or f"{unsent} records have no report yet: they may be written or not")
