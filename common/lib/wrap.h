/* wrap.h: break texts at blanks into lines. */
#pragma once

#include <stdio.h>
#include <string.h>

/* How much of the text stands in a line of `room` letters: up to the last blank that fits, after at
 * least `least` letters. What has no such blank is cut. */
static inline int wrap_length(const char *text, int least, int room) {
    int length = (int)strlen(text), all = length > room ? room : length;
    if (all == length) return all;
    for (length = room; length > least && text[length] != ' ';) length--;
    return length > least ? length : room;
}
