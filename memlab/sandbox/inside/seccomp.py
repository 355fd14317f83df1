"""Denies system calls to the learner's process, permanently, by a seccomp(2) filter on x86_64 and aarch64.

A filter is a program for the virtual machine of bpf(4): it reads a call's number and arguments, and returns a verdict.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""For each machine: its column below, and its number in the kernel (linux/audit.h)."""
FORBIDDEN = {
    # new processes, and other programs
    "fork": (57, None), "vfork": (58, None),
    "execve": (59, 221), "execveat": (322, 281),
    # the network
    "socket": (41, 198),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    # another view of the system
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "fsopen": (430, 430), "open_tree": (428, 428),
    "name_to_handle_at": (303, 264), "personality": (135, 92),
    # memory that no limit counts, or that remains after its process
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    # interfaces of the kernel that a learner's file does not need
    "bpf": (321, 280), "userfaultfd": (323, 282), "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
}  # fmt: skip
OWN = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
       "rt_tgsigqueueinfo": (297, 240)}  # fmt: skip
"""Allowed if the first argument is the id of the process itself."""
SYSTEMS_MAY = frozenset({
    "fork", "vfork", "execve", "execveat", "memfd_create", "pidfd_open", "pidfd_send_signal",
    "setpriority", "ioprio_set", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
    "process_madvise", "migrate_pages", "move_pages",
})  # fmt: skip
"""What libraries of memory systems need: processes, threads, and where these run."""
PRETENDED = {
    "chmod": (90, None), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "setxattrat": (463, 463), "removexattrat": (466, 466), "file_setattr": (469, 469),
}  # fmt: skip
"""Calls that do nothing but report success: they could change any file of the user, and landlock allows them."""
CLONE, CLONE3 = (56, 220), (435, 435)
"""The calls that start a process or a thread. A filter cannot read the flags of the second, which are in memory."""
THREAD, NAMESPACES = 0x00010000, 0x7E020000
"""Flags of clone(2): a new thread of this process; a new view of the system."""
PRLIMIT, PRCTL, SOCKETPAIR = (302, 261), (157, 167), (53, 199)
PARENT_DEATH_SIGNAL, STREAM = 1, 1
NUMBER, MACHINE, FIRST, SECOND = 0, 4, 16, 24
"""Offsets of a call's number, the machine, and the lower halves of two arguments."""
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
Code = list[tuple[int, int, int, int]]


class Program(ctypes.Structure):
    """A filter in the form that the kernel takes."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def known() -> bool:
    """Return whether the system calls of this machine are in the tables."""
    return sys.platform == "linux" and os.uname().machine in MACHINES


def forbid(*, pretend: bool) -> None:
    """Deny these system calls from now on; with `pretend`, those that change a file by its path do nothing."""
    _install(program(os.uname().machine, os.getpid(), pretend=pretend))


def forbid_processes() -> None:
    """Deny starting a process from now on; where the kernel has no filters, deny threads as well."""
    column, kind = MACHINES[os.uname().machine]
    code = _head(kind)
    for name in ("fork", "vfork"):
        code += when(FORBIDDEN[name][column], [(RETURN, 0, 0, REFUSE | errno.EPERM)])
    try:
        _install([*code, *_only_threads(column), (RETURN, 0, 0, ALLOW)])
    except OSError:
        import resource  # noqa: PLC0415 - not everywhere

        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def forbid_systems(*, sockets: bool) -> None:
    """Deny system calls that no library of a memory system needs; without `sockets`, also deny opening sockets."""
    column, kind = MACHINES[os.uname().machine]
    may = SYSTEMS_MAY | {"socket"} if sockets else SYSTEMS_MAY
    code = _head(kind)
    for number in (one[column] for name, one in FORBIDDEN.items() if name not in may):
        code += when(number, [(RETURN, 0, 0, REFUSE | errno.EPERM)])
    _install([*code, (RETURN, 0, 0, ALLOW)])


def _install(code: Code) -> None:
    packed = b"".join(struct.pack("=HBBI", *one) for one in code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    filter_ = Program(len(packed) // 8, packed)
    if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(SECCOMP, FILTER, ctypes.byref(filter_), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def program(machine: str, process: int, *, pretend: bool) -> Code:
    """Return the filter. Raises KeyError for a machine that is not in the tables."""
    column, kind = MACHINES[machine]
    refuse = REFUSE | errno.EPERM
    code = _head(kind)
    for number in (one[column] for one in FORBIDDEN.values()):
        code += when(number, [(RETURN, 0, 0, refuse)])
    for number in (one[column] for one in PRETENDED.values() if pretend):
        code += when(number, [(RETURN, 0, 0, REFUSE)])  # error number 0 means success
    for number in (one[column] for one in OWN.values()):
        code += when(number, only(FIRST, {process}, refuse))
    code += _only_threads(column)
    code += when(PRLIMIT[column], only(FIRST, {0, process}, refuse))
    code += when(PRCTL[column], [(LOAD, 0, 0, FIRST), (EQUAL, 0, 1, PARENT_DEATH_SIGNAL), (RETURN, 0, 0, refuse)])
    code += when(SOCKETPAIR[column], only(SECOND, {STREAM}, refuse, mask=0xF))  # others can be sent to any address
    return [*code, (RETURN, 0, 0, ALLOW)]


def _only_threads(column: int) -> Code:
    """Allow starting threads, and no process. Without clone3, a C library uses clone."""
    code = when(CLONE[column], only(FIRST, {THREAD}, REFUSE | errno.EPERM, mask=THREAD | NAMESPACES))
    return code + when(CLONE3[column], [(RETURN, 0, 0, REFUSE | errno.ENOSYS)])


def _head(kind: int) -> Code:
    """Return the start of a filter: it loads the call's number, and kills a process with calls of another machine."""
    code: Code = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, kind), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    return [*code, (AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, KILL)]  # the x32 call numbers of x86_64


def when(number: int | None, then: Code) -> Code:
    """Apply `then` to the calls of a number; allow those for which it returns no verdict."""
    if number is None:  # this machine does not have the call
        return []
    judged = [*then, (RETURN, 0, 0, ALLOW)]
    return [(EQUAL, 0, len(judged), number), *judged]


def only(argument: int, values: set[int], otherwise: int, mask: int = 0xFFFFFFFF) -> Code:
    """Allow a call if an argument is one of some values."""
    code: Code = [(LOAD, 0, 0, argument), (AND, 0, 0, mask)]
    for value in sorted(values):
        code += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
    return [*code, (RETURN, 0, 0, otherwise)]
