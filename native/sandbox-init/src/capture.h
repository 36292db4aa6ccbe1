/* One output stream of a command: drained always, kept only at its head and its tail. */
#ifndef HUB_CAPTURE_H
#define HUB_CAPTURE_H

#include "wire.h"

struct capture {
    int fd; /* read end, non-blocking; -1 when closed */
    uint64_t total;
    size_t head_room, tail_room, head_used;
    unsigned char *head, *tail; /* tail is a ring: its write position is (total - head) mod room */
};

void capture_init(struct capture *capture, int fd, size_t cap);
/* Reads at most `budget` bytes; returns how many, and closes the stream at its end. */
size_t capture_drain(struct capture *capture, size_t budget);
/* Appends total and the kept bytes (head, then tail) to the reply and starts afresh. */
void capture_put(struct capture *capture, struct reply *reply);
void capture_close(struct capture *capture);

#endif
