"""Takes SDK uploads over HTTP and publishes them, as a careful Python team would write it: uvicorn with uvloop and
httptools behind nginx, an idempotent producer, and the answer 200 only after the broker's report.

    python3 app.py BROKERS SOCKET

Deploy/bench-gateway compares the gateway with it. Deliveries are reported on a thread of their own, because the
producer has no descriptor to wait on, and are handed to the event loop in batches, because each hand-over costs a
system call.
"""

import asyncio
import collections
import sys
import threading

import confluent_kafka
import uvicorn

TOPIC = "sdk-upload"
BODY_LIMIT = 4_000_000
KEPT_HEADERS = {b"content-type", b"x-compress-codec", b"x-crypt-codec"}


class Publisher:
    def __init__(self, brokers):
        self.loop = asyncio.get_running_loop()
        self.producer = confluent_kafka.Producer(
            {
                "bootstrap.servers": brokers,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 2,
                "message.timeout.ms": 10_000,
                "message.max.bytes": 4_194_304,
            }
        )
        self.reported = collections.deque()
        self.is_waking = False
        threading.Thread(target=self.poll, daemon=True).start()

    def publish(self, value, headers):
        """Returns a future that gets None, or the error because of which the record was not written."""
        future = self.loop.create_future()
        self.producer.produce(
            TOPIC, value, headers=headers, on_delivery=lambda error, _: self.report(future, error)
        )
        return future

    def poll(self):
        while True:
            self.producer.poll(1.0)

    def report(self, future, error):
        self.reported.append((future, error))
        if not self.is_waking:
            self.is_waking = True
            self.loop.call_soon_threadsafe(self.settle)

    def settle(self):
        self.is_waking = False
        while self.reported:
            future, error = self.reported.popleft()
            if not future.done():
                future.set_result(error)


class Application:
    publisher = None

    def __init__(self, brokers):
        self.brokers = brokers

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        if self.publisher is None:
            self.publisher = Publisher(self.brokers)
        status = await self.status(scope, receive)
        text = b"ok\n" if status == 200 else b"refused\n"
        headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(text))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text})

    async def status(self, scope, receive):
        path = scope["path"]
        if not (path.startswith("/v3/projects/") and path.endswith("/collect")):
            return 404
        if scope["method"] != "POST":
            return 405
        body = await self.body(receive)
        if body is None:
            return 400
        if len(body) > BODY_LIMIT:
            return 413
        try:
            error = await self.publisher.publish(body, self.record_headers(scope))
        except (BufferError, confluent_kafka.KafkaException):
            return 503
        return 200 if error is None else 503

    @staticmethod
    async def body(receive):
        """Returns the body, which is too long if it is longer than allowed, or None if the client has gone."""
        parts, length = [], 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            parts.append(message["body"])
            length += len(message["body"])
            if not message.get("more_body") or length > BODY_LIMIT:
                return parts[0] if len(parts) == 1 else b"".join(parts)

    @staticmethod
    def record_headers(scope):
        target = scope["raw_path"] + b"?" + scope["query_string"]
        headers = [("upload.target", target), ("upload.method", scope["method"])]
        for name, value in scope["headers"]:
            if name in KEPT_HEADERS:
                headers.append((name.decode(), value))
            elif name == b"x-real-ip":
                headers.append(("upload.client_ip", value))
        return headers


if __name__ == "__main__":
    brokers, socket = sys.argv[1:]
    uvicorn.run(
        Application(brokers),
        uds=socket,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="warning",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=60,
    )
