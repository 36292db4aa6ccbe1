#include "capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void capture_init(struct capture *capture, int fd, size_t cap) {
    *capture = (struct capture){.fd = fd, .head_room = cap / 2, .tail_room = cap - cap / 2};
}

static void keep(struct capture *capture, const unsigned char *bytes, size_t length) {
    size_t into_head = capture->head_room - capture->head_used;
    if (into_head > length) into_head = length;
    if (into_head) {
        if (!capture->head) capture->head = must(malloc(capture->head_room));
        memcpy(capture->head + capture->head_used, bytes, into_head);
        capture->head_used += into_head;
        capture->total += into_head;
        bytes += into_head;
        length -= into_head;
    }
    if (length && !capture->tail) capture->tail = must(malloc(capture->tail_room));
    if (length > capture->tail_room) { /* only its last part can survive */
        capture->total += length - capture->tail_room;
        bytes += length - capture->tail_room;
        length = capture->tail_room;
    }
    while (length) {
        size_t position = (size_t)((capture->total - capture->head_used) % capture->tail_room);
        size_t piece = capture->tail_room - position;
        if (piece > length) piece = length;
        memcpy(capture->tail + position, bytes, piece);
        capture->total += piece;
        bytes += piece;
        length -= piece;
    }
}

size_t capture_drain(struct capture *capture, size_t budget) {
    static unsigned char block[65536];
    size_t drained = 0;
    while (capture->fd >= 0 && drained < budget) {
        ssize_t got = read(capture->fd, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) break;
        if (got <= 0) {
            close(capture->fd);
            capture->fd = -1;
            break;
        }
        keep(capture, block, (size_t)got);
        drained += (size_t)got;
        if ((size_t)got < sizeof block) break; /* a pipe read short is a pipe read empty */
    }
    return drained;
}

void capture_put(struct capture *capture, struct reply *reply) {
    uint64_t beyond = capture->total - capture->head_used;
    size_t tail = beyond < capture->tail_room ? (size_t)beyond : capture->tail_room;
    put_u64(reply, capture->total);
    put_u32(reply, (uint32_t)(capture->head_used + tail));
    put_bytes(reply, capture->head, capture->head_used);
    if (beyond > capture->tail_room) {
        size_t oldest = (size_t)(beyond % capture->tail_room);
        put_bytes(reply, capture->tail + oldest, capture->tail_room - oldest);
        put_bytes(reply, capture->tail, oldest);
    } else {
        put_bytes(reply, capture->tail, tail);
    }
    capture->total = 0;
    capture->head_used = 0;
}

void capture_close(struct capture *capture) {
    if (capture->fd >= 0) close(capture->fd);
    free(capture->head);
    free(capture->tail);
    *capture = (struct capture){.fd = -1};
}
