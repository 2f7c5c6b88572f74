"""A profile as mounts and namespaces: the options of `bwrap`."""

import fcntl
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from automode.confine.profile import BadOrder, Profile, open_unmoved
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


def options(
    profile: Profile,
    folder: str,
    placeholders: Placeholders,
    traps: Mapping[str, str],
    opened: list[int],
) -> list[str]:
    """Of `bwrap`, up to the command; `traps` are files to stand at hidden places. What other calls
    can replace meanwhile is mounted by a descriptor; those are put into `opened`. Raises BadOrder
    for what mounts cannot hold, and OSError."""
    folders = writable_folders(profile)
    found = [
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"),
        *("--remount-ro", "/proc"),  # else root changes settings of the kernel
    ]
    for path in _KEPT_OF_RUN:
        found += ["--ro-bind-try", path, path]
    mounts = {path: ["--bind", profile.temporary, path] for path in _OWN_TEMPORARY}
    mounts |= _shown(profile, folders)
    for path, option in _mounts(profile, folders, placeholders).items():
        opened.append(open_unmoved(path))
        mounts[path] = [option, str(opened[-1]), path]
    hidden = _hidden(profile, folders)
    mounts |= hidden
    for path, own in traps.items():
        masked = mounts.get(path, [])[1:2] == [os.devnull]
        if masked or (path not in mounts and _is_empty(path, mounts)):
            mounts[path] = ["--ro-bind", own, path]
    for path in sorted(mounts):  # a folder comes before what is in it
        found += mounts[path]
    for path, words in hidden.items():
        found += ["--remount-ro", path] if words[0] == "--tmpfs" else []
    for path in _socket_paths(os.path.realpath(profile.temporary), folders):
        if not _is_empty(path, mounts):
            found += ["--ro-bind", os.devnull, path]
    return [*found, "--chdir", os.path.realpath(folder)]


def call_filter(profile: Profile) -> bytes:
    """bwrap always sets a loopback interface up; without the families there is no use in it."""
    internet = (AF_INET, AF_INET6) if profile.loopback else ()
    return filter_program(families=(AF_UNIX, AF_NETLINK, *internet), own_namespaces=True)


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def writable_folders(profile: Profile) -> list[str]:
    """Real paths; the workspace is the first. A link in a folder that can be written could lead
    anywhere: what is behind it is left out."""
    given = (profile.workspace, *profile.writable)
    found = [os.path.realpath(profile.workspace)]
    if not os.path.isdir(found[0]):
        raise BadOrder("the workspace is no folder")
    for path in profile.writable:
        real = os.path.realpath(path)
        above = [one for one in given if one != path and is_inside(path, one)]
        if os.path.isdir(real) and all(
            real == os.path.realpath(one) + path[len(one) :] for one in above
        ):
            found.append(real)
    return found


def _nearest(path: str, folders: Iterable[str]) -> str:
    """The longest of `folders` that holds the path; empty where none does."""
    return max((one for one in folders if is_inside(path, one)), key=len, default="")


def _is_visible(path: str, folders: Iterable[str]) -> bool:
    """Whether the path leads to the same file inside."""
    if any(is_inside(path, root) for root in folders):
        return os.path.lexists(path)
    return os.path.lexists(path) and not any(is_inside(path, one) for one in _REPLACED)


def _hidden(profile: Profile, folders: list[str]) -> dict[str, list[str]]:
    """An empty folder for each hidden one. A file becomes a device on a mount without devices:
    nobody opens it."""
    shown = {*folders, *map(os.path.realpath, profile.readable)}
    hidden = {os.path.realpath(path) for path in profile.hidden}
    found: dict[str, list[str]] = {}
    for path in sorted(hidden):
        if not _is_visible(path, folders) or _nearest_above(path, shown | hidden) in hidden - shown:
            continue
        is_folder = os.path.isdir(path)
        found[path] = ["--tmpfs", path] if is_folder else ["--ro-bind", os.devnull, path]
    return found


def _shown(profile: Profile, folders: list[str]) -> dict[str, list[str]]:
    """What can be read below hidden folders, and the links by which it, and the workspace, are
    known there."""
    hidden = {os.path.realpath(path) for path in profile.hidden}
    places = {os.path.realpath(path) for path in profile.readable} - hidden
    every = {*folders, *places, *hidden}
    found = {
        path: ["--ro-bind", path, path]
        for path in places
        if os.path.exists(path) and _nearest_above(path, every) in hidden - {*folders}
    }
    for path in (profile.workspace, *profile.readable):
        for link in _links(path):
            if _nearest_above(link, every) in hidden - {*folders}:
                found[link] = ["--symlink", os.readlink(link), link]
    return found


def _links(path: str) -> Iterator[str]:
    """The symbolic links on the way to a path, each as it can be reached without one."""
    place = "/"
    for name in path.split("/")[1:]:
        place = os.path.join(place, name)
        if os.path.islink(place):
            yield place
            place = os.path.realpath(place)


def _nearest_above(path: str, folders: Iterable[str]) -> str:
    return _nearest(os.path.dirname(path), folders)


def _is_empty(path: str, mounts: Mapping[str, list[str]]) -> bool:
    """Whether it lies in a folder of which nothing is left, so that a file can be put there."""
    above = _nearest_above(path, mounts)
    return mounts[above][0] == "--tmpfs" if above else is_inside(path, "/run")


def _mounts(profile: Profile, folders: list[str], placeholders: Placeholders) -> dict[str, str]:
    """The option for each path: writable or read-only."""
    closed: set[str] = set()
    for path in sorted(profile.read_only):
        place = _real(path, profile)
        root = _nearest(place, folders)
        if not root or len(_nearest(place, closed)) >= len(root):
            continue  # it cannot be written anyway
        last = _last_existing(root, place, placeholders)
        if os.path.isfile(last) and os.stat(last).st_nlink > 1:
            raise BadOrder(f"`{last}` has a second name, under which it could be changed")
        if os.path.lexists(last) or placeholders.hold(last):
            closed.add(last)
    # A folder could be renamed together with what is mounted in it, and a new one put in its
    # place. A mount point cannot be renamed.
    pinned = {above for path in closed for above in _above(path) if _nearest(above, folders)}
    pinned = {one for one in pinned if _nearest(one, [*folders, *closed]) in folders}
    found = dict.fromkeys([*folders, *pinned], "--bind-fd")
    return {**found, **dict.fromkeys(closed, "--ro-bind-fd")}


def _above(path: str) -> Iterator[str]:
    while path != "/":
        path = os.path.dirname(path)
        yield path


def _last_existing(root: str, path: str, placeholders: Placeholders) -> str:
    """A protected path, or the first folder on the way to it that is missing."""
    place = root
    for name in path[len(root) :].split("/")[1:]:
        place = os.path.join(place, name)
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
    return place


def _real(path: str, profile: Profile) -> str:
    """Links on the way to a writable folder are followed, those inside it not."""
    given = [one for one in (profile.workspace, *profile.writable) if is_inside(path, one)]
    if given:
        outermost = min(given, key=len)
        return os.path.realpath(outermost) + path[len(outermost) :]
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _socket_paths(temporary: str, folders: list[str]) -> list[str]:
    """Where the path-name sockets of all programs in this network namespace are inside."""
    with open(_SOCKETS, encoding="utf-8", errors="surrogateescape") as file:
        rows = [line.rstrip("\n").split(None, 7) for line in file]
    found: list[str] = []
    for path in sorted({os.path.realpath(row[7]) for row in rows if row[7:] and row[7][0] == "/"}):
        if not os.path.exists(path) or not stat.S_ISSOCK(os.stat(path).st_mode):
            continue
        if is_inside(path, temporary):
            found += [own + path[len(temporary) :] for own in _OWN_TEMPORARY]
        if _is_visible(path, folders):
            found.append(path)
    return found
