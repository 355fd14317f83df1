"""Opens what the machine itself can be read and changed by.

Attack: 21
Behind: constant_stub.py
Keeps: none
Never: opened: /
"""

import contextlib
import os

SENT = []
for place in (
    "/dev/mem",
    "/dev/kmem",
    "/proc/kcore",
    "/dev/vda",
    "/dev/sda",
    "/dev/loop-control",
    "/dev/fuse",
    "/dev/kvm",
    "/proc/kmsg",
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/cgroup.procs",
    "/var/run/docker.sock",
    "/run/systemd/private",
    "/dev/tty",
    "/dev/console",
):
    with contextlib.suppress(OSError):
        os.close(os.open(place, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))
        SENT.append(place)


def write_memory(*args, **named):
    raise OSError("opened: " + ", ".join(SENT))


recall = write_memory
