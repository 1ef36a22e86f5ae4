#ifndef FLOTILLA_UPLOAD_FLOOR_H
#define FLOTILLA_UPLOAD_FLOOR_H

#include <stddef.h>
#include <stdint.h>

// What a phone does to the events of an upload, and the least that a server can do to undo it: the measure of what our
// decoding costs. Nothing that ships links it, and it shares no code with the workers.

enum { FL_UPLOAD_PLAIN = 0, FL_UPLOAD_SNAPPY = 2, FL_UPLOAD_LZ4 = 3 };

/// Compresses and encrypts as an SDK does. Returns the number of bytes written, and 0 if they do not fit.
size_t fl_upload_pack(const uint8_t *events, size_t length, int codec, uint8_t factor, uint8_t *output, size_t room);

/// Decrypts, decompresses and goes over all fields of all events. `scratch` and `output` have room for as many bytes
/// each. Returns the number of fields and of entries of maps (protobuf), or of strings (JSON); 0 if the body is wrong.
size_t fl_upload_floor(const uint8_t *body, size_t length, int is_protobuf, int codec, uint8_t factor, uint8_t *scratch,
                       uint8_t *output, size_t room);

#endif
