"""The state folder: where everything that survives lies, and how it is made for its owner alone."""

import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from automode.core.errors import AutomodeError

SECRET_BYTES = 32


class BadFolder(AutomodeError):
    """The state folder, or a file in it, cannot be used as it is."""


class _File:
    """A path in the state folder."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: "StateFolder", _owner: type) -> str:
        return os.path.join(folder.path, self._name)


@dataclass(frozen=True, slots=True)
class StateFolder:
    """`path` is absolute. Every name in the folder is said here and nowhere else."""

    path: str

    database = _File("audit.db")
    writer_lock = _File("writer.lock")  # its holder may open, migrate or replace the database
    outage = _File("outage.jsonl")  # decided while the store could not be written
    spool = _File("spool")  # a folder in which release 0.1 left what waited to be written
    signing_key = _File("signing.key")
    chain = _File("chain.id")  # of the chain that this machine extends, also in a shared database
    head_file = _File("chain.witness")  # how far that chain has come
    tokens = _File("tokens")
    answer_key = _File("tokens/answers")  # signs what answers an ask from elsewhere
    socket = _File("daemon.sock")
    daemon_lock = _File("daemon.lock")
    start_lock = _File("start.lock")
    daemon_facts = _File("daemon.json")  # what the running daemon says of itself
    log = _File("daemon.log")
    http_port = _File("http.port")
    ui_port = _File("ui.port")
    install = _File("install")  # a folder: what was installed into agents, and what was there

    def token(self, name: str) -> str:
        """The file of the token `decide`, `prompt` or `person`."""
        return os.path.join(self.tokens, name)

    def prepared(self) -> "StateFolder":
        """Makes the folder and those in it, for the owner alone. Raises BadFolder."""
        if not os.path.isabs(self.path):
            raise BadFolder(
                f"the state folder `{self.path}` is not an absolute path",
                "name it from the root with --state-folder",
            )
        for folder in (self.path, self.tokens):
            _own_folder(folder)
        return self


def default_folder(home: str, environment: Mapping[str, str]) -> StateFolder:
    """For a person's own commands. Hooks and the daemon are told the folder, not the
    environment."""
    base = environment.get("XDG_STATE_HOME", "")
    # A relative one would mean another folder in every working directory.
    base = base if os.path.isabs(base) else os.path.join(home, ".local", "state")
    return StateFolder(os.path.join(base, "automode"))


def secret(path: str) -> bytes:
    """The random bytes in the file at `path`, as hex in the file; made on the first call."""
    text = made_once(path, lambda: secrets.token_hex(SECRET_BYTES))
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != SECRET_BYTES:
        raise BadFolder(
            f"`{path}` does not hold {SECRET_BYTES} bytes as hex",
            "restore it from a backup, or move it away so that a new one is made",
        )
    return found


def known_secret(path: str) -> bytes | None:
    """The same, where the file is there; None where it is not. Raises BadFolder."""
    return secret(path) if os.path.lexists(path) else None


def made_once(path: str, content: Callable[[], str]) -> str:
    """The content of the file at `path`; made where there is none, for its owner alone, and the
    same for all processes that come at once. Raises BadFolder."""
    try:
        try:
            return _read(path)
        except FileNotFoundError:
            _place(path, content())
            return _read(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadFolder(
            f"`{path}` cannot be read or made: {_sentence(error)}",
            "it has to be a file that only this account may read and write",
        ) from error


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    with open(descriptor, encoding="ascii") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise BadFolder(f"`{path}` is not a file", "move it away")
        if status.st_uid != os.geteuid() or status.st_mode & 0o077:
            raise BadFolder(
                f"`{path}` is open to other accounts", f"check who wrote it, then: chmod 600 {path}"
            )
        return file.read().strip()


def _place(path: str, text: str) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".new-")
    try:
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)  # unlike a rename, it never replaces what another process made
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)


def _own_folder(path: str) -> None:
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        status = os.stat(path)
    except OSError as error:
        raise BadFolder(
            f"the state folder `{path}` cannot be made: {_sentence(error)}",
            "name another one with --state-folder",
        ) from error
    if status.st_uid != os.geteuid():
        raise BadFolder(
            f"the state folder `{path}` belongs to another account",
            "name one of your own with --state-folder",
        )
    if status.st_mode & 0o077:
        raise BadFolder(
            f"the state folder `{path}` is open to other accounts",
            f"name another one with --state-folder, or look what is in it, then: chmod 700 {path}",
        )


def _sentence(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "not text"
