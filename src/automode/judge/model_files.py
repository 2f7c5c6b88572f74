"""The files of the judge's models: read whole, with the checksum that was written beside them."""

import hashlib
from importlib.resources.abc import Traversable

from automode.core.errors import AutomodeError

REINSTALL = "install automode again"


class BadModel(AutomodeError):
    """The numbers of one of the judge's models cannot be used."""


def read_checked(folder: Traversable, name: str, sums: str, called: str) -> bytes:
    """Raises BadModel. `called`: what to call the model in an error."""
    try:
        packed = folder.joinpath(name).read_bytes()
        wanted = folder.joinpath(sums).read_text("ascii").split()
    except (OSError, ValueError) as error:
        raise BadModel(f"{called} cannot be read: {error}", REINSTALL) from error
    if not wanted or hashlib.sha256(packed).hexdigest() != wanted[0]:
        raise BadModel(f"{called} `{name}` is not the one it should be", REINSTALL)
    return packed
