"""Which daemon is meant, where its settings are, and which release of automode this is."""

import os
import re
import secrets
import socket
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

import automode
from automode.config.places import Places
from automode.daemon.frames import USUAL_SETTINGS, settings_word
from automode.facts.place import home_folder
from automode.store.folder import BadFolder, StateFolder, made_once

LOOPBACK = "127.0.0.1"
# Below what systems hand out to programs that connect: none of those is in the way by chance.
_PORTS = range(20_000, 30_000)
_TRIES = 100


@dataclass(frozen=True, slots=True)
class Placement:
    """One daemon per state folder. `config_folder` None: the account's usual one."""

    state: StateFolder
    config_folder: str | None = None

    def places(self, project: str | None) -> Places:
        """Of the environment nothing counts: it is that of whoever came first."""
        return Places.of(
            home=home_folder(), environment={}, project=project, config_folder=self.config_folder
        )

    @property
    def config(self) -> str:
        """The folder of settings, absolute. A project can set variables in a person's terminal, and
        the daemon serves every agent: so no variable moves it."""
        if self.config_folder is not None:
            return os.path.abspath(self.config_folder)
        return usual_config()

    @property
    def settings_words(self) -> frozenset[str]:
        """How hooks that mean this folder name it."""
        usual = {USUAL_SETTINGS} if self.config == usual_config() else set()
        return frozenset({settings_word(self.config), *usual})


def usual_config() -> str:
    return os.path.dirname(Places.of(home=home_folder(), environment={}).trust_file)


def http_port(folder: StateFolder) -> int:
    """The port of the hooks over HTTP. Chosen once, because installed hooks name it. Raises
    BadFolder."""
    text = made_once(folder.http_port, lambda: str(_free_port()))
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise BadFolder(
            f"`{folder.http_port}` holds no port: `{text[:20]}`",
            "move it away, restart the daemon, and install hooks over HTTP again",
        )
    return int(text)


def _free_port() -> int:
    for _ in range(_TRIES):
        port = secrets.choice(_PORTS)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            try:
                trial.bind((LOOPBACK, port))
            except OSError:
                continue
        return port
    raise BadFolder("no port on loopback is free", "end programs that listen, then try again")


UNKNOWN = "unknown"
CodeState: TypeAlias = tuple[int, int, int] | None


def own_version() -> str:
    """As installed now: a package may be replaced under a running process. Of a source tree that
    was not installed nobody knows, nor of a package that is being replaced."""
    try:
        found: object = version("automode")
    except PackageNotFoundError:
        return UNKNOWN
    return found if isinstance(found, str) else UNKNOWN  # empty metadata name none


def newer(one: str, other: str) -> bool:
    """Whether release `one` came after `other`. Of what is no release nobody can say."""
    known = _release(one), _release(other)
    return all(known) and known[0] > known[1]


def _release(text: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", text)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def code_state() -> CodeState:
    """What changes when the package on disk is replaced or removed."""
    try:
        found = os.stat(automode.__file__)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, found.st_mtime_ns)
