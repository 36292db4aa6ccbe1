/* hub-sandbox-init: PID 1 of a sandbox, and the step that enters it from the host.
 *
 *   hub-sandbox-init init [--local]    inside: speaks frames (wire.h) on its stdin and stdout;
 *                                      --local: without a container, for the unsafe provider
 *   hub-sandbox-init launch ...        outside: see launch.c
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "job.h"
#include "launch.h"
#include "seal.h"

#define EXIT_LIFETIME 75
#define EXIT_PROTOCOL 76
#define DRAIN_BUDGET (1u << 20)

/* Moves the host's pipes where no command finds them: above the standard ones, closed on exec. */
static void adopt_pipes(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int in = fcntl(0, F_DUPFD_CLOEXEC, 3), out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (null < 0 || in < 0 || out < 0) die(70, "cannot set up descriptors");
    dup2(null, 0);
    dup2(null, 1);
    syscall(SYS_close_range, 3, ~0u, CLOSE_RANGE_CLOEXEC);
    wire_adopt(in, out);
}

static int catch_children(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void set_lifetime(uint64_t ms) { settings.deadline = now_ns() + ms * 1000000u; }

/* Takes the settings, seals, and answers what this container has. */
static void configure(void) {
    struct frame frame;
    if (wire_next(&frame) != 1 || frame.kind != KIND_CONFIG) die(EXIT_PROTOCOL, "no settings");
    struct cursor cursor = cursor_over(&frame);
    if (take_u32(&cursor) != WIRE_VERSION) die(EXIT_PROTOCOL, "another protocol version");
    set_lifetime(take_u64(&cursor));
    settings.capture_cap = take_u32(&cursor);
    settings.flood = take_u64(&cursor);
    settings.cwd = take_string(&cursor, NULL);
    settings.env = take_list(&cursor);
    settings.limit_count = take_u32(&cursor);
    if (cursor.bad || settings.limit_count > 16 || settings.capture_cap < 2)
        die(EXIT_PROTOCOL, "malformed settings");
    settings.limits = must(calloc(settings.limit_count + 1, sizeof *settings.limits));
    for (size_t i = 0; i < settings.limit_count; i++) {
        settings.limits[i].resource = (int)take_u32(&cursor);
        settings.limits[i].value = take_u64(&cursor);
    }
    char **probes = take_list(&cursor);
    if (cursor.bad) die(EXIT_PROTOCOL, "malformed settings");
    seal();
    struct reply reply = {0};
    put_u32(&reply, (uint32_t)getpid());
    put_u32(&reply, getuid());
    for (char **probe = probes; *probe; probe++) put_u32(&reply, access(*probe, X_OK) == 0);
    free_list(probes);
    reply_send(&reply, KIND_CONFIG | KIND_REPLY, frame.seq);
}

static void reap(int signals) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) > 0) {
    }
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) job_child_ended(pid, status);
}

/* While a command runs only these may arrive; anything else is a host out of step. */
static void serve(void) {
    struct frame frame;
    int got = wire_next(&frame);
    if (got == 0) end_all(0); /* the host is gone, and with PID 1 everything here */
    if (got < 0) die(EXIT_PROTOCOL, "frame too long");
    struct cursor cursor = cursor_over(&frame);
    if (frame.kind == KIND_CANCEL) {
        if (job.active && job.seq == frame.seq) job_stop(FLAG_CANCELLED);
    } else if (frame.kind == KIND_LIFETIME) {
        set_lifetime(take_u64(&cursor));
    } else if (job.active) {
        die(EXIT_PROTOCOL, "a request while a command runs");
    } else if (frame.kind == KIND_EXEC) {
        start_exec(&frame);
    } else if (frame.kind == KIND_RUN) {
        start_run(&frame);
    } else if (frame.kind == KIND_OPEN) {
        open_session(&frame);
    } else if (frame.kind == KIND_READ) {
        read_file(&frame, settings.cwd);
    } else if (frame.kind == KIND_WRITE) {
        write_file(&frame, settings.cwd);
    } else {
        reply_error(frame.seq, ENOSYS, "unknown request");
    }
}

static int milliseconds_left(uint64_t now) {
    uint64_t until = settings.deadline;
    if (job.active && job.deadline < until) until = job.deadline;
    uint64_t left = until > now ? (until - now + 999999u) / 1000000u : 0;
    if (job.active && job.quiet && left > QUIET_MS) return QUIET_MS;
    return left > 1000000 ? 1000000 : (int)left;
}

/* The descriptors to wait for, in the order in which turn() looks at them. */
static int gather(struct pollfd *fds, int signals) {
    int count = 0;
    fds[count++] = (struct pollfd){wire_in(), POLLIN, 0};
    fds[count++] = (struct pollfd){signals, POLLIN, 0};
    fds[count++] = (struct pollfd){job.out.fd, POLLIN, 0};
    fds[count++] = (struct pollfd){job.err.fd, POLLIN, 0};
    int pending = job.active && job.input_sent < job.input_length;
    fds[count++] = (struct pollfd){pending ? job.input_fd : -1, POLLOUT, 0};
    for (int i = 0; i < SESSIONS; i++) {
        int quiet = job.active && job.quiet && job.session == &sessions[i];
        fds[count++] = (struct pollfd){quiet ? -1 : sessions[i].out.fd, POLLIN, 0};
        fds[count++] = (struct pollfd){quiet ? -1 : sessions[i].err.fd, POLLIN, 0};
        fds[count++] = (struct pollfd){sessions[i].status, POLLIN, 0};
    }
    return count;
}

static void turn(int signals) {
    struct pollfd fds[5 + 3 * SESSIONS];
    int count = gather(fds, signals);
    int patience = wire_pending() ? 0 : milliseconds_left(now_ns());
    if (poll(fds, (nfds_t)count, patience) == 0) job.quiet = 0;
    uint64_t now = now_ns();
    if (now >= settings.deadline) end_all(EXIT_LIFETIME);
    if (fds[2].revents) capture_drain(&job.out, DRAIN_BUDGET);
    if (fds[3].revents) capture_drain(&job.err, DRAIN_BUDGET);
    if (fds[4].revents) job_pump_input();
    for (int i = 0; i < SESSIONS; i++) {
        struct pollfd *mine = &fds[5 + 3 * i];
        if (mine[0].revents) capture_drain(&sessions[i].out, DRAIN_BUDGET);
        if (mine[1].revents) capture_drain(&sessions[i].err, DRAIN_BUDGET);
        if (mine[2].revents && sessions[i].status >= 0) session_read_status(&sessions[i]);
    }
    if (fds[1].revents) reap(signals);
    job_check_output();
    job_check_time(now);
    if (fds[0].revents || wire_pending()) serve();
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "launch")) return launch_main(argc - 2, argv + 2);
    contained = !(argc == 3 && !strcmp(argv[2], "--local"));
    if (argc < 2 || argc > 3 - contained || strcmp(argv[1], "init")) {
        dprintf(2, "usage: hub-sandbox-init init [--local] | launch OPTIONS -- PROGRAM ...\n");
        return 64;
    }
    if (!contained) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (contained && getpid() != 1) die(74, "not PID 1: this container has no PID namespace of its own");
    adopt_pipes();
    int signals = catch_children();
    configure();
    for (;;) turn(signals);
}
