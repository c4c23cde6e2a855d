/* Tests of the fat binary reader: containers made here byte by byte, as nvcc writes them, and
 * damaged ones. */

#include <lz4.h>
#include <zstd.h>

#include "damage.h"
#include "simt/image/fatbin.h"
#include "unit.h"

#define CONTAINER_HEADER 16
#define ENTRY_HEADER     80
#define FLAG_LZ4         0x2011
#define FLAG_ZSTD        0x8011
#define FLAG_PLAIN       0x11
#define PACKED_SIZE      512

static char error[256];

/* A container while it is written. */
struct writer {
    uint8_t bytes[4096];
    size_t size;
};

static void put(struct writer *w, size_t at, uint64_t value, size_t size) {
    assert_true(at + size <= sizeof w->bytes);
    memcpy(w->bytes + at, &value, size);
}

static void start(struct writer *w) {
    memset(w, 0, sizeof *w);
    put(w, 0, 0xBA55ED50u, 4);
    put(w, 4, 1, 2);
    put(w, 6, CONTAINER_HEADER, 2);
    w->size = CONTAINER_HEADER;
}

/* Add an entry: the payload is padded to 8 bytes. packed: its bytes before padding, where
 * compressed; whole: when uncompressed. */
static void add(struct writer *w, int kind, int arch, unsigned flags, const void *payload,
                size_t packed, size_t whole) {
    size_t padded = (packed + 7) / 8 * 8, at = w->size;
    put(w, at, (uint64_t)kind, 2);
    put(w, at + 2, 0x101, 2);
    put(w, at + 4, ENTRY_HEADER, 4);
    put(w, at + 8, padded, 8);
    put(w, at + 16, flags == FLAG_PLAIN ? 0 : packed, 4);
    put(w, at + 28, (uint64_t)arch, 4);
    put(w, at + 40, flags, 8);
    put(w, at + 56, flags == FLAG_PLAIN ? 0 : whole, 8);
    assert_true(at + ENTRY_HEADER + padded <= sizeof w->bytes);
    memcpy(w->bytes + at + ENTRY_HEADER, payload, packed);
    w->size = at + ENTRY_HEADER + padded;
    put(w, 8, w->size - CONTAINER_HEADER, 8);
}

static const char ptx[] = ".version 9.0\n.target sm_75\n.address_size 64\n// text text text text "
                          "text text text text text";

static void add_zstd(struct writer *w, int arch) {
    uint8_t packed[PACKED_SIZE];
    size_t n = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
    assert_false(ZSTD_isError(n));
    add(w, FATBIN_PTX, arch, FLAG_ZSTD, packed, n, sizeof ptx);
}

static struct fatbin *read_good(const struct writer *w) {
    struct fatbin *fatbin = fatbin_read_container(w->bytes, w->size, error, sizeof error);
    if (!fatbin) fail_msg("%s", error);
    return fatbin;
}

static void is_text(const struct fatbin_image *image) {
    assert_int_equal(image->kind, FATBIN_PTX);
    assert_int_equal(image->size, sizeof ptx - 1); /* without the NUL */
    assert_memory_equal(image->bytes, ptx, sizeof ptx - 1);
}

TEST(reads_plain_and_compressed_images) {
    struct writer w;
    start(&w);
    add(&w, FATBIN_PTX, 75, FLAG_PLAIN, ptx, sizeof ptx, 0);
    add(&w, 0x40, 75, FLAG_PLAIN, "unknown", 7, 0);
    add_zstd(&w, 90);
    add(&w, FATBIN_ELF, 75, FLAG_PLAIN, "\177ELF....", 8, 0);
    struct fatbin *fatbin = read_good(&w);
    assert_int_equal(fatbin->nimages, 3);
    assert_int_equal(fatbin->nobjects, 1);
    is_text(&fatbin->images[0]);
    is_text(&fatbin->images[1]);
    assert_int_equal(fatbin->images[1].arch, 90);
    assert_int_equal(fatbin->images[2].kind, FATBIN_ELF);
    assert_int_equal(fatbin->images[2].size, 8);
    fatbin_free(fatbin);
}

/* The block into packed, which has room for PACKED_SIZE bytes. Returns its bytes. */
static size_t compress_lz4(char *packed) {
    int n = LZ4_compress_default(ptx, packed, sizeof ptx, PACKED_SIZE);
    assert_in_range(n, 1, sizeof ptx - 1);
    return (size_t)n;
}

static void add_lz4(struct writer *w, int arch) {
    char packed[PACKED_SIZE];
    size_t n = compress_lz4(packed);
    add(w, FATBIN_PTX, arch, FLAG_LZ4, packed, n, sizeof ptx);
}

TEST(reads_lz4) {
    struct writer w;
    start(&w);
    add_lz4(&w, 61);
    struct fatbin *fatbin = read_good(&w);
    is_text(&fatbin->images[0]);
    fatbin_free(fatbin);
}

static void refuses(const void *bytes, size_t size, const char *says) {
    assert_null(fatbin_read_container(bytes, size, error, sizeof error));
    if (!strstr(error, says)) fail_msg("'%s' does not say '%s'", error, says);
}

TEST(refuses_damaged_lz4) {
    char packed[PACKED_SIZE];
    size_t n = compress_lz4(packed);
    static const char before_the_start[] = {0x10, 'a', 2, 0};
    const struct {
        const char *block;
        size_t size, whole;
    } damaged[] = {
        {packed, n - 2, sizeof ptx}, /* cut */
        {packed, n, sizeof ptx - 1}, /* longer than the header says */
        {packed, n, sizeof ptx + 1}, /* shorter */
        {before_the_start, sizeof before_the_start,
         sizeof ptx} /* a match that begins before the text */
    };
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        struct writer w;
        start(&w);
        add(&w, FATBIN_PTX, 61, FLAG_LZ4, damaged[i].block, damaged[i].size, damaged[i].whole);
        refuses(w.bytes, w.size, "an LZ4-compressed image is damaged");
    }
}

TEST(finds_the_best_image) {
    struct writer w;
    start(&w);
    add(&w, FATBIN_PTX, 75, FLAG_PLAIN, "a", 1, 0);
    add(&w, FATBIN_PTX, 50, FLAG_PLAIN, "b", 1, 0);
    add(&w, FATBIN_PTX, 90, FLAG_PLAIN, "c", 1, 0);
    add(&w, FATBIN_ELF, 80, FLAG_PLAIN, "d", 1, 0);
    struct fatbin *fatbin = read_good(&w);
    assert_int_equal(fatbin_find(fatbin, 0, FATBIN_PTX, 86)->arch, 75);
    assert_int_equal(fatbin_find(fatbin, 0, FATBIN_PTX, 90)->arch, 90);
    assert_null(fatbin_find(fatbin, 0, FATBIN_PTX, 37));
    assert_null(fatbin_find(fatbin, 1, FATBIN_PTX, 90));
    assert_int_equal(fatbin_find(fatbin, 0, FATBIN_ELF, 90)->arch, 80);
    fatbin_free(fatbin);
}

/* compute_90a is for 9.0 alone, compute_100f for 10.0 and newer ones of its family. */
TEST(finds_only_what_is_for_the_gpu) {
    struct writer w;
    start(&w);
    add(&w, FATBIN_PTX, 90, FLAG_PLAIN | 0x100000, "a", 1, 0);
    add(&w, FATBIN_PTX, 100, FLAG_PLAIN | 0x200000, "b", 1, 0);
    struct fatbin *fatbin = read_good(&w);
    assert_null(fatbin_find(fatbin, 0, FATBIN_PTX, 89));
    assert_int_equal(fatbin_find(fatbin, 0, FATBIN_PTX, 90)->arch, 90);
    assert_int_equal(fatbin_find(fatbin, 0, FATBIN_PTX, 100)->arch, 100);
    assert_int_equal(fatbin_find(fatbin, 0, FATBIN_PTX, 103)->arch, 100);
    assert_null(fatbin_find(fatbin, 0, FATBIN_PTX, 120));
    fatbin_free(fatbin);
}

struct wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *objects;
};

TEST(reads_wrappers) {
    struct writer first, second;
    start(&first);
    start(&second);
    add(&first, FATBIN_PTX, 75, FLAG_PLAIN, ptx, sizeof ptx, 0);
    add_zstd(&second, 75);
    struct wrapper one = {0x466243B1u, 1, first.bytes, NULL};
    struct fatbin *fatbin = fatbin_read(&one, error, sizeof error);
    assert_non_null(fatbin);
    is_text(&fatbin->images[0]);
    fatbin_free(fatbin);
    const void *objects[] = {first.bytes, second.bytes, NULL};
    struct wrapper two = {0x466243B1u, 2, first.bytes, objects};
    fatbin = fatbin_read(&two, error, sizeof error);
    assert_non_null(fatbin);
    assert_int_equal(fatbin->nobjects, 2);
    is_text(fatbin_find(fatbin, 1, FATBIN_PTX, 75));
    fatbin_free(fatbin);
}

TEST(refuses_damage) {
    struct writer w;
    start(&w);
    add_zstd(&w, 75);
    size_t entry = CONTAINER_HEADER;
    refuses(w.bytes, 8, "no fat binary");
    refuses(w.bytes, w.size - 1, "goes beyond its end");
    refuses("not a fat binary at all", 23, "no fat binary");
    put(&w, entry + 8, UINT64_MAX - 8, 8);
    refuses(w.bytes, w.size, "beyond the end");
    start(&w);
    add_zstd(&w, 75);
    put(&w, entry + 56, UINT64_MAX, 8);
    refuses(w.bytes, w.size, "gigabyte");
    put(&w, entry + 56, sizeof ptx - 3, 8);
    refuses(w.bytes, w.size, "damaged");
    put(&w, entry + 16, 1u << 31, 4);
    refuses(w.bytes, w.size, "larger than its place");
    put(&w, entry + 4, 3, 4);
    refuses(w.bytes, w.size, "beyond the end");
    struct wrapper none = {0x466243B1u, 1, NULL, NULL}, odd = {1, 1, w.bytes, NULL};
    assert_null(fatbin_read(&none, error, sizeof error));
    assert_null(fatbin_read(&odd, error, sizeof error));
    assert_null(fatbin_read(NULL, error, sizeof error));
}

TEST(survives_random_damage) {
    struct writer w;
    int good = 0;
    start(&w);
    add(&w, FATBIN_PTX, 75, FLAG_PLAIN, ptx, sizeof ptx, 0);
    add_zstd(&w, 75);
    add_lz4(&w, 61);
    for (int i = 0; i < 20000; i++) {
        size_t size = next_random() % 8 ? w.size : next_random() % w.size + 1;
        uint8_t *bytes = malloc(size); /* exactly: a sanitizer sees reads beyond the end */
        memcpy(bytes, w.bytes, size);
        for (uint64_t n = next_random() % 4; n-- > 0;)
            bytes[next_random() % size] = (uint8_t)next_random();
        struct fatbin *fatbin = fatbin_read_container(bytes, size, error, sizeof error);
        good += fatbin != NULL;
        fatbin_free(fatbin);
        free(bytes);
    }
    assert_in_range(good, 1000, 19000);
}

/* What ptxas was told stands in the entry's header, after its place and length. */
TEST(reads_the_options_of_ptxas) {
    static const char text[] = "-dlcm=cg";
    struct writer w;
    start(&w);
    add(&w, FATBIN_PTX, 75, FLAG_PLAIN, ptx, sizeof ptx, 0);
    struct fatbin *fatbin = read_good(&w);
    assert_string_equal(fatbin->images[0].options, "");
    fatbin_free(fatbin);
    put(&w, CONTAINER_HEADER + 20, 64, 4);
    put(&w, CONTAINER_HEADER + 64, 72, 4);
    put(&w, CONTAINER_HEADER + 68, sizeof text - 1, 4);
    memcpy(w.bytes + CONTAINER_HEADER + 72, text, sizeof text - 1);
    fatbin = read_good(&w);
    assert_string_equal(fatbin->images[0].options, text);
    fatbin_free(fatbin);
    put(&w, CONTAINER_HEADER + 68, ENTRY_HEADER, 4); /* longer than the header has room for */
    fatbin = read_good(&w);
    assert_string_equal(fatbin->images[0].options, "");
    fatbin_free(fatbin);
}
