/*
 * image/fatbin.c: nvcc's container for device code, as measured on what CUDA 12 and 13 write.
 *
 *   wrapper    u32 magic  u32 version  void *container  void *objects
 *              version 2: objects is a NULL-terminated array of containers
 *   container  u32 magic  u16 version  u16 header  u64 size | entry entry ...
 *   entry      u16 kind  u16 version  u32 header  u64 payload |
 *              u32 compressed  u32 options  u16 minor  u16 major  u32 arch  u32 name
 *              u32 name length  u64 flags  u64 0  u64 uncompressed ... | payload
 */
#include "fatbin.h"

#include "lib/arena.h"
#include "lib/memory.h"

#include <limits.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CONTAINER_MAGIC  0xBA55ED50u
#define CONTAINER_HEADER 16u
#define ENTRY_HEADER     64u /* at least */
#define OPTIONS_HEADER   8u  /* of the options, after that: u32 place in the entry, u32 length */

#define FLAG_LZ4    0x2000u
#define FLAG_ZSTD   0x8000u
#define FLAG_ALONE  0x100000u /* for this architecture alone: compute_90a */
#define FLAG_FAMILY 0x200000u /* and newer ones of its major number: compute_100f */

#define MAX_IMAGE_BYTES                                                                            \
    ((size_t)1 << 30) /* more than any real one; a lie in the header must not take all memory */
#define MAX_OBJECTS 65536

/* The header of an entry, read field by field: it need not be aligned. */
struct entry {
    uint16_t kind;
    uint32_t header, compressed, options, arch;
    uint64_t payload, flags, uncompressed;
};

struct reader {
    struct fatbin *fatbin;
    int capacity; /* of images */
    char *error;
    size_t error_size;
};

static bool fail(struct reader *reader, const char *message) {
    snprintf(reader->error, reader->error_size, "the program's device code cannot be read: %s",
             message);
    return false;
}

static uint64_t read_bytes(const uint8_t *at, size_t size) {
    uint64_t value = 0;
    memcpy(&value, at, size); /* x86-64: little-endian, as the format is */
    return value;
}

static struct fatbin_image *add_image(struct reader *reader) {
    struct fatbin *fatbin = reader->fatbin;
    if (fatbin->nimages == reader->capacity) {
        reader->capacity = reader->capacity ? reader->capacity * 2 : 8;
        struct fatbin_image *more =
            arena_array(fatbin->arena, (size_t)reader->capacity, sizeof *more);
        if (fatbin->nimages) memcpy(more, fatbin->images, (size_t)fatbin->nimages * sizeof *more);
        fatbin->images = more;
    }
    return &fatbin->images[fatbin->nimages++];
}

/* ---- Images ---- */

/* May what is packed have size bytes? Asked before they are allocated. A ZSTD frame says how many
 * it has, and a byte of an LZ4 block stands for 255 at most. */
static bool may_have(const struct entry *entry, const uint8_t *payload, size_t size) {
    size_t packed = entry->compressed;
    if (!(entry->flags & FLAG_ZSTD)) return size / 255 <= packed;
    unsigned long long told = ZSTD_getFrameContentSize(payload, packed);
    return told == size || told == ZSTD_CONTENTSIZE_UNKNOWN;
}

/* Unpack a ZSTD frame or an LZ4 block. Returns whether it is sound and has exactly size bytes. */
static bool unpack(const struct entry *entry, const uint8_t *payload, uint8_t *bytes, size_t size) {
    size_t packed = entry->compressed;
    /* an error is no size */
    if (entry->flags & FLAG_ZSTD) return ZSTD_decompress(bytes, size, payload, packed) == size;
    return packed <= MAX_IMAGE_BYTES && LZ4_decompress_safe((const char *)payload, (char *)bytes,
                                                            (int)packed, (int)size) == (int)size;
}

static bool decompress(struct reader *reader, const struct entry *entry, const uint8_t *payload,
                       struct fatbin_image *image) {
    size_t size = entry->uncompressed;
    if (entry->compressed > entry->payload)
        return fail(reader, "a compressed image is larger than its place");
    if (size > MAX_IMAGE_BYTES) return fail(reader, "an image is larger than a gigabyte");
    uint8_t *bytes =
        may_have(entry, payload, size) ? arena_alloc(reader->fatbin->arena, size) : NULL;
    if (!bytes || !unpack(entry, payload, bytes, size))
        return fail(reader, entry->flags & FLAG_ZSTD ? "a zstd-compressed image is damaged"
                                                     : "an LZ4-compressed image is damaged");
    image->bytes = bytes;
    image->size = size;
    return true;
}

/* PTX is padded with NULs. */
static void fatbin_trim(struct fatbin_image *image) {
    while (image->kind == FATBIN_PTX && image->size && image->bytes[image->size - 1] == '\0')
        image->size--;
}

/* The options of the entry at bytes; what does not lie in its header is none. */
static const char *fatbin_read_options(struct reader *reader, const struct entry *entry,
                                       const uint8_t *bytes) {
    uint32_t at = entry->options;
    if (at < ENTRY_HEADER || at > entry->header || entry->header - at < OPTIONS_HEADER) return "";
    uint64_t text = read_bytes(bytes + at, 4), length = read_bytes(bytes + at + 4, 4);
    if (text > entry->header || length > entry->header - text) return "";
    return arena_string(reader->fatbin->arena, (const char *)bytes + text, length);
}

static bool read_image(struct reader *reader, const struct entry *entry, const uint8_t *payload,
                       int object) {
    struct fatbin_image image = {
        .kind = entry->kind, .arch = (int)(entry->arch & 0xffff), .object = object};
    image.last = entry->flags & FLAG_ALONE    ? image.arch
                 : entry->flags & FLAG_FAMILY ? image.arch / 10 * 10 + 9
                                              : INT_MAX;
    image.bytes = payload;
    image.size = entry->payload;
    if (entry->flags & (FLAG_ZSTD | FLAG_LZ4) && !decompress(reader, entry, payload, &image))
        return false;
    fatbin_trim(&image);
    image.options = fatbin_read_options(reader, entry, payload - entry->header);
    *add_image(reader) = image;
    return true;
}

/* ---- Containers ---- */

/* The entry's header at bytes, of which `left` are there; false if it or its payload does not
 * fit. */
static bool read_entry(const uint8_t *bytes, uint64_t left, struct entry *entry) {
    if (left < ENTRY_HEADER) return false;
    entry->kind = (uint16_t)read_bytes(bytes, 2);
    entry->header = (uint32_t)read_bytes(bytes + 4, 4);
    entry->payload = read_bytes(bytes + 8, 8);
    entry->compressed = (uint32_t)read_bytes(bytes + 16, 4);
    entry->options = (uint32_t)read_bytes(bytes + 20, 4);
    entry->arch = (uint32_t)read_bytes(bytes + 28, 4);
    entry->flags = read_bytes(bytes + 40, 8);
    entry->uncompressed = read_bytes(bytes + 56, 8);
    return entry->header >= ENTRY_HEADER && entry->header <= left &&
           entry->payload <= left - entry->header;
}

static bool read_entries(struct reader *reader, const uint8_t *bytes, uint64_t left, int object) {
    while (left) {
        struct entry entry;
        if (!read_entry(bytes, left, &entry))
            return fail(reader, "an image goes beyond the end of its container");
        bool known = entry.kind == FATBIN_PTX || entry.kind == FATBIN_ELF;
        if (known && !read_image(reader, &entry, bytes + entry.header, object)) return false;
        bytes += entry.header + entry.payload;
        left -= entry.header + entry.payload;
    }
    return true;
}

static bool is_container(const uint8_t *bytes, uint64_t size) {
    return size >= CONTAINER_HEADER && read_bytes(bytes, 4) == CONTAINER_MAGIC;
}

size_t fatbin_container_size(const void *bytes, size_t size) {
    if (!is_container(bytes, size)) return 0;
    uint64_t header = read_bytes((const uint8_t *)bytes + 6, 2),
             length = read_bytes((const uint8_t *)bytes + 8, 8);
    return header < CONTAINER_HEADER || header > size || length > size - header ? 0
                                                                                : header + length;
}

/* The images of one container; size: how many bytes may be looked at. */
static bool read_images(struct reader *reader, const uint8_t *bytes, uint64_t size) {
    if (!is_container(bytes, size)) return fail(reader, "no fat binary container");
    uint64_t whole = fatbin_container_size(bytes, size), header = read_bytes(bytes + 6, 2);
    if (!whole) return fail(reader, "the container goes beyond its end");
    return read_entries(reader, bytes + header, whole - header, reader->fatbin->nobjects++);
}

/* A container in the program's memory, which says itself how long it is. */
static bool read_container_in_memory(struct reader *reader, const void *container) {
    return container ? read_images(reader, container, UINT64_MAX / 2)
                     : fail(reader, "no container");
}

static bool read_wrapper(struct reader *reader, const void *bytes) {
    struct fatbin_wrapper wrapper;
    if (!bytes) return fail(reader, "no wrapper");
    memcpy(&wrapper, bytes, sizeof wrapper);
    if (wrapper.magic != FATBIN_WRAPPER_MAGIC) return fail(reader, "unknown wrapper");
    if (wrapper.version != 2 || !wrapper.objects)
        return read_container_in_memory(reader, wrapper.container);
    for (int i = 0; wrapper.objects[i]; i++) {
        if (i == MAX_OBJECTS) return fail(reader, "too many objects");
        if (!read_container_in_memory(reader, wrapper.objects[i])) return false;
    }
    return true;
}

/* ---- The whole ---- */

static struct fatbin *new_fatbin(void) {
    struct arena *arena = arena_new();
    struct fatbin *fatbin = arena_alloc(arena, sizeof *fatbin);
    fatbin->arena = arena;
    return fatbin;
}

struct fatbin *fatbin_read(const void *wrapper, char *error, size_t error_size) {
    struct reader reader = {.fatbin = new_fatbin(), .error = error, .error_size = error_size};
    if (read_wrapper(&reader, wrapper)) return reader.fatbin;
    fatbin_free(reader.fatbin);
    return NULL;
}

struct fatbin *fatbin_read_container(const void *bytes, size_t size, char *error,
                                     size_t error_size) {
    struct reader reader = {.fatbin = new_fatbin(), .error = error, .error_size = error_size};
    if (read_images(&reader, bytes, size)) return reader.fatbin;
    fatbin_free(reader.fatbin);
    return NULL;
}

void fatbin_free(struct fatbin *fatbin) {
    if (fatbin) arena_free(fatbin->arena);
}

const struct fatbin_image *fatbin_find(const struct fatbin *fatbin, int object,
                                       enum fatbin_kind kind, int arch) {
    const struct fatbin_image *best = NULL;
    for (int i = 0; i < fatbin->nimages; i++) {
        const struct fatbin_image *image = &fatbin->images[i];
        if (image->object == object && image->kind == kind && image->arch <= arch &&
            arch <= image->last && (!best || image->arch > best->arch))
            best = image;
    }
    return best;
}

/* ---- Writing ---- */

static void put_number(FILE *out, uint64_t value, size_t bytes) {
    fwrite(&value, 1, bytes, out);
}

/* An entry, with options after the least header. */
static void put_image(FILE *out, const struct fatbin_image *image) {
    size_t options = strlen(image->options), before = ENTRY_HEADER + OPTIONS_HEADER;
    size_t header = (before + options + 7) / 8 * 8;
    put_number(out, image->kind | 0x01010000u | (uint64_t)header << 32, 8);
    put_number(out, image->size, 8);
    put_number(out, (uint64_t)ENTRY_HEADER << 32, 8);
    put_number(out, (uint64_t)image->arch << 32, 8);
    put_number(out, 0, 8);
    put_number(out,
               image->last == image->arch ? FLAG_ALONE
               : image->last < INT_MAX    ? FLAG_FAMILY
                                          : 0,
               8);
    put_number(out, 0, 8);
    put_number(out, 0, 8);
    put_number(out, before | (uint64_t)options << 32, 8);
    fwrite(image->options, 1, options, out);
    for (size_t i = before + options; i < header; i++) fputc(0, out);
    fwrite(image->bytes, 1, image->size, out);
}

/* Would the GPU use it? Where there is no machine code for it or an older one, any serves. */
static bool is_used(const struct fatbin *fatbin, const struct fatbin_image *image, int arch) {
    const struct fatbin_image *used = fatbin_find(fatbin, image->object, image->kind, arch);
    return !used || used == image;
}

static void put_container(FILE *out, const struct fatbin *fatbin, int object, int arch) {
    char *entries = NULL;
    size_t size = 0;
    FILE *memory = need(open_memstream(&entries, &size));
    for (int i = 0; i < fatbin->nimages; i++)
        if (fatbin->images[i].object == object && is_used(fatbin, &fatbin->images[i], arch))
            put_image(memory, &fatbin->images[i]);
    fclose(memory);
    put_number(out, CONTAINER_MAGIC | (uint64_t)1 << 32 | (uint64_t)CONTAINER_HEADER << 48, 8);
    put_number(out, size, 8);
    fwrite(entries, 1, size, out);
    free(entries);
}

void fatbin_write(FILE *out, const struct fatbin *fatbin, int arch) {
    for (int i = 0; i < fatbin->nobjects; i++) put_container(out, fatbin, i, arch);
}
