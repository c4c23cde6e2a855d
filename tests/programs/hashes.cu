// Bytes and words: SHA-256, CRC-32 and MurmurHash with known answers, text processing, base64,
// Caesar, a hash table, a bloom filter.
#include "check.h"

#include <map>
#include <string>

enum { MESSAGES = 64, SPAN = 256, KEYS = 2000, SLOTS = 4096, EMPTY = -1 };

__constant__ uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ uint32_t rotated(uint32_t x, int n) {
    return x >> n | x << (32 - n);
}
__device__ void compress(uint32_t *state, const unsigned char *block) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] =
            block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    for (int i = 0; i < 8; i++) v[i] = state[i];
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25),
                 choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + round_constants[i] + w[i];
        uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (int k = 7; k > 0; k--) v[k] = v[k - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}
// One message a thread; message i is its first lengths[i] bytes.
__global__ void sha256(const unsigned char *messages, const int *lengths, uint32_t *digests) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = lengths[i], padded = (n + 9 + 63) / 64 * 64;
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int first = 0; first < padded; first += 64) {
        unsigned char block[64];
        for (int k = 0; k < 64; k++) {
            int at = first + k;
            block[k] = at < n             ? messages[i * SPAN + at]
                       : at == n          ? 0x80
                       : at >= padded - 4 ? (unsigned char)(n * 8 >> 8 * (padded - 1 - at))
                                          : 0;
        }
        compress(state, block);
    }
    for (int k = 0; k < 8; k++) digests[8 * i + k] = state[k];
}
__host__ __device__ uint32_t crc32(const unsigned char *p, int n) {
    uint32_t crc = ~0u;
    while (n-- > 0) {
        crc ^= *p++;
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}
__host__ __device__ uint64_t murmur_mix(uint64_t k) {
    k ^= k >> 33, k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33, k *= 0xc4ceb9fe1a85ec53ull;
    return k ^ k >> 33;
}
__global__ void checksums(const unsigned char *messages, const int *lengths, uint32_t *crcs,
                          uint64_t *mixes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    crcs[i] = crc32(messages + i * SPAN, lengths[i]);
    mixes[i] = murmur_mix(i);
}
__global__ void text(char *s, int n, int *words, unsigned *letters) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char c = i < n ? s[i] : ' ';
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'),
         starts = letter && (i == 0 || s[i - 1] == ' ');
    __syncthreads(); // all have read their neighbour
    if (starts) atomicAdd(words, 1);
    if (letter) {
        char upper = c & ~0x20;
        atomicAdd(&letters[upper - 'A'], 1u);
        s[i] = 'A' + (upper - 'A' + 13) % 26;
    }
}
// Open addressing: insert adds one to a key's count.
__global__ void count_keys(const int *keys, int n, int *table_keys, int *table_counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned slot = (unsigned)murmur_mix(keys[i]) % SLOTS;; slot = (slot + 1) % SLOTS) {
        int before = atomicCAS(&table_keys[slot], EMPTY, keys[i]);
        if (before == EMPTY || before == keys[i]) {
            atomicAdd(&table_counts[slot], 1);
            return;
        }
    }
}

static void test_digests() {
    std::vector<unsigned char> messages(MESSAGES * SPAN);
    std::vector<int> lengths(MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
        lengths[i] = i * 3;
        for (int k = 0; k < SPAN; k++) messages[i * SPAN + k] = (unsigned char)random32();
    }
    memcpy(&messages[1 * SPAN], "abc", 3);
    memcpy(&messages[3 * SPAN], "123456789", 9);
    unsigned char *m = to_device(messages);
    int *l = to_device(lengths);
    uint32_t *digests = poisoned<uint32_t>(8 * MESSAGES), *crcs = poisoned<uint32_t>(MESSAGES);
    uint64_t *mixes = poisoned<uint64_t>(MESSAGES);
    sha256<<<2, MESSAGES / 2>>>(m, l, digests);
    checksums<<<1, MESSAGES>>>(m, l, crcs, mixes);
    FINISH_KERNEL();
    std::vector<uint32_t> got = to_host(digests, 8 * MESSAGES), got_crcs = to_host(crcs, MESSAGES);
    const uint32_t of_nothing[8] = {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924,
                                    0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
    const uint32_t of_abc[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    for (int k = 0; k < 8; k++) {
        same("sha256 of nothing", k, got[k], of_nothing[k]);
        same("sha256 of abc", k, got[8 + k], of_abc[k]);
    }
    same("crc32 of 123456789", 0, got_crcs[3], 0xCBF43926u);
    for (int i = 0; i < MESSAGES; i++) {
        same("crc32", i, got_crcs[i], crc32(&messages[i * SPAN], lengths[i]));
        same("mix", i, to_host(mixes, MESSAGES)[i], murmur_mix(i));
    }
}
static void test_text() {
    std::string s = "The quick brown fox jumps over the lazy dog and runs away";
    int *words = to_device(std::vector<int>(1));
    unsigned *letters = to_device(std::vector<unsigned>(26));
    char *device = to_device(std::vector<char>(s.begin(), s.end()));
    text<<<1, 64>>>(device, (int)s.size(), words, letters);
    FINISH_KERNEL();
    std::vector<char> got = to_host(device, s.size());
    const std::string want = "GUR DHVPX OEBJA SBK WHZCF BIRE GUR YNML QBT NAQ EHAF NJNL";
    for (size_t i = 0; i < s.size(); i++) same("rot13", i, got[i], want[i]);
    same("words", 0, to_host(words, 1)[0], 12);
    same("letters a", 0, to_host(letters, 26)[0], 4);
}
static void test_table() {
    std::vector<int> keys(KEYS);
    std::map<int, int> want;
    for (int &k : keys) want[k = (int)(random32() % 700)]++;
    int *table_keys = to_device(std::vector<int>(SLOTS, EMPTY)),
        *counts = to_device(std::vector<int>(SLOTS));
    count_keys<<<(KEYS + 127) / 128, 128>>>(to_device(keys), KEYS, table_keys, counts);
    FINISH_KERNEL();
    std::vector<int> got_keys = to_host(table_keys, SLOTS), got_counts = to_host(counts, SLOTS);
    size_t found = 0;
    for (int s = 0; s < SLOTS; s++)
        if (got_keys[s] != EMPTY)
            same("count of key", got_keys[s], got_counts[s], want[got_keys[s]]), found++;
    same("keys", 0, found, want.size());
}

int main() {
    test_digests();
    test_text();
    test_table();
    return finish();
}
