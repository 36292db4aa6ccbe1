#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER 12
#define FIRST_ROOM 65536

static int host_in = -1, host_out = -1;
static unsigned char *inbox;
static size_t inbox_room;

void die(int code, const char *what) {
    dprintf(2, "hub-sandbox-init: %s\n", what);
    _exit(code);
}

void *must(void *memory) {
    if (!memory) die(70, "out of memory");
    return memory;
}

void wire_adopt(int in_fd, int out_fd) {
    host_in = in_fd;
    host_out = out_fd;
}

int wire_in(void) { return host_in; }

static uint32_t load_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store_u32(unsigned char *p, uint32_t value) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> (8 * i));
}

/* Received bytes that are not yet handed out lie from `inbox_start` to `inbox_end`. */
static size_t inbox_start, inbox_end;

int wire_pending(void) {
    size_t have = inbox_end - inbox_start;
    return have >= HEADER && have - HEADER >= load_u32(inbox + inbox_start);
}

/* Reads until `length` bytes are there; 0 at the end of the stream. */
static int fill(size_t length) {
    if (inbox_start && inbox_end - inbox_start < length) {
        memmove(inbox, inbox + inbox_start, inbox_end - inbox_start);
        inbox_end -= inbox_start;
        inbox_start = 0;
    }
    if (inbox_start + length > inbox_room) {
        inbox_room = length < FIRST_ROOM ? FIRST_ROOM : length;
        inbox = must(realloc(inbox, inbox_room));
    }
    while (inbox_end - inbox_start < length) {
        ssize_t got = read(host_in, inbox + inbox_end, inbox_room - inbox_end);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        inbox_end += (size_t)got;
    }
    return 1;
}

int wire_next(struct frame *frame) {
    if (!fill(HEADER)) return 0;
    frame->length = load_u32(inbox + inbox_start);
    frame->kind = inbox[inbox_start + 4];
    frame->seq = load_u32(inbox + inbox_start + 8);
    if (frame->length > WIRE_MAX_PAYLOAD) return -1;
    if (!fill(HEADER + frame->length)) return 0;
    frame->payload = inbox + inbox_start + HEADER;
    inbox_start += HEADER + frame->length;
    if (inbox_start == inbox_end) inbox_start = inbox_end = 0;
    return 1;
}

struct cursor cursor_over(const struct frame *frame) {
    return (struct cursor){frame->payload, frame->payload + frame->length, 0};
}

static const unsigned char *take(struct cursor *cursor, size_t length) {
    if (cursor->bad || (size_t)(cursor->end - cursor->at) < length) {
        cursor->bad = 1;
        return NULL;
    }
    const unsigned char *here = cursor->at;
    cursor->at += length;
    return here;
}

uint32_t take_u32(struct cursor *cursor) {
    const unsigned char *p = take(cursor, 4);
    return p ? load_u32(p) : 0;
}

uint64_t take_u64(struct cursor *cursor) {
    uint64_t low = take_u32(cursor);
    return low | (uint64_t)take_u32(cursor) << 32;
}

char *take_string(struct cursor *cursor, size_t *length) {
    size_t size = take_u32(cursor);
    const unsigned char *p = take(cursor, size);
    if (!p) size = 0;
    char *copy = must(malloc(size + 1));
    if (size) memcpy(copy, p, size);
    copy[size] = 0;
    if (length) *length = size;
    return copy;
}

char **take_list(struct cursor *cursor) {
    size_t count = take_u32(cursor);
    /* Each string costs at least its length field: a count beyond that is a lie. */
    if (count > (size_t)(cursor->end - cursor->at) / 4) {
        cursor->bad = 1;
        count = 0;
    }
    char **list = must(calloc(count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++) list[i] = take_string(cursor, NULL);
    return list;
}

void free_list(char **list) {
    for (char **p = list; p && *p; p++) free(*p);
    free(list);
}

void put_bytes(struct reply *reply, const void *bytes, size_t length) {
    size_t start = reply->length ? reply->length : HEADER;
    if (start + length > reply->room) {
        reply->room = (start + length) * 2;
        reply->data = must(realloc(reply->data, reply->room));
    }
    if (length) memcpy(reply->data + start, bytes, length);
    reply->length = start + length;
}

void put_u32(struct reply *reply, uint32_t value) {
    unsigned char raw[4];
    store_u32(raw, value);
    put_bytes(reply, raw, sizeof raw);
}

void put_u64(struct reply *reply, uint64_t value) {
    put_u32(reply, (uint32_t)value);
    put_u32(reply, (uint32_t)(value >> 32));
}

void put_string(struct reply *reply, const void *bytes, size_t length) {
    put_u32(reply, (uint32_t)length);
    put_bytes(reply, bytes, length);
}

/* Sends and empties the reply. A host that went away is noticed by the next read. */
void reply_send(struct reply *reply, uint8_t kind, uint32_t seq) {
    put_bytes(reply, NULL, 0);
    memset(reply->data, 0, HEADER);
    store_u32(reply->data, (uint32_t)(reply->length - HEADER));
    reply->data[4] = kind;
    store_u32(reply->data + 8, seq);
    size_t sent = 0;
    while (sent < reply->length) {
        ssize_t n = write(host_out, reply->data + sent, reply->length - sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        sent += (size_t)n;
    }
    free(reply->data);
    *reply = (struct reply){0};
}

void reply_error(uint32_t seq, int error, const char *what) {
    struct reply reply = {0};
    put_u32(&reply, (uint32_t)error);
    put_string(&reply, what, strlen(what));
    reply_send(&reply, KIND_ERROR, seq);
}
