/* device/current.c: which device is at work, and a bit for each peer that a device may access. */
#include "current.h"

static int count = 1, current;
static unsigned peers[MAX_DEVICES];

void devices_set_count(int devices) {
    count = devices;
}

int devices_count(void) {
    return count;
}

bool device_exists(int device) {
    return device >= 0 && device < count;
}

void device_use(int device) {
    current = device;
}

int device_current(void) {
    return current;
}

void device_set_peer(int device, int peer, bool may) {
    unsigned bit = 1u << peer;
    peers[device] = may ? peers[device] | bit : peers[device] & ~bit;
}

bool device_reaches(int device, int owner) {
    return device == owner || peers[device] >> owner & 1;
}
