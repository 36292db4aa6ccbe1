/* What the helper gives up, for itself and for every command, before it runs the first one. */
#ifndef HUB_SEAL_H
#define HUB_SEAL_H

/* No new privileges, no capabilities, not dumpable, no core files, and the system call filter:
 * nested namespaces, mounts, ptrace and other processes' memory, keyrings, bpf, perf, io_uring,
 * modules, foreign sockets (vsock and friends) and terminal injection answer EPERM; clone3
 * answers ENOSYS so that libc falls back to clone, whose flags a filter can read. Ends the
 * helper where any of it is refused. */
void seal(void);

#endif
