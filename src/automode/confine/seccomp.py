"""The filter of system calls: what neither bubblewrap nor Landlock can refuse."""

import errno
import os
import struct
from collections.abc import Iterator

_NUMBERS = {
    # name: (x86_64, aarch64)
    "clone": (56, 220),
    "clone3": (435, 435),
    "ioctl": (16, 29),
    "io_uring_setup": (425, 425),
    "prlimit64": (302, 261),
    "socket": (41, 198),
    "unshare": (272, 97),
}
_REFUSED = {
    # keyrings
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    # the kernel itself
    "acct": (163, 89),
    "bpf": (321, 280),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "init_module": (175, 105),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "perf_event_open": (298, 241),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "userfaultfd": (323, 282),
}
_SHARED_MEMORY = {
    # other programs' shared memory, semaphores and queues, where there is no namespace of our own
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "semget": (64, 190),
    "shmget": (29, 194),
}
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_NEW_TIME = 0x80
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16

_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NR, _ARCH, _ARGUMENT = (
    0,
    4,
    16,
)  # the lower half of the first argument; both machines are little-endian
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_Code = list[tuple[int, int, int, int]]


class UnknownMachine(Exception):
    """There is no table of system calls for this processor."""


def filter_program(*, families: tuple[int, ...], own_namespaces: bool) -> bytes:
    """A BPF program as `seccomp(2)` and `bwrap --seccomp` take it. Sockets can be made of
    `families` alone; without namespaces of its own a command gets no shared memory by key, and
    cannot set limits of other processes."""
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise UnknownMachine(f"there is no table of system calls for `{machine}`")
    column, architecture = _ARCHITECTURES[machine]
    code: _Code = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _ERROR | errno.EPERM),  # a program for another processor
        (_LOAD, 0, 0, _NR),
    ]
    if machine == "x86_64":
        code += [(_JUMP_ABOVE, 0, 1, _X32), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    refused = dict(_REFUSED) if own_namespaces else {**_REFUSED, **_SHARED_MEMORY}
    for numbers in refused.values():
        code += _call(numbers[column], [(_RETURN, 0, 0, _ERROR | errno.EPERM)])
    for name, body in _checked(families, own_namespaces=own_namespaces):
        code += _call(_NUMBERS[name][column], body)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *line) for line in code)


def _call(number: int, body: _Code) -> _Code:
    return [(_JUMP_EQUAL, 0, len(body), number), *body]


def _checked(families: tuple[int, ...], *, own_namespaces: bool) -> Iterator[tuple[str, _Code]]:
    """Calls that depend on an argument. Every body ends with a return."""
    refuse = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    allow = (_RETURN, 0, 0, _ALLOW)
    # `clone3` hides its flags from a filter; programs take `clone` where there is none.
    yield "clone3", [(_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    # What is asked through a ring passes no filter.
    yield "io_uring_setup", [(_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    for name, bits in (("clone", _NEW_NAMESPACES), ("unshare", _NEW_NAMESPACES | _NEW_TIME)):
        yield name, [(_LOAD, 0, 0, _ARGUMENT), (_JUMP_BITS, 0, 1, bits), refuse, allow]
    # Types into the terminal, as if the person did.
    second = _ARGUMENT + 8
    yield (
        "ioctl",
        [
            (_LOAD, 0, 0, second),
            (_JUMP_EQUAL, 1, 0, _TIOCSTI),
            (_JUMP_EQUAL, 0, 1, _TIOCLINUX),
            refuse,
            allow,
        ],
    )
    body: _Code = [(_LOAD, 0, 0, _ARGUMENT)]
    for left, family in zip(range(len(families), 0, -1), families, strict=True):
        body.append((_JUMP_EQUAL, left, 0, family))
    body += [(_RETURN, 0, 0, _ERROR | errno.EACCES), allow]
    yield "socket", body
    if not own_namespaces:
        yield "prlimit64", [(_LOAD, 0, 0, _ARGUMENT), (_JUMP_EQUAL, 1, 0, 0), refuse, allow]
