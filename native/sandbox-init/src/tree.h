/* Processes: starting one command, and ending everything that came after a given moment. */
#ifndef HUB_TREE_H
#define HUB_TREE_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct limit {
    int resource;
    rlim_t value;
};

struct settings {
    char **env;
    char *cwd;
    struct limit *limits;
    size_t limit_count;
    size_t capture_cap;  /* bytes kept of each stream */
    uint64_t flood;      /* bytes of one command's output after which it is killed */
    uint64_t deadline;   /* CLOCK_BOOTTIME, ns: the end of the sandbox */
};

struct child_fds {
    int in, out, err;          /* become 0, 1, 2 */
    int control, status;       /* of a session; -1: none */
    int control_as, status_as; /* the numbers that they get */
};

uint64_t now_ns(void);
uint64_t now_ticks(void); /* in the unit and clock of /proc/PID/stat's start time */

/* False only for the provider `local`: the helper then owns its descendants, not a namespace. */
extern int contained;

/* Forks and executes argv in its own session; 127 or 126 is its exit code where that fails. */
pid_t spawn(const struct settings *settings, char **argv, char **env, const char *cwd,
            const struct child_fds *fds);

/* Kills every process started at or after `ticks` except those of `spare`; returns how many. */
int kill_since(uint64_t ticks, const pid_t *spare, int spare_count);
/* Ends everything below the helper, and the helper. */
void end_all(int code) __attribute__((noreturn));

#endif
