#include "tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

int contained = 1;

uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t now_ticks(void) { return now_ns() / (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK)); }

static void prefer_as_oom_victim(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t ignored = write(fd, "500", 3); /* the kernel then never picks the helper first */
    (void)ignored;
    close(fd);
}

static void become(const struct settings *settings, char **argv, char **env, const char *cwd,
                   const struct child_fds *fds) {
    sigset_t none;
    sigemptyset(&none);
    setsid();
    if (!contained) prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    dup2(fds->in, 0);
    dup2(fds->out, 1);
    dup2(fds->err, 2);
    if (fds->control >= 0) dup2(fds->control, fds->control_as);
    if (fds->status >= 0) dup2(fds->status, fds->status_as);
    /* What the host ignored (a background job ignores SIGINT) must not reach commands: the Python
     * session is interrupted by SIGINT. KILL and STOP refuse, and that is no error here. */
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prefer_as_oom_victim();
    for (size_t i = 0; i < settings->limit_count; i++) {
        struct rlimit both = {settings->limits[i].value, settings->limits[i].value};
        if (setrlimit((__rlimit_resource_t)settings->limits[i].resource, &both))
            dprintf(2, "hub: limit %d: %s\n", settings->limits[i].resource, strerror(errno));
    }
    if (chdir(cwd)) {
        dprintf(2, "hub: cannot enter %s: %s\n", cwd, strerror(errno));
        _exit(126);
    }
    environ = env;
    execvp(argv[0], argv);
    dprintf(2, "hub: %s: %s\n", argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

pid_t spawn(const struct settings *settings, char **argv, char **env, const char *cwd,
            const struct child_fds *fds) {
    pid_t pid = fork();
    if (pid == 0) become(settings, argv, env, cwd, fds);
    return pid;
}

struct process {
    pid_t parent;
    uint64_t started;
};

/* Reads /proc/PID/stat; 0 where the process is gone or a zombie. */
static int look_at(pid_t pid, struct process *process) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t got = read(fd, line, sizeof line - 1);
    close(fd);
    if (got <= 0) return 0;
    line[got] = 0;
    char *at = strrchr(line, ')'); /* a program's name may hold anything, ')' included */
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X') return 0;
    at += 2;
    for (int field = 3; field < 22; field++) {
        at = strchr(at, ' ');
        if (!at) return 0;
        at++;
        if (field == 3) process->parent = (pid_t)strtol(at, NULL, 10);
    }
    process->started = strtoull(at, NULL, 10);
    return 1;
}

/* Climbs from a process to the helper: as their subreaper it is an ancestor of all of its own. */
static int ours(struct process process) {
    while (!contained && process.parent != getpid())
        if (process.parent <= 1 || !look_at(process.parent, &process)) return 0;
    return 1;
}

static int spared(pid_t pid, const pid_t *spare, int count) {
    for (int i = 0; i < count; i++)
        if (spare[i] == pid) return 1;
    return pid == getpid();
}

int kill_since(uint64_t ticks, const pid_t *spare, int spare_count) {
    DIR *proc = opendir("/proc");
    int killed = 0;
    if (!proc) return 0;
    for (struct dirent *entry; (entry = readdir(proc));) {
        struct process process;
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (spared(pid, spare, spare_count) || !look_at(pid, &process)) continue;
        if (process.started >= ticks && ours(process) && kill(pid, SIGKILL) == 0) killed++;
    }
    closedir(proc);
    return killed;
}

void end_all(int code) {
    /* In a container the kernel ends everything with PID 1; elsewhere we do, until none is left. */
    while (!contained && kill_since(0, NULL, 0)) usleep(1000);
    _exit(code);
}
