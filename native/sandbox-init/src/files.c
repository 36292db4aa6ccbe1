#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define READ_MAX (4u << 20)

/* Opens a regular file that is not the kernel's. Never follows the magic links of /proc and never
 * blocks on a FIFO: PID 1 itself opens here, and its own descriptors must stay out of reach. */
static int open_regular(int base, const char *path, uint64_t flags, uint64_t mode) {
    struct open_how how = {.flags = flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .mode = mode,
                           .resolve = RESOLVE_NO_MAGICLINKS};
    struct stat stat;
    struct statfs system;
    int fd = (int)syscall(SYS_openat2, base, path, &how, sizeof how);
    if (fd < 0) return -1;
    if (fstat(fd, &stat) || fstatfs(fd, &system)) {
        close(fd);
        return -1;
    }
    if (S_ISREG(stat.st_mode) && system.f_type != PROC_SUPER_MAGIC && system.f_type != SYSFS_MAGIC)
        return fd;
    close(fd);
    errno = S_ISDIR(stat.st_mode) ? EISDIR : EOPNOTSUPP;
    return -1;
}

static int open_base(const char *base) { return open(base, O_PATH | O_DIRECTORY | O_CLOEXEC); }

void read_file(const struct frame *frame, const char *base) {
    struct cursor cursor = cursor_over(frame);
    char *path = take_string(&cursor, NULL);
    uint64_t offset = take_u64(&cursor);
    uint32_t want = take_u32(&cursor);
    int root = open_base(base), fd = -1;
    struct stat stat;
    errno = EINVAL;
    if (!cursor.bad && want <= READ_MAX) fd = open_regular(root, path, O_RDONLY, 0);
    if (fd < 0 || fstat(fd, &stat)) {
        reply_error(frame->seq, errno, strerror(errno));
    } else {
        struct reply reply = {0};
        unsigned char *block = must(malloc(want ? want : 1));
        ssize_t got = pread(fd, block, want, (off_t)offset);
        put_u64(&reply, (uint64_t)stat.st_size);
        put_u32(&reply, stat.st_mode & 07777);
        put_string(&reply, block, got > 0 ? (size_t)got : 0);
        if (got >= 0) reply_send(&reply, KIND_READ | KIND_REPLY, frame->seq);
        else reply_error(frame->seq, errno, strerror(errno)), free(reply.data);
        free(block);
    }
    if (fd >= 0) close(fd);
    if (root >= 0) close(root);
    free(path);
}

/* mkdir -p of everything before the last slash. */
static void make_parents(int base, char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdirat(base, path, 0755);
        *slash = '/';
    }
}

static int write_all(int fd, const char *bytes, size_t length, uint64_t offset) {
    while (length) {
        ssize_t n = pwrite(fd, bytes, length, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        bytes += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

void write_file(const struct frame *frame, const char *base) {
    struct cursor cursor = cursor_over(frame);
    char *path = take_string(&cursor, NULL);
    uint64_t offset = take_u64(&cursor);
    size_t length = 0;
    char *bytes = take_string(&cursor, &length);
    int root = open_base(base), fd = -1;
    errno = EINVAL;
    if (!cursor.bad && *path) {
        if (!offset) make_parents(root, path);
        fd = open_regular(root, path, O_WRONLY | O_CREAT, 0644);
    }
    /* Truncated only now: what is not a regular file has been refused by here. */
    if (fd < 0 || ftruncate(fd, (off_t)offset) || write_all(fd, bytes, length, offset)) {
        reply_error(frame->seq, errno, strerror(errno));
    } else {
        struct reply reply = {0};
        reply_send(&reply, KIND_WRITE | KIND_REPLY, frame->seq);
    }
    if (fd >= 0) close(fd);
    if (root >= 0) close(root);
    free(path);
    free(bytes);
}
