"""Where settings may be; reads a small file without waiting, and replaces a file in one step."""

import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.config.jsonc import LARGEST_BYTES
from automode.core.errors import BadSettings

MANAGED_FILE = "/etc/automode/config.json"
VARIABLES = ("AUTOMODE_SETTINGS_JSON", "PI_AUTOMODE_SETTINGS_JSON")
RUN_VARIABLE = "AUTOMODE_RUN"
"""Which run of `automode run` an agent belongs to. It is no setting."""
AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Places:
    """Files and variables, each group in the order in which it counts, weakest first."""

    user: tuple[str, ...]
    local: tuple[str, ...]
    variables: tuple[str, ...]
    managed: tuple[str, ...]
    shared: tuple[str, ...]
    trust_file: str
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        home: AnyPath,
        environment: Mapping[str, str],
        project: AnyPath | None = None,
        config_folder: AnyPath | None = None,
        managed: AnyPath = MANAGED_FILE,
    ) -> "Places":
        """The usual places. An installed hook names `config_folder`, so that the variables of an
        agent's environment cannot move it. Of each group the second is Pi's own."""
        folder = os.fspath(config_folder or _config_folder(os.fspath(home), environment))
        root = None if project is None else os.fspath(project)
        pi_user = os.path.join(os.fspath(home), ".pi", "agent", "automode.json")
        return cls(
            user=(os.path.join(folder, "config.json"), pi_user),
            local=_inside(root, "config.local.json", "automode.local.json"),
            variables=VARIABLES,
            managed=(os.fspath(managed),),
            shared=_inside(root, "config.json", "automode.json"),
            trust_file=os.path.join(folder, "trust.json"),
            environment=environment,
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Every file whose change calls for a reload."""
        return (*self.user, *self.local, *self.managed, *self.shared, self.trust_file)


def _config_folder(home: str, environment: Mapping[str, str]) -> str:
    base = environment.get("XDG_CONFIG_HOME", "")
    # A relative one would mean another folder in every working directory.
    base = base if os.path.isabs(base) else os.path.join(home, ".config")
    return os.path.join(base, "automode")


def _inside(root: str | None, ours: str, pis: str) -> tuple[str, ...]:
    if root is None:
        return ()
    return (os.path.join(root, ".automode", ours), os.path.join(root, ".pi", pis))


# Opening a pipe or a terminal must neither wait nor take it over.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


def content(path: str) -> bytes | None:
    """What the file at `path` holds; None when nothing is there. BadSettings when something is
    there that cannot be read."""
    try:
        return _content(path)
    except (FileNotFoundError, NotADirectoryError):
        if not os.path.lexists(path):
            return None
        raise BadSettings("cannot be read: a link to nothing") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadSettings(f"cannot be read: {reason}") from error


def _content(path: str) -> bytes:
    _regular(os.stat(path))  # looked at before it is opened: opening a device can do something
    descriptor = os.open(path, _FLAGS)
    try:
        _regular(os.fstat(descriptor))
        return _all(descriptor)
    finally:
        os.close(descriptor)


def _all(descriptor: int) -> bytes:
    chunks: list[bytes] = []
    left = LARGEST_BYTES + 1
    while left > 0 and (chunk := os.read(descriptor, left)):
        chunks.append(chunk)
        left -= len(chunk)
    if left <= 0:
        raise BadSettings(f"larger than {LARGEST_BYTES} bytes")
    return b"".join(chunks)


def _regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise BadSettings("expected a file, found a folder")
    if not stat.S_ISREG(status.st_mode):
        raise BadSettings("expected a file, found a pipe, a socket or a device")


def writable_by_others(path: str) -> bool:
    """Whether somebody else could have written the file at `path`; False where it is not known."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return False
    return os.name == "posix" and bool(status.st_mode & 0o022)


def replace_file(path: str, data: bytes) -> None:
    """Writes `path` for its owner alone; readers see the old file or the new one, never a part."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")  # made with mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
