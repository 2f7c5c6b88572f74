"""What a confined command may do, and the order file by which the gate hands it to `run.py`."""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, fields

from automode.core.strict_json import decode

VERSION = 2
LONGEST_ORDER = 1024 * 1024


class BadOrder(Exception):
    """An order or a profile that is not used; `str()` is one lower-case sentence."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Paths are absolute and normal. Of two that hold each other the longer one wins; of two that
    are the same, the stricter one. What no path holds can be read and not written."""

    workspace: str
    writable: tuple[str, ...]
    """Folders; those that are not there are left out, except the workspace."""
    read_only: tuple[str, ...]
    """Cannot be changed, removed, renamed, or made where they do not exist."""
    hidden: tuple[str, ...]
    """Cannot be read."""
    readable: tuple[str, ...]
    """Can be read, although a folder above is hidden."""
    watched: tuple[str, ...]
    """Files with credentials. Who opens one finds it empty and is told of, by bubblewrap."""
    services: tuple[str, ...]
    """Sockets below /run. Who connects to one finds nobody and is told of, by bubblewrap."""
    temporary: str
    """Made where it is missing. No confined call can write in it. Each has a folder of its own in
    it, removed after the call: its TMPDIR, with bubblewrap also /tmp and /var/tmp."""
    loopback: bool
    """Whether there is a loopback interface; there is never another one."""
    processes: int
    memory_bytes: int
    """Of each process, not of all together."""
    environment: Mapping[str, str]
    """Set inside, besides what is kept of the caller's."""

    def __post_init__(self) -> None:
        inside = (*self.writable, *self.read_only, *self.hidden, *self.readable)
        told = (*self.watched, *self.services)
        for path in (self.workspace, self.temporary, *inside, *told):
            if not os.path.isabs(path) or os.path.normpath(path) != path or "\0" in path:
                raise BadOrder(f"the profile names `{path}`, which is no absolute, normal path")
        for path in (self.workspace, *self.writable):
            if self.temporary == path or self.temporary.startswith(path.rstrip("/") + "/"):
                raise BadOrder(f"`{path}` holds automode's own folder, and a call could replace it")
        if self.processes < 1 or self.memory_bytes < 1:
            raise BadOrder("the profile's limits have to be above 0")


@dataclass(frozen=True, slots=True)
class Order:
    """One command that the gate has decided to confine."""

    profile: Profile
    folder: str
    """In which the command starts."""
    shell: str
    sha256: str
    """Of the command's text."""


def open_unmoved(path: str) -> int:
    """A descriptor of what is at a real path now, for a mount or a rule. Another call that can
    write above it may put a link there at any time. Raises BadOrder where it has, and OSError."""
    found = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    if stat.S_ISLNK(os.fstat(found).st_mode) or os.readlink(f"/proc/self/fd/{found}") != path:
        os.close(found)
        raise BadOrder(f"`{path}` was replaced while the limits were set")
    return found


def digest(text: str | bytes) -> str:
    """Of a command's bytes, as they stand in the arguments of a process."""
    content = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return hashlib.sha256(content).hexdigest()


def to_json(order: Order) -> str:
    profile = {field.name: getattr(order.profile, field.name) for field in fields(Profile)}
    profile["environment"] = dict(order.profile.environment)
    rest = {"folder": order.folder, "shell": order.shell, "sha256": order.sha256}
    return json.dumps({"version": VERSION, "profile": profile, **rest})


def from_json(text: str) -> Order:
    """Raises BadOrder, also for a key that is missing or not known."""
    try:
        found = decode(text)
    except (ValueError, RecursionError) as error:
        raise BadOrder("the order is not JSON") from error
    order = _keys(found, ("version", "profile", "folder", "shell", "sha256"), "order")
    if order["version"] != VERSION:
        raise BadOrder("the order is of another release of automode")
    profile = _keys(order["profile"], tuple(field.name for field in fields(Profile)), "profile")
    return Order(
        Profile(
            workspace=_text(profile, "workspace"),
            writable=_texts(profile, "writable"),
            read_only=_texts(profile, "read_only"),
            hidden=_texts(profile, "hidden"),
            readable=_texts(profile, "readable"),
            watched=_texts(profile, "watched"),
            services=_texts(profile, "services"),
            temporary=_text(profile, "temporary"),
            loopback=_flag(profile, "loopback"),
            processes=_number(profile, "processes"),
            memory_bytes=_number(profile, "memory_bytes"),
            environment=_variables(profile, "environment"),
        ),
        folder=_text(order, "folder"),
        shell=_text(order, "shell"),
        sha256=_text(order, "sha256"),
    )


def read_order(path: str) -> Order:
    """The order in the file at `path`. Raises BadOrder where anybody else could have written it."""
    if not os.path.isabs(path) or os.path.realpath(path) != path:
        raise BadOrder("the order's path is not absolute, or leads through a symbolic link")
    folder = os.path.dirname(path)
    try:
        _only_ours(os.stat(folder), folder)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        with open(os.open(path, flags), encoding="utf-8") as file:
            state = os.fstat(file.fileno())
            _only_ours(state, path)
            if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1:
                raise BadOrder("the order is no plain file")
            text = file.read(LONGEST_ORDER + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise BadOrder("the order cannot be read") from error
    if len(text) > LONGEST_ORDER:
        raise BadOrder("the order is too long")
    return from_json(text)


def _only_ours(state: os.stat_result, path: str) -> None:
    if state.st_uid != os.geteuid() or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise BadOrder(f"`{path}` belongs to another account, or others can write it")


def _keys(found: object, names: tuple[str, ...], what: str) -> dict[str, object]:
    if not isinstance(found, dict) or set(found) != set(names):
        raise BadOrder(f"the {what} does not have exactly the keys {', '.join(names)}")
    return found


def _text(holder: dict[str, object], key: str) -> str:
    found = holder[key]
    if not isinstance(found, str) or not found:
        raise BadOrder(f"`{key}` is no text")
    return found


def _texts(holder: dict[str, object], key: str) -> tuple[str, ...]:
    found = holder[key]
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise BadOrder(f"`{key}` is no list of texts")
    return tuple(found)


def _variables(holder: dict[str, object], key: str) -> dict[str, str]:
    found = holder[key]
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise BadOrder(f"`{key}` is no table of texts")
    if any(not name or "=" in name or "\0" in name + value for name, value in found.items()):
        raise BadOrder(f"`{key}` has a name or a value that no variable can have")
    return found


def _flag(holder: dict[str, object], key: str) -> bool:
    found = holder[key]
    if not isinstance(found, bool):
        raise BadOrder(f"`{key}` is neither true nor false")
    return found


def _number(holder: dict[str, object], key: str) -> int:
    found = holder[key]
    if not isinstance(found, int) or isinstance(found, bool):
        raise BadOrder(f"`{key}` is no whole number")
    return found
