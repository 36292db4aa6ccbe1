/* The command in progress (at most one) and the persistent sessions. */
#ifndef HUB_JOB_H
#define HUB_JOB_H

#include <poll.h>

#include "capture.h"
#include "tree.h"

#define SESSIONS 2 /* the host's shell and its Python */
/* For so long a session's command is only waited for: looking at its output as it comes would cost
 * a short one two more switches between processes. */
#define QUIET_MS 1

struct session {
    pid_t pid; /* 0: none */
    int code;  /* how it ended */
    int used;  /* a command was put to it */
    int control, status;
    int interrupt; /* signal that asks it to give up a command; 0: none */
    struct capture out, err;
    char line[64]; /* the status line read so far */
    size_t line_used;
};

struct job {
    int active;
    uint8_t kind;
    uint32_t seq;
    pid_t pid;               /* KIND_EXEC */
    struct session *session; /* KIND_RUN */
    uint64_t started, started_ticks, deadline;
    uint64_t kill_at; /* when the session itself is killed too; 0: nothing is being killed */
    int kill_passes;
    int quiet; /* its output is not looked at yet: see QUIET_MS */
    uint32_t flags;
    char *input; /* still to be written to the command, or to the session's control pipe */
    size_t input_length, input_sent;
    int input_fd;
    struct capture out, err;
};

extern struct settings settings;
extern struct session sessions[SESSIONS];
extern struct job job;

void start_exec(const struct frame *frame);
void start_run(const struct frame *frame);
void open_session(const struct frame *frame);

/* Called by the loop. */
void job_pump_input(void);
void job_child_ended(pid_t pid, int status);
void job_check_output(void);
void job_check_time(uint64_t now);
void job_stop(uint32_t flag);
void session_read_status(struct session *session);

#endif
