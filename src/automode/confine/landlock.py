"""A profile as Landlock rules and a filter of system calls, where bubblewrap does not work."""

import ctypes
import os
import struct
from collections.abc import Iterator

from automode.confine.bubblewrap import writable_folders
from automode.confine.profile import BadOrder, Profile, open_unmoved
from automode.confine.seccomp import AF_NETLINK, filter_program

HELD_FROM = {3: "emptying files outside", 6: "signals to other processes"}
"""What only a kernel with at least this version of Landlock can refuse. Sockets, which versions 4
and 6 know of, are refused by the filter; devices, of which version 5 knows, are not given."""
NEEDED = max(HELD_FROM)
LIMITS = (
    "there are no sockets at all, not even for loopback",
    "nothing can be made, renamed or removed in a folder on the way to a protected path",
    "permission bits, owners and times of your files outside can be changed, their contents not",
    "names and arguments of other processes can be seen, their memory, files and environment not",
    "names in hidden folders can be listed",
    "what it tried of credentials, services and the network is not told",
    "if the wrapper itself is killed with SIGKILL, background processes live on, confined",
)
"""What is weaker, or narrower, than with bubblewrap."""

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # on all processors
_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_ALL = (1 << 16) - 1
_DEVICES = (1 << 6) | (1 << 11) | _IOCTL
_READING = _EXECUTE | _READ | _LIST
_WRITING = _ALL & ~_DEVICES
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_TCP = 3
_SCOPES = 3  # abstract sockets and signals
_TOUCHED = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")
_UNREAD = ("/dev", "/run", "/tmp", "/var/tmp", "/var/run")  # noqa: S108
_READ_AGAIN = ("/run/current-system", "/run/opengl-driver")
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _CAPBSET_DROP, _SET_DEATH_SIGNAL = 38, 22, 24, 1
_SET_SUBREAPER = 36
_AMBIENT, _CLEAR_ALL = 47, 4
_CAPABILITY_VERSION = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}


def version() -> int:
    """Of the kernel's Landlock; 0 where there is none."""
    found = _libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, int(found))


def missing(found: int) -> list[str]:
    """What a kernel with version `found` cannot hold."""
    return [what for needed, what in HELD_FROM.items() if found < needed]


def restrict(profile: Profile) -> None:
    """This process and those it starts, for ever. Raises OSError and BadOrder."""
    if version() < NEEDED:
        raise BadOrder("this kernel's Landlock is too old")
    rules = _rules(profile)
    libc = _libc()
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", _ALL, _TCP, _SCOPES), 24)
    ruleset = _checked(libc.syscall(_CREATE, attributes, ctypes.c_size_t(24), ctypes.c_uint32(0)))
    for path, rights in rules.items():
        try:
            place = open_unmoved(path)
        except (BadOrder, OSError):
            continue  # replaced or gone meanwhile, or not ours to reach: then it is not given
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        try:
            _checked(libc.syscall(_ADD, ruleset, ctypes.c_uint32(1), rule, ctypes.c_uint32(0)))
        finally:
            os.close(place)
    _drop_capabilities()
    _checked(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(libc.syscall(_RESTRICT, ruleset, ctypes.c_uint32(0)))
    os.close(ruleset)
    _filter(filter_program(families=(AF_NETLINK,), own_namespaces=False))


def die_with_parent(signal: int) -> None:
    _checked(_libc().prctl(_SET_DEATH_SIGNAL, signal, 0, 0, 0))


def adopt_orphans() -> None:
    """Processes that lose their parent become children of this one."""
    _checked(_libc().prctl(_SET_SUBREAPER, 1, 0, 0, 0))


def _rules(profile: Profile) -> dict[str, int]:
    """The rights below each path. Landlock only gives: where something inside a folder is withheld,
    the folder's entries are given one by one."""
    hidden = {os.path.realpath(path) for path in profile.hidden}
    roots = writable_folders(profile)
    temporary = os.path.realpath(profile.temporary)
    closed = set(hidden)
    for path in profile.read_only:
        for given in (profile.workspace, *profile.writable):
            if path == given or path.startswith(given + "/"):
                closed.add(os.path.realpath(given) + path[len(given) :])
        closed |= {path, os.path.realpath(path)}
    found: dict[str, int] = {}

    def give(path: str, rights: int, withheld: set[str]) -> None:
        for place, right in _below(path, rights, withheld):
            found[place] = found.get(place, 0) | right

    give("/", _READING, hidden | set(_UNREAD))
    for path in _READ_AGAIN:
        give(path, _READING, hidden)
    for path in map(os.path.realpath, profile.readable):
        give(path, _READING, hidden | set(_UNREAD))
    for root in [*roots, temporary]:
        give(root, _READING, hidden)
        give(root, _WRITING, closed)
    for path in _TOUCHED:
        found[path] = _READ | _WRITE | _TRUNCATE | _IOCTL
    found["/dev"] = _LIST
    return found


def _below(path: str, rights: int, withheld: set[str]) -> Iterator[tuple[str, int]]:
    if path in withheld or os.path.islink(path):
        return
    inner = path.rstrip("/") + "/"
    if not any(one.startswith(inner) for one in withheld):
        if os.path.exists(path):
            yield path, rights if os.path.isdir(path) else rights & _OF_A_FILE
        return
    if rights & _LIST:
        yield path, _LIST
    try:
        names = os.listdir(path)
    except OSError:
        return
    for name in names:
        yield from _below(inner + name, rights, withheld)


def _filter(program: bytes) -> None:
    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))

    found = Program(len(program) // 8, program)
    _checked(_libc().prctl(_SET_SECCOMP, 2, ctypes.byref(found), 0, 0))


def _drop_capabilities() -> None:
    """Root without them is an ordinary account."""
    libc = _libc()
    libc.prctl(_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    for capability in range(64):
        libc.prctl(
            _CAPBSET_DROP, capability, 0, 0, 0
        )  # those that are not ours to drop cannot be used
    head = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION, 0), 8)
    none = ctypes.create_string_buffer(24)
    _checked(libc.syscall(_CAPSET[os.uname().machine], head, none))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(found: int) -> int:
    if found < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return found
