"""The errors of each system call: those that its manual page lists and that a correct program meets
on some system (a full disk, a network file system, a container without a privilege, a signal).
"short" reads or writes one byte. Omissions have a reason."""
# SPDX-License-Identifier: Apache-2.0

OPENING = "EIO EACCES EPERM EMFILE ENFILE ENOMEM EINTR ELOOP ESTALE ENODEV"
STATUS = "EIO EACCES ESTALE ENOMEM ELOOP"
MOVING = "EIO EACCES ENOSPC EXDEV EROFS EPERM"
ERRORS = {
    "open": OPENING, "openat": OPENING, "openat2": OPENING + " ENOSYS EAGAIN", "creat": OPENING,
    "close": "EIO EINTR", "close_range": "ENOMEM ENOSYS EPERM",
    "read": "EIO EINTR ESTALE EISDIR short", "pread64": "EIO EINTR ESTALE short", "readv": "EIO EINTR",
    "write": "EIO EINTR ENOSPC EDQUOT EFBIG EPIPE short", "pwrite64": "EIO EINTR ENOSPC EDQUOT EFBIG short",
    "writev": "EIO EINTR ENOSPC EPIPE", "lseek": "ESPIPE EIO",
    "sendfile": "EIO EINVAL ENOMEM", "copy_file_range": "EIO EXDEV EINVAL ENOSPC ENOSYS",
    "fsync": "EIO EINTR ENOSPC EINVAL EDQUOT", "fdatasync": "EIO EINTR ENOSPC EINVAL",
    "ftruncate": "EIO EINTR EFBIG EPERM", "fallocate": "EOPNOTSUPP ENOSPC EINTR",
    "rename": MOVING, "renameat": MOVING, "renameat2": MOVING + " EINVAL ENOSYS",
    "link": MOVING + " EMLINK", "linkat": MOVING + " EMLINK", "symlink": MOVING,
    "unlink": "EIO EACCES EBUSY EROFS", "unlinkat": "EIO EACCES EBUSY EROFS", "rmdir": "EIO EACCES EBUSY ENOTEMPTY",
    "mkdir": "EIO EACCES ENOSPC EROFS EDQUOT", "mkdirat": "EIO EACCES ENOSPC EROFS EDQUOT",
    "chmod": "EIO EPERM EROFS", "fchmod": "EIO EPERM EROFS", "fchmodat": "EIO EPERM EROFS", "fchown": "EIO EPERM EROFS",
    "utimensat": "EIO EPERM EROFS",
    "flock": "ENOLCK ENOSYS EOPNOTSUPP EINTR EWOULDBLOCK",
    "stat": STATUS, "lstat": STATUS, "fstat": "EIO ESTALE ENOMEM", "newfstatat": STATUS, "statx": STATUS + " ENOSYS",
    "statfs": "EIO ENOSYS EACCES", "fstatfs": "EIO ENOSYS", "access": STATUS, "faccessat": STATUS,
    "faccessat2": STATUS + " ENOSYS",
    "readlink": "EIO EACCES ENOMEM", "readlinkat": "EIO EACCES ENOMEM", "getdents64": "EIO ENOMEM ESTALE",
    "getcwd": "ENOENT EACCES ENOMEM", "chdir": "EIO EACCES ENOMEM", "fchdir": "EIO EACCES",
    "getxattr": "EOPNOTSUPP EIO EACCES", "fgetxattr": "EOPNOTSUPP EIO", "flistxattr": "EOPNOTSUPP EIO",
    "fsetxattr": "EOPNOTSUPP EPERM ENOSPC EDQUOT", "fremovexattr": "EOPNOTSUPP EPERM",
    "mmap": "ENOMEM", "mremap": "ENOMEM", "mprotect": "ENOMEM", "madvise": "EINVAL ENOMEM", "brk": "ENOMEM",
    "memfd_create": "EMFILE ENOSYS ENOMEM EPERM",
    "dup": "EMFILE", "dup2": "EBUSY EINTR", "dup3": "EBUSY EINTR",
    "pipe": "EMFILE ENFILE", "pipe2": "EMFILE ENFILE", "socketpair": "EMFILE ENFILE ENOMEM",
    "sendto": "EPIPE EINTR ENOBUFS short", "recvfrom": "ECONNRESET EINTR short", "sendmsg": "EPIPE EINTR",
    "recvmsg": "ECONNRESET EINTR", "shutdown": "ENOTCONN",
    "poll": "EINTR ENOMEM", "ppoll": "EINTR ENOMEM", "select": "EINTR ENOMEM", "pselect6": "EINTR ENOMEM",
    "epoll_create1": "EMFILE ENOMEM", "epoll_wait": "EINTR", "inotify_init1": "EMFILE ENOMEM ENOSYS",
    "inotify_add_watch": "ENOSPC ENOMEM EACCES", "eventfd2": "EMFILE ENFILE", "signalfd4": "EMFILE ENFILE ENODEV",
    "timerfd_create": "EMFILE ENODEV", "pidfd_open": "EMFILE ENOSYS EPERM",
    "fork": "EAGAIN ENOMEM", "vfork": "EAGAIN ENOMEM", "clone": "EAGAIN ENOMEM", "clone3": "EAGAIN ENOMEM ENOSYS",
    "execve": "EACCES ENOENT ENOMEM EIO ETXTBSY", "wait4": "EINTR", "waitid": "EINTR",
    "rt_sigtimedwait": "EINTR",
    "nanosleep": "EINTR", "clock_nanosleep": "EINTR", "setpgid": "EPERM", "setsid": "EPERM", "setitimer": "EINVAL",
    "setrlimit": "EPERM", "getrlimit": "EINVAL", "prlimit64": "EPERM ENOSYS", "prctl": "EINVAL ENOSYS",
    "seccomp": "EINVAL ENOSYS", "landlock_create_ruleset": "ENOSYS EOPNOTSUPP EINVAL",
    "landlock_add_rule": "EINVAL ENOMEM", "landlock_restrict_self": "EPERM E2BIG",
    "sched_getaffinity": "EINVAL ENOSYS", "sched_setaffinity": "EPERM EINVAL", "mlock": "ENOMEM EPERM",
}
EXCLUDED = {
    "fcntl": "asks and sets the flags of descriptors, which fails only for a wrong one",
    "munmap": "fails only where the process has too many mappings, and what stays mapped changes nothing",
    "getrandom": "fails only for a wrong pointer, once the system has started",
    "ioctl": "asks whether an output is a terminal: each error says that it is none",
    "kill": "fails only where the process has ended",
    "sysinfo": "fails only for a wrong pointer",
}
# Errors of files that pipes and sockets do not have.
OF_FILES = ("EFBIG", "ENOSPC", "EDQUOT", "ESTALE", "EISDIR")
# Failures that are not reported: verb and call.
UNTOLD = {
    ("lsp", "write"): "standard output is the editor, which has gone",
}
# These must not change anything.
HARMLESS = ("EINTR", "short")
SIGNALS = ("kill", "interrupt", "terminate")
# Known behavior of libraries: program, call, problem, and the file, or "" for any.
OF_LIBRARIES = {
    # oneDNN assumes that it gets memory for generated code.
    ("opledger-run", "mmap", "ends by signal 11", ""),
    # The C library counts processors and assumes that it reads this line completely.
    ("opledger", "read", "short changes the result", "/sys/devices/system/cpu/online"),
}
