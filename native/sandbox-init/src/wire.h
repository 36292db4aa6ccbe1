/* The frames between the host and the helper: the same layout as hub/sandbox/frames.py.
 *
 * A frame is a 12-byte header (payload length u32, kind u8, three zero bytes, sequence number u32)
 * and its payload. All integers are little-endian; a string is its u32 length and its bytes; a
 * list is its u32 count and its strings. Payloads hold any bytes. */
#ifndef HUB_WIRE_H
#define HUB_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 1u
#define WIRE_MAX_PAYLOAD (8u << 20)

enum kind {
    KIND_CONFIG = 1,   /* first frame: environment, limits, lifetime */
    KIND_EXEC = 2,     /* run one program to its end */
    KIND_OPEN = 3,     /* start a persistent session (shell, Python) */
    KIND_RUN = 4,      /* one command in a session */
    KIND_READ = 5,     /* a piece of a regular file */
    KIND_WRITE = 6,    /* a piece of a regular file */
    KIND_LIFETIME = 7, /* seconds left from now */
    KIND_CANCEL = 8,   /* end the command in progress; it answers as usual */
    KIND_REPLY = 0x80, /* or-ed to the request's kind */
    KIND_ERROR = 0xff  /* errno and message, in place of the reply */
};

enum flag {
    FLAG_TIMED_OUT = 1,
    FLAG_CANCELLED = 2,
    FLAG_FLOODED = 4,     /* killed: more output than the flood limit */
    FLAG_SESSION_LOST = 8 /* the session's process ended; open a new one */
};

struct frame {
    uint8_t kind;
    uint32_t seq;
    size_t length;
    unsigned char *payload; /* owned by the reader, valid until the next frame */
};

/* Takes fields from a payload; after any overrun `bad` is set and every take yields zero. */
struct cursor {
    const unsigned char *at, *end;
    int bad;
};

/* A growing reply. */
struct reply {
    unsigned char *data;
    size_t length, room;
};

void wire_adopt(int in_fd, int out_fd);
int wire_in(void);
int wire_next(struct frame *frame); /* 1 a frame, 0 the host closed the pipe, -1 broken */
int wire_pending(void);             /* whether wire_next has a whole frame without reading */

struct cursor cursor_over(const struct frame *frame);
uint32_t take_u32(struct cursor *cursor);
uint64_t take_u64(struct cursor *cursor);
char *take_string(struct cursor *cursor, size_t *length); /* malloc'ed, NUL-terminated */
char **take_list(struct cursor *cursor);                  /* malloc'ed, NULL-terminated */
void free_list(char **list);

void put_u32(struct reply *reply, uint32_t value);
void put_u64(struct reply *reply, uint64_t value);
void put_bytes(struct reply *reply, const void *bytes, size_t length);
void put_string(struct reply *reply, const void *bytes, size_t length);
void reply_send(struct reply *reply, uint8_t kind, uint32_t seq);
void reply_error(uint32_t seq, int error, const char *what);

void die(int code, const char *what) __attribute__((noreturn));
void *must(void *memory);

#endif
