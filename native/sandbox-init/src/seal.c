#include "seal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wire.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system call filter knows x86_64 and aarch64"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE(error) ANSWER(SECCOMP_RET_ERRNO | (error))
#define WHEN(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define DENY(name) WHEN(__NR_##name, 1), REFUSE(EPERM)
/* The low half of an argument; every flag and constant examined here fits in it. */
#define ARGUMENT(n) LOAD(args[n])

#define NAMESPACES                                                                              \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |     \
     CLONE_NEWCGROUP)

static struct sock_filter rules[] = {
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), REFUSE(EPERM), LOAD(nr),
#if defined(__x86_64__)
    /* The x32 interface would be a second set of numbers for the same calls. */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSE(ENOSYS),
#endif
    WHEN(__NR_clone3, 1), REFUSE(ENOSYS),
    WHEN(__NR_clone, 4), ARGUMENT(0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1),
    REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW),
    WHEN(__NR_ioctl, 6), ARGUMENT(1), WHEN(TIOCSTI, 1), REFUSE(EPERM), WHEN(TIOCLINUX, 1),
    REFUSE(EPERM), LOAD(nr),
    WHEN(__NR_socket, 7), ARGUMENT(0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 4, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0), REFUSE(EPERM), LOAD(nr),
    DENY(unshare), DENY(setns), DENY(mount), DENY(umount2), DENY(pivot_root), DENY(chroot),
    DENY(move_mount), DENY(open_tree), DENY(fsopen), DENY(fsconfig), DENY(fsmount), DENY(fspick),
    DENY(mount_setattr), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev),
    DENY(pidfd_getfd), DENY(keyctl), DENY(add_key), DENY(request_key), DENY(bpf),
    DENY(perf_event_open), DENY(userfaultfd), DENY(io_uring_setup), DENY(io_uring_enter),
    DENY(io_uring_register), DENY(kexec_load), DENY(kexec_file_load), DENY(init_module),
    DENY(finit_module), DENY(delete_module), DENY(swapon), DENY(swapoff), DENY(reboot), DENY(acct),
    DENY(syslog), DENY(quotactl), DENY(open_by_handle_at), DENY(name_to_handle_at), DENY(vhangup),
    DENY(personality), ANSWER(SECCOMP_RET_ALLOW),
};

static void drop_capabilities(void) {
    for (int cap = 0; cap <= 63; cap++) prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); /* best effort */
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    if (syscall(SYS_capset, &header, none)) die(73, "cannot drop capabilities");
}

void seal(void) {
    struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    struct rlimit no_core = {0, 0};
    drop_capabilities();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) die(73, "cannot set no-new-privileges");
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) die(73, "cannot become non-dumpable");
    if (setrlimit(RLIMIT_CORE, &no_core)) die(73, "cannot switch core files off");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
        die(73, "cannot install the system call filter");
}
