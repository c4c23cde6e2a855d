/*
 * image/lz4.c: an LZ4 block is a chain of sequences: a token (literals << 4 | match), more length bytes, literals, a
 * 16-bit offset back, more length bytes. The last sequence ends behind its literals.
 */
#include "lz4.h"

#include <stdbool.h>
#include <string.h>

#define LENGTH_FOLLOWS 15u /* in a token: add the next bytes, up to and with the first that is not 255 */
#define SHORTEST_MATCH 4u

struct stream {
    const uint8_t *at, *end;
    uint8_t *out, *start, *limit;
};

/* Complete a length that the token began; false at the end of the block. */
static bool read_length(struct stream *stream, size_t *length) {
    uint8_t more = 255;
    if (*length != LENGTH_FOLLOWS) return true;
    while (more == 255) {
        if (stream->at == stream->end) return false;
        more = *stream->at++;
        *length += more;
    }
    return true;
}

static bool copy_literals(struct stream *stream, size_t length) {
    if (!read_length(stream, &length)) return false;
    if ((size_t)(stream->end - stream->at) < length || (size_t)(stream->limit - stream->out) < length) return false;
    if (length) memcpy(stream->out, stream->at, length);
    stream->at += length;
    stream->out += length;
    return true;
}

static bool copy_match(struct stream *stream, size_t length) {
    if (stream->end - stream->at < 2) return false;
    size_t offset = stream->at[0] | (size_t)stream->at[1] << 8;
    stream->at += 2;
    if (!read_length(stream, &length)) return false;
    length += SHORTEST_MATCH;
    if (offset == 0 || offset > (size_t)(stream->out - stream->start) || length > (size_t)(stream->limit - stream->out))
        return false;
    for (; length; length--, stream->out++) /* byte by byte: the match may overlap what it writes */
        *stream->out = stream->out[-(ptrdiff_t)offset];
    return true;
}

size_t lz4_decompress(uint8_t *out, size_t capacity, const uint8_t *block, size_t size) {
    struct stream stream = {block, block + size, out, out, out + capacity};
    while (stream.at < stream.end) {
        uint8_t token = *stream.at++;
        if (!copy_literals(&stream, token >> 4)) return SIZE_MAX;
        if (stream.at < stream.end && !copy_match(&stream, token & 15)) return SIZE_MAX;
    }
    return (size_t)(stream.out - out);
}
