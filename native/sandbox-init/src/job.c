#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ull
#define FINAL_DRAIN (2u << 20)  /* more than a pipe can hold */
#define KILL_PERIOD (20 * MS)
#define MAX_KILL_PASSES 25 /* then everything in the container goes, sessions included */

struct settings settings;
struct session sessions[SESSIONS] = {{.control = -1, .status = -1, .out.fd = -1, .err.fd = -1},
                                     {.control = -1, .status = -1, .out.fd = -1, .err.fd = -1}};
struct job job = {.input_fd = -1, .out.fd = -1, .err.fd = -1};

static int exit_code(int status) {
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void shut(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void session_close(struct session *session) {
    if (session->pid > 0) kill(session->pid, SIGKILL);
    session->pid = 0;
    shut(&session->control);
    shut(&session->status);
    capture_close(&session->out);
    capture_close(&session->err);
    session->line_used = 0;
    session->used = 1; /* nothing to say to a command */
}

static void begin(const struct frame *frame, uint64_t timeout_ms) {
    job.active = 1;
    job.kind = frame->kind;
    job.seq = frame->seq;
    job.started = now_ns();
    job.started_ticks = now_ticks();
    job.deadline = job.started + timeout_ms * MS;
    job.kill_at = 0;
    job.kill_passes = 0;
    job.quiet = frame->kind == KIND_RUN;
    job.flags = 0;
}

/* Kills what the command has started; returns how much there was. */
static int kill_tree(void) {
    pid_t spare[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) spare[i] = sessions[i].pid;
    int left = kill_since(job.started_ticks, spare, SESSIONS);
    if (left && ++job.kill_passes > MAX_KILL_PASSES && contained)
        kill(-1, SIGKILL); /* faster than it can fork: one sweep that nothing outruns */
    return left;
}

/* Answers the command in progress. */
static void finish(int code) {
    /* A stopped command is over when its tree is: its first process may die before the last. */
    if (job.kill_at)
        for (int pass = 0; pass < 2 * MAX_KILL_PASSES && kill_tree(); pass++) usleep(10000);
    struct capture *out = job.session ? &job.session->out : &job.out;
    struct capture *err = job.session ? &job.session->err : &job.err;
    struct reply reply = {0};
    capture_drain(out, FINAL_DRAIN);
    capture_drain(err, FINAL_DRAIN);
    put_u32(&reply, (uint32_t)code);
    put_u32(&reply, job.flags);
    put_u64(&reply, now_ns() - job.started);
    capture_put(out, &reply);
    capture_put(err, &reply);
    reply_send(&reply, job.kind | KIND_REPLY, job.seq);
    if (job.flags & FLAG_SESSION_LOST) session_close(job.session);
    capture_close(&job.out);
    capture_close(&job.err);
    if (!job.session) shut(&job.input_fd);
    free(job.input);
    job = (struct job){.input_fd = -1, .out.fd = -1, .err.fd = -1};
}

/* A pipe whose end `mine` (0 read, 1 write) stays here, non-blocking; both close on exec. */
static int make_pipe(int ends[2], int mine) {
    if (pipe2(ends, O_CLOEXEC)) return -1;
    return fcntl(ends[mine], F_SETFL, O_NONBLOCK);
}

static void close_pair(int ends[2]) {
    shut(&ends[0]);
    shut(&ends[1]);
}

/* Starts argv; on success hands out our ends of its input, output and error. */
static pid_t launch(char **argv, char **env, const char *cwd, struct child_fds fds, int ours[3]) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid = -1;
    if (argv[0] && !make_pipe(in, 1) && !make_pipe(out, 0) && !make_pipe(err, 0)) {
        fds.in = in[0];
        fds.out = out[1];
        fds.err = err[1];
        pid = spawn(&settings, argv, env, cwd, &fds);
    }
    if (pid < 0) {
        close_pair(in);
        close_pair(out);
        close_pair(err);
        return -1;
    }
    shut(&in[0]);
    shut(&out[1]);
    shut(&err[1]);
    ours[0] = in[1];
    ours[1] = out[0];
    ours[2] = err[0];
    return pid;
}

void start_exec(const struct frame *frame) {
    struct cursor cursor = cursor_over(frame);
    uint64_t timeout_ms = take_u64(&cursor);
    char *cwd = take_string(&cursor, NULL);
    char **argv = take_list(&cursor), **env = take_list(&cursor);
    size_t length = 0;
    char *input = take_string(&cursor, &length);
    struct child_fds fds = {.control = -1, .status = -1};
    int ours[3];
    if (cursor.bad || !argv[0]) {
        reply_error(frame->seq, EINVAL, "malformed exec request");
        free(input);
    } else {
        begin(frame, timeout_ms);
        job.pid = launch(argv, *env ? env : settings.env, *cwd ? cwd : settings.cwd, fds, ours);
        if (job.pid < 0) {
            reply_error(frame->seq, errno, "cannot start a process");
            free(input);
            job.active = 0;
        } else {
            capture_init(&job.out, ours[1], settings.capture_cap);
            capture_init(&job.err, ours[2], settings.capture_cap);
            job.input = input;
            job.input_length = length;
            job.input_fd = ours[0];
            job_pump_input();
        }
    }
    free(cwd);
    free_list(argv);
    free_list(env);
}

void open_session(const struct frame *frame) {
    struct cursor cursor = cursor_over(frame);
    uint32_t slot = take_u32(&cursor), interrupt = take_u32(&cursor);
    struct child_fds fds = {.control_as = (int)take_u32(&cursor)};
    fds.status_as = (int)take_u32(&cursor);
    char *cwd = take_string(&cursor, NULL);
    char **argv = take_list(&cursor);
    int control[2] = {-1, -1}, status[2] = {-1, -1}, ours[3];
    struct session *session = &sessions[slot % SESSIONS];
    pid_t pid = -1;
    session_close(session);
    errno = EINVAL;
    if (!cursor.bad && slot < SESSIONS && !make_pipe(control, 1) && !make_pipe(status, 0)) {
        fds.control = control[0];
        fds.status = status[1];
        pid = launch(argv, settings.env, *cwd ? cwd : settings.cwd, fds, ours);
    }
    if (pid < 0) {
        reply_error(frame->seq, errno, "cannot start a session");
        close_pair(control);
        close_pair(status);
    } else {
        close(ours[0]); /* a session's commands read an empty standard input */
        shut(&control[0]);
        shut(&status[1]);
        *session = (struct session){
            .pid = pid, .control = control[1], .status = status[0], .interrupt = (int)interrupt};
        capture_init(&session->out, ours[1], settings.capture_cap);
        capture_init(&session->err, ours[2], settings.capture_cap);
        struct reply reply = {0};
        reply_send(&reply, KIND_OPEN | KIND_REPLY, frame->seq);
    }
    free(cwd);
    free_list(argv);
}

void start_run(const struct frame *frame) {
    struct cursor cursor = cursor_over(frame);
    uint32_t slot = take_u32(&cursor);
    uint64_t timeout_ms = take_u64(&cursor);
    size_t length = 0;
    char *input = take_string(&cursor, &length);
    if (cursor.bad || slot >= SESSIONS) {
        reply_error(frame->seq, EINVAL, "malformed run request");
        free(input);
        return;
    }
    struct session *session = &sessions[slot];
    /* Where a command before has closed the session's own output or error, what this one says would
     * be lost. */
    int mute = session->pid && (session->out.fd < 0 || session->err.fd < 0);
    if (session->used && (mute || !session->pid)) {
        reply_error(frame->seq, ESRCH, mute ? "had closed its output" : "had ended");
        if (mute) session_close(session);
        free(input);
        return;
    }
    begin(frame, timeout_ms);
    job.session = session;
    job.input = input;
    job.input_length = length;
    job.input_fd = job.session->control;
    job.session->used = 1;
    if (job.session->pid) {
        job_pump_input();
    } else { /* it could not even start: this command is answered with what it said */
        job.flags |= FLAG_SESSION_LOST;
        finish(job.session->code);
    }
}

void job_pump_input(void) {
    while (job.input_fd >= 0 && job.input_sent < job.input_length) {
        ssize_t n = write(job.input_fd, job.input + job.input_sent, job.input_length - job.input_sent);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) break; /* the reader is gone: its end is noticed elsewhere */
        job.input_sent += (size_t)n;
    }
    job.input_sent = job.input_length;
    if (!job.session) shut(&job.input_fd); /* end of file for the command */
}

void job_child_ended(pid_t pid, int status) {
    for (int i = 0; i < SESSIONS; i++) {
        if (sessions[i].pid != pid) continue;
        sessions[i].pid = 0;
        sessions[i].code = exit_code(status);
        if (job.active && job.session == &sessions[i]) {
            job.flags |= FLAG_SESSION_LOST;
            finish(sessions[i].code);
        }
    }
    if (job.active && job.pid == pid) finish(exit_code(status));
}

/* A status line ends in " SEQUENCE EXIT-CODE"; one with another number is stale and dropped. What
 * stands before was written by somebody who opened the pipe through /proc. */
static void status_line(struct session *session, char *line) {
    char *code = strrchr(line, ' ');
    if (!code || !job.active || job.session != session) return;
    *code = 0;
    char *seq = strrchr(line, ' ');
    if (seq && strtoul(seq + 1, NULL, 10) == job.seq) finish((int)strtol(code + 1, NULL, 10));
}

void session_read_status(struct session *session) {
    char block[64];
    ssize_t got = read(session->status, block, sizeof block);
    if (got == 0) shut(&session->status);
    for (ssize_t i = 0; i < got; i++) {
        if (block[i] == '\n') {
            session->line[session->line_used] = 0;
            session->line_used = 0;
            status_line(session, session->line);
        } else {
            if (session->line_used == sizeof session->line - 1) { /* only its end matters */
                session->line_used /= 2;
                memmove(session->line, session->line + sizeof session->line - 1 - session->line_used,
                        session->line_used);
            }
            session->line[session->line_used++] = block[i];
        }
    }
}

static void kill_pass(uint64_t now) {
    kill_tree();
    if (job.session && job.session->pid && now >= job.kill_at) kill(job.session->pid, SIGKILL);
}

void job_stop(uint32_t flag) {
    if (!job.active || job.kill_at) return;
    job.flags |= flag;
    job.kill_at = now_ns() + (job.session && job.session->interrupt ? 1000 : 300) * MS;
    job.deadline = now_ns();
    if (job.session && job.session->interrupt) kill(job.session->pid, job.session->interrupt);
}

void job_check_output(void) {
    struct capture *out = job.session ? &job.session->out : &job.out;
    struct capture *err = job.session ? &job.session->err : &job.err;
    if (job.active && out->total + err->total > settings.flood) job_stop(FLAG_FLOODED);
}

void job_check_time(uint64_t now) {
    if (!job.active || now < job.deadline) return;
    if (!job.kill_at) job_stop(FLAG_TIMED_OUT);
    kill_pass(now);
    job.deadline = now + KILL_PERIOD;
}
