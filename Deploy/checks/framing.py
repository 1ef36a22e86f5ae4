#!/usr/bin/env python3
"""Reads a topic of results with the deserializers of Confluent, without a registry, and judges each frame by itself.

    framing.py BROKERS TOPIC ID json SCHEMA          (a JSON Schema)
    framing.py BROKERS TOPIC ID protobuf DESCRIPTORS MESSAGE  (what protoc has compiled, and the name of the result)

Every record must have a frame with the id, with the index that the message has in its file, and an outcome behind it.
Needs the package confluent-kafka[json,protobuf]. Prints the number of records; exit code 0 only if there is one."""

import struct
import sys

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.serialization import MessageField, SerializationContext

BROKERS, TOPIC, ID, FORMAT, SCHEMA = sys.argv[1:6]


def json_reader():
    from confluent_kafka.schema_registry.json_schema import JSONDeserializer

    read = JSONDeserializer(open(SCHEMA).read())
    return b"", lambda value, context: read(value, context)["outcome"]["fate"]


def protobuf_reader():
    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    files = descriptor_pb2.FileDescriptorSet.FromString(open(SCHEMA, "rb").read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    message = pool.FindMessageTypeByName(sys.argv[6])
    file = next(file for file in files.file if file.name == message.file.name)
    index = [top.name for top in file.message_type].index(message.name)
    read = ProtobufDeserializer(message_factory.GetMessageClass(message), {"use.deprecated.format": False})
    # A zigzag varint of a number below 64 is a byte with its double.
    path = b"\0" if index == 0 else bytes([2, 2 * index])
    return path, lambda value, context: read(value, context).outcome.fate


def values():
    consumer = Consumer({"bootstrap.servers": BROKERS, "group.id": "framing", "enable.partition.eof": False})
    partitions = consumer.list_topics(TOPIC, 30).topics[TOPIC].partitions
    for partition in partitions:
        place = TopicPartition(TOPIC, partition, 0)
        _, end = consumer.get_watermark_offsets(place, 30)
        consumer.assign([place])
        while consumer.position([place])[0].offset < end:
            record = consumer.poll(30)
            assert record is not None and record.error() is None, record and record.error()
            yield record.value()
    consumer.close()


def main():
    path, fate = json_reader() if FORMAT == "json" else protobuf_reader()
    context = SerializationContext(TOPIC, MessageField.VALUE)
    fates = []
    for value in values():
        frame = struct.pack(">bI", 0, int(ID)) + path
        assert value.startswith(frame), f"the frame is {value[: len(frame)].hex()}, and {frame.hex()} is right"
        fates.append(fate(value, context))
    assert fates and all(fates), fates
    print(len(fates), "results:", ", ".join(sorted(set(fates))))


main()
