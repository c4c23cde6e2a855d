/* device/current.h: several devices of one type: which of them is at work, and which may access the
 * memory of others. */
#pragma once

#include <stdbool.h>

#define MAX_DEVICES 16

/* How many there are, numbered from 0: at first 1. */
void devices_set_count(int count);
int devices_count(void);
/* Is there a device with this number? */
bool device_exists(int device);
/* From here on this device runs the kernels and owns what is allocated. At first it is 0. Not
 * thread-safe: the runtime's lock guards it. */
void device_use(int device);
int device_current(void);
/* Lets kernels of device access the memory of peer, or no longer. */
void device_set_peer(int device, int peer, bool may);
/* May kernels of device access the memory of owner? Their own they may. */
bool device_reaches(int device, int owner);
