"""Floods a gateway and counts what it has acknowledged against what is on its topic.

    python3 flood.py PORT BROKERS SECONDS STOP_PID

1,000 slow connections trickle half a header or half a body, a byte a second, and connect again when they are closed.
One address does the same on 16 connections with bodies of 900 KB, of which only the end is slow: all of them together
are more than the bytes that the gateway has in hand for everybody. 64 clients of 8 addresses send uploads as fast as answers come, 16 more send bodies of 900 KB. 4 honest clients send 4
uploads a second each. At the end of the time, the process STOP_PID gets SIGTERM while the flood goes on. Exit code 0
only if each upload that was answered with 200 is on the topic, and each honest upload was taken.

Each kind of client has a process of its own, so that none of them makes the others look slow.
"""

import asyncio
import collections
import concurrent.futures
import os
import signal
import sys
import time

import confluent_kafka

TARGET = "/v3/projects/0a1b4118dd954ec3/collect?stm=1763962605200"
HEAD = f"POST {TARGET} HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n"
SLOW, HOARDING, FLOODING, LARGE, HONEST = 1_000, 16, 64, 16, 4
LARGE_BODY = b"x" * 900_000
HONEST_PAUSE = 0.25
# How long the flood goes on while the gateway stops.
PARTING = 3


class Flood:
    def __init__(self, port):
        self.port = port
        self.ends = False
        self.is_stopping = False
        self.acknowledged = set()
        self.statuses = collections.defaultdict(collections.Counter)
        self.honest_times = []
        self.honest_retries = 0
        self.slow_opened = self.slow_closed = 0

    async def connect(self, address):
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))

    async def post(self, connection, id, filling=b""):
        """Sends one upload, and returns the status of its answer."""
        reader, writer = connection
        body = id.encode() + b"\n" + filling
        writer.write(f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:] if b": " in line)
        await reader.readexactly(int(fields[b"content-length"]))
        if status == 200:
            self.acknowledged.add(id)
        if fields.get(b"connection") == b"close":
            raise ConnectionClosed(status)
        return status

    async def flood(self, kind, number, address, filling=b""):
        """Sends uploads one after the other, whatever the answers are."""
        count, connection = 0, None
        while not self.ends:
            try:
                connection = connection or await self.connect(address)
                status = await self.post(connection, f"{kind}-{number}-{count}", filling)
            except ConnectionClosed as closed:
                status, connection = closed.status, self.close(connection)
            except (OSError, asyncio.IncompleteReadError):
                status, connection = "none", self.close(connection)
                # A gateway that has gone refuses connections at once.
                await asyncio.sleep(0.1)
            self.statuses[kind][status] += 1
            count += 1
        self.close(connection)

    async def ask_honestly(self, number):
        """Sends an upload now and then, and again if its connection was closed without an answer."""
        connection, count = None, 0
        while not self.is_stopping:
            start = time.monotonic()
            status = "none"
            while status == "none" and not self.is_stopping:
                try:
                    connection = connection or await self.connect(f"127.0.3.{number + 1}")
                    status = await self.post(connection, f"honest-{number}-{count}")
                except ConnectionClosed as closed:
                    status, connection = closed.status, self.close(connection)
                except (OSError, asyncio.IncompleteReadError):
                    connection = self.close(connection)
                    self.honest_retries += 1
            if not self.is_stopping:
                self.statuses["honest"][status] += 1
                self.honest_times.append(time.monotonic() - start)
            count += 1
            await asyncio.sleep(HONEST_PAUSE)
        self.close(connection)

    async def trickle(self, address, start):
        """Keeps a connection busy for as long as the gateway lets it."""
        while not self.is_stopping:
            try:
                reader, writer = await self.connect(address)
                self.slow_opened += 1
                writer.write(start)
                await writer.drain()
                while not self.is_stopping and not reader.at_eof():
                    writer.write(b"x")
                    await writer.drain()
                    try:
                        await asyncio.wait_for(reader.read(4_096), 1)
                    except asyncio.TimeoutError:
                        pass
                writer.close()
                self.slow_closed += not self.is_stopping
            except OSError:
                self.slow_closed += not self.is_stopping
            await asyncio.sleep(1)

    @staticmethod
    def close(connection):
        if connection:
            connection[1].close()

    async def run(self, kind, seconds):
        if kind == "slow":
            starts = [HEAD.encode(), f"{HEAD}Content-Length: 1000\r\n\r\n".encode()]
            tasks = [self.trickle(f"127.0.2.{number % 200 + 1}", starts[number % 2]) for number in range(SLOW)]
        elif kind == "hoard":
            start = f"{HEAD}Content-Length: {len(LARGE_BODY)}\r\n\r\n".encode() + LARGE_BODY[1_000:]
            tasks = [self.trickle("127.0.5.1", start) for _ in range(HOARDING)]
        elif kind == "honest":
            tasks = [self.ask_honestly(number) for number in range(HONEST)]
        elif kind == "large":
            tasks = [self.flood(kind, number, f"127.0.4.{number + 1}", LARGE_BODY) for number in range(LARGE)]
        else:
            tasks = [self.flood(kind, number, f"127.0.1.{number % 8 + 1}") for number in range(FLOODING)]
        tasks = [asyncio.create_task(task) for task in tasks]
        await asyncio.sleep(seconds)
        self.is_stopping = True
        await asyncio.sleep(PARTING)
        self.ends = True
        await asyncio.wait(tasks, timeout=30)


def clients(kind, port, seconds):
    """Runs the clients of one kind, and returns what came of them."""
    flood = Flood(port)
    asyncio.run(flood.run(kind, seconds))
    slow = (flood.slow_opened, flood.slow_closed)
    return flood.acknowledged, dict(flood.statuses[kind]), slow, flood.honest_times, flood.honest_retries


class ConnectionClosed(Exception):
    def __init__(self, status):
        self.status = status


def found(brokers):
    """Counts the ids on the topic."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": f"flood-{os.getpid()}",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "enable.auto.commit": False,
        }
    )
    partitions = consumer.list_topics("sdk-upload", 10).topics["sdk-upload"].partitions
    consumer.assign([confluent_kafka.TopicPartition("sdk-upload", number, 0) for number in partitions])
    ids, ended = collections.Counter(), set()
    while len(ended) < len(partitions):
        message = consumer.poll(20)
        if message is None:
            sys.exit("flood: the topic cannot be read")
        if message.error() is None:
            ids[message.value().split(b"\n", 1)[0].decode(errors="replace")] += 1
        elif message.error().code() == confluent_kafka.KafkaError._PARTITION_EOF:
            ended.add(message.partition())
        else:
            sys.exit(f"flood: {message.error()}")
    consumer.close()
    return ids


def main():
    port, brokers, seconds, stop = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    kinds = ("slow", "hoard", "flood", "large", "honest")
    with concurrent.futures.ProcessPoolExecutor(len(kinds)) as pool:
        running = {kind: pool.submit(clients, kind, port, seconds) for kind in kinds}
        time.sleep(seconds)
        os.kill(stop, signal.SIGTERM)
        results = {kind: future.result() for kind, future in running.items()}
    acknowledged = set().union(*(result[0] for result in results.values()))
    ids = found(brokers)
    lost = [id for id in acknowledged if id not in ids]
    for kind in kinds[:2]:
        opened, closed = results[kind][2]
        print(f"{kind}: {opened} connections opened, {closed} closed by the gateway")
    for kind in kinds[2:]:
        answers = sorted(results[kind][1].items(), key=str)
        print(f"{kind}: " + ", ".join(f"{status}: {count}" for status, count in answers))
    times = sorted(results["honest"][3])
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    print(
        f"honest: p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, longest {times[-1] * 1e3:.1f} ms, "
        f"{results['honest'][4]} sent again"
    )
    twice = sum(ids[id] > 1 for id in acknowledged)
    print(
        f"acknowledged {len(acknowledged)}, found {len(acknowledged) - len(lost)}, "
        f"lost {len(lost)}, twice {twice}"
    )
    if lost or set(results["honest"][1]) != {200}:
        sys.exit(1)


if __name__ == "__main__":
    main()
