/* launch [--user UID GID] -- PROGRAM ARGUMENTS
 *
 * Leaves root for good and becomes PROGRAM: what must happen between fork and exec, done in a
 * process of its own so that a threaded server need not run Python there. */
#include "launch.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int fail(const char *what, const char *value) {
    dprintf(2, "hub-sandbox-init: %s %s: %s\n", what, value, strerror(errno));
    return 71;
}

static int leave_root(const char *user, const char *group) {
    uid_t uid = (uid_t)strtoul(user, NULL, 10);
    gid_t gid = (gid_t)strtoul(group, NULL, 10);
    if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid)) return -1;
    if (uid && !setuid(0)) { /* came back: the drop was not for good */
        errno = EPERM;
        return -1;
    }
    return 0;
}

int launch_main(int argc, char **argv) {
    int i = 0;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--user") && i + 2 < argc) {
            if (leave_root(argv[i + 1], argv[i + 2])) return fail("cannot become", argv[i + 1]);
            i += 2;
        } else {
            dprintf(2, "hub-sandbox-init: launch does not know %s\n", argv[i]);
            return 64;
        }
    }
    if (i + 1 >= argc) {
        dprintf(2, "hub-sandbox-init: launch needs -- and a program\n");
        return 64;
    }
    execv(argv[i + 1], argv + i + 1);
    return fail("cannot run", argv[i + 1]);
}
