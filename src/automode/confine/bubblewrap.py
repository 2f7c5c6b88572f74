"""A profile as mounts and namespaces: the options of `bwrap`."""

import fcntl
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field

from automode.confine.profile import BadOrder, Profile
from automode.confine.seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, filter_program

_REPLACED = ("/run", "/tmp", "/var/tmp", "/dev", "/proc")  # noqa: S108 (as they are inside)
_OWN_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108
_KEPT_OF_RUN = ("/run/current-system", "/run/opengl-driver")  # programs and libraries of NixOS
_PLACEHOLDER = 0o1500
"""The permission bits of a folder of ours: an empty folder with these is never somebody's work."""
_SOCKETS = "/proc/net/unix"


@dataclass(slots=True)
class Placeholders:
    """Empty folders where protected paths do not exist: something has to be there to be mounted
    on. Each call that needs one holds a shared lock on it; the last call to end removes it. `rmdir`
    removes nothing else."""

    _held: dict[str, int] = field(default_factory=dict)

    def hold(self, path: str) -> bool:
        """False where nothing can be made on this file system at all. Raises OSError."""
        while path not in self._held:
            try:
                os.mkdir(path, 0o700)
                os.chmod(path, _PLACEHOLDER)
            except FileExistsError:
                pass
            except OSError as error:
                if error.errno == 30:  # EROFS
                    return False
                raise
            self._lock(path)
        return True

    def is_one(self, path: str, state: os.stat_result) -> bool:
        """Also one that a killed call has left."""
        ours = state.st_uid == os.geteuid() and stat.S_IMODE(state.st_mode) == _PLACEHOLDER
        return stat.S_ISDIR(state.st_mode) and ours and not os.listdir(path)

    def _lock(self, path: str) -> None:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            held = os.open(path, flags)
        except FileNotFoundError:
            return  # the call that used it has just removed it
        fcntl.flock(held, fcntl.LOCK_SH)
        try:
            if os.path.samestat(os.fstat(held), os.stat(path, follow_symlinks=False)):
                self._held[path] = held
                return
        except FileNotFoundError:
            pass
        os.close(held)

    def release(self) -> None:
        for path, held in self._held.items():
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.rmdir(path)
            except OSError:
                pass  # another call still needs it, or somebody has put something there
            os.close(held)
        self._held.clear()


def options(profile: Profile, folder: str, placeholders: Placeholders) -> list[str]:
    """Of `bwrap`, up to the command. Raises BadOrder for what mounts cannot hold, and OSError."""
    roots = _outermost(os.path.realpath(path) for path in (profile.workspace, *profile.writable))
    if not os.path.isdir(os.path.realpath(profile.workspace)):
        raise BadOrder("the workspace is no folder")
    found = [
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"),
        *("--remount-ro", "/proc"),  # else root changes settings of the kernel
    ]
    for path in _KEPT_OF_RUN:
        found += ["--ro-bind-try", path, path]
    for path in _OWN_TEMPORARY:
        found += ["--bind", profile.temporary, path]
    for root in roots:
        if os.path.isdir(root):
            found += ["--bind", root, root]
    found += _read_only(profile, roots, placeholders)
    for path in sorted({os.path.realpath(path) for path in profile.hidden}):
        if _is_visible(path, roots):
            found += _masked(path)
    for path in _socket_paths(os.path.realpath(profile.temporary), roots):
        found += ["--ro-bind", os.devnull, path]
    return [*found, "--chdir", os.path.realpath(folder)]


def call_filter(profile: Profile) -> bytes:
    """bwrap always sets a loopback interface up; without the families there is no use in it."""
    internet = (AF_INET, AF_INET6) if profile.loopback else ()
    return filter_program(families=(AF_UNIX, AF_NETLINK, *internet), own_namespaces=True)


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _outermost(paths: Iterable[str]) -> list[str]:
    """Without those that lie in another one."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not any(is_inside(path, one) for one in found):
            found.append(path)
    return found


def _is_visible(path: str, roots: Iterable[str]) -> bool:
    """Whether the path leads to the same file inside."""
    if any(is_inside(path, root) for root in roots):
        return os.path.lexists(path)
    return os.path.lexists(path) and not any(is_inside(path, one) for one in _REPLACED)


def _masked(path: str) -> list[str]:
    if os.path.isdir(path):
        return ["--tmpfs", path, "--remount-ro", path]
    return ["--ro-bind", os.devnull, path]  # a device on a mount without devices: nobody opens it


def _read_only(profile: Profile, roots: list[str], placeholders: Placeholders) -> list[str]:
    pinned: set[str] = set()
    closed: set[str] = set()
    for path in profile.read_only:
        found = _within(path, profile, roots)
        if found is None:
            continue  # not writable anyway
        *above, last = _existing(*found, placeholders)
        if os.path.isfile(last) and os.stat(last).st_nlink > 1:
            raise BadOrder(f"`{last}` has a second name, under which it could be changed")
        if os.path.lexists(last) or placeholders.hold(last):
            pinned.update(above[1:])
            closed.add(last)
    # A folder could be renamed together with what is mounted in it, and a new one put in its
    # place. A mount point cannot be renamed.
    mounts = [("--bind", path) for path in sorted(pinned - closed)]
    mounts += [("--ro-bind", path) for path in _outermost(closed)]
    return [word for option, path in mounts for word in (option, path, path)]


def _existing(root: str, names: list[str], placeholders: Placeholders) -> list[str]:
    """The folders from `root` to a protected path, up to the first one that is missing."""
    found = [root]
    for name in names:
        place = os.path.join(found[-1], name)
        found.append(place)
        try:
            state = os.lstat(place)
        except FileNotFoundError:
            break
        if stat.S_ISLNK(state.st_mode):
            says = "it can be replaced, so what it leads to cannot be protected"
            raise BadOrder(f"`{place}` is a symbolic link in a writable folder: {says}")
        if placeholders.is_one(place, state):
            placeholders.hold(place)
            break
        if not stat.S_ISDIR(state.st_mode):
            break
    return found


def _within(path: str, profile: Profile, roots: list[str]) -> tuple[str, list[str]] | None:
    """The writable folder that holds the path, and the names that lead to it from there."""
    for given in (profile.workspace, *profile.writable):
        if is_inside(path, given):
            rest = path[len(given) :].lstrip("/")
            path = os.path.join(os.path.realpath(given), rest).rstrip("/")
            break
    else:
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    for root in roots:
        if is_inside(path, root):
            rest = path[len(root) :].strip("/")
            return root, rest.split("/") if rest else []
    return None


def _socket_paths(temporary: str, roots: list[str]) -> list[str]:
    """Where the path-name sockets of all programs in this network namespace are inside."""
    with open(_SOCKETS, encoding="utf-8", errors="surrogateescape") as file:
        rows = [line.rstrip("\n").split(None, 7) for line in file]
    found: list[str] = []
    for path in sorted({os.path.realpath(row[7]) for row in rows if row[7:] and row[7][0] == "/"}):
        if not os.path.exists(path) or not stat.S_ISSOCK(os.stat(path).st_mode):
            continue
        if is_inside(path, temporary):
            found += [own + path[len(temporary) :] for own in _OWN_TEMPORARY]
        if _is_visible(path, roots):
            found.append(path)
    return found
