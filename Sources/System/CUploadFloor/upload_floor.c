#include "CUploadFloor.h"

#include <lz4.h>
#include <snappy-c.h>
#include <string.h>

static void cross(const uint8_t *from, size_t length, uint8_t factor, uint8_t *to) {
    for (size_t i = 0; i < length; i++) to[i] = from[i] ^ factor;
}

size_t fl_upload_pack(const uint8_t *events, size_t length, int codec, uint8_t factor, uint8_t *output, size_t room) {
    size_t count = 0;
    if (codec == FL_UPLOAD_LZ4) {
        int written = LZ4_compress_default((const char *)events, (char *)output, (int)length, (int)room);
        count = written > 0 ? (size_t)written : 0;
    } else if (codec == FL_UPLOAD_SNAPPY) {
        count = room;
        if (snappy_compress((const char *)events, length, (char *)output, &count) != SNAPPY_OK) return 0;
    } else {
        if (length > room) return 0;
        memcpy(output, events, length);
        count = length;
    }
    cross(output, count, factor, output);
    return count;
}

static int varint(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    uint64_t number = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *value = number;
            return 1;
        }
    }
    return 0;
}

/// Goes over a message and into the messages of these fields; -1 if it is none.
static long scan(const uint8_t *at, const uint8_t *end, int depth) {
    long fields = 0;
    while (at < end) {
        uint64_t tag, length;
        if (!varint(&at, end, &tag)) return -1;
        fields++;
        switch (tag & 7) {
        case 0:
            if (!varint(&at, end, &length)) return -1;
            break;
        case 1:
            if (end - at < 8) return -1;
            at += 8;
            break;
        case 2: {
            if (!varint(&at, end, &length) || length > (uint64_t)(end - at)) return -1;
            int nests = depth == 0 || (depth == 1 && (tag >> 3 == 24 || tag >> 3 == 21));
            if (nests) {
                long inner = scan(at, at + length, depth + 1);
                if (inner < 0) return -1;
                fields += inner;
            }
            at += length;
            break;
        }
        case 5:
            if (end - at < 4) return -1;
            at += 4;
            break;
        default: return -1;
        }
    }
    return fields;
}

/// Finds every string, and checks nothing else.
static size_t strings(const uint8_t *at, const uint8_t *end) {
    size_t count = 0;
    while (at < end) {
        if (*at++ != '"') continue;
        count++;
        while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
        at++;
    }
    return count;
}

size_t fl_upload_floor(const uint8_t *body, size_t length, int is_protobuf, int codec, uint8_t factor, uint8_t *scratch,
                       uint8_t *output, size_t room) {
    if (length > room) return 0;
    cross(body, length, factor, scratch);
    const uint8_t *events = scratch;
    size_t count = length;
    if (codec == FL_UPLOAD_LZ4) {
        int written = LZ4_decompress_safe((const char *)scratch, (char *)output, (int)length, (int)room);
        if (written < 0) return 0;
        events = output;
        count = (size_t)written;
    } else if (codec == FL_UPLOAD_SNAPPY) {
        count = room;
        if (snappy_uncompress((const char *)scratch, length, (char *)output, &count) != SNAPPY_OK) return 0;
        events = output;
    }
    if (!is_protobuf) return strings(events, events + count);
    long fields = scan(events, events + count, 0);
    return fields > 0 ? (size_t)fields : 0;
}
