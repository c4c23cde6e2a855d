/* sha256.h: the hash function SHA-256 (FIPS 180-4). */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

/* Writes the hash of size bytes. */
void sha256(const void *bytes, size_t size, uint8_t hash[SHA256_BYTES]);
