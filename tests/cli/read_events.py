"""The scalars of TensorBoard's event files, {tag: [[step, value], …]} as JSON, read by protobuf with the fields that
tensorflow.Event and tensorflow.Summary define; checks each record's sums."""
import json
import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

KINDS = descriptor_pb2.FieldDescriptorProto


def message(name, *fields):
    out = descriptor_pb2.DescriptorProto(name=name)
    for number, field, kind, label, type_name in fields:
        out.field.add(number=number, name=field, type=kind, label=label, type_name=type_name)
    return out


one, many = KINDS.LABEL_OPTIONAL, KINDS.LABEL_REPEATED
file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="tensorflow", syntax="proto3")
file.message_type.append(message("Value", (1, "tag", KINDS.TYPE_STRING, one, None),
                                 (2, "simple_value", KINDS.TYPE_FLOAT, one, None)))
file.message_type.append(message("Summary", (1, "value", KINDS.TYPE_MESSAGE, many, ".tensorflow.Value")))
file.message_type.append(message("Event", (1, "wall_time", KINDS.TYPE_DOUBLE, one, None),
                                 (2, "step", KINDS.TYPE_INT64, one, None),
                                 (3, "file_version", KINDS.TYPE_STRING, one, None),
                                 (5, "summary", KINDS.TYPE_MESSAGE, one, ".tensorflow.Summary")))
pool = descriptor_pool.DescriptorPool()
pool.Add(file)
Event = message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("tensorflow.Event"))


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


scalars = {}
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    at, events = 0, []
    while at < len(data):
        head = data[at:at + 8]
        length, = struct.unpack("<Q", head)
        body = data[at + 12:at + 12 + length]
        sums = struct.unpack("<I", data[at + 8:at + 12]) + struct.unpack("<I", data[at + 12 + length:at + 16 + length])
        assert sums == (masked_crc(head), masked_crc(body)), "a record's sum is wrong"
        event = Event()
        event.ParseFromString(body)
        assert not event.UnknownFields() and event.wall_time > 1.6e9
        events.append(event)
        at += 16 + length
    assert events[0].file_version == "brain.Event:2"
    for event in events[1:]:
        for value in event.summary.value:
            scalars.setdefault(value.tag, []).append([event.step, value.simple_value])
json.dump(scalars, sys.stdout)
