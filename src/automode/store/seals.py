"""Seals on what could loosen the gate: a spooled line, a person's switch, a person's yes.

Other programs of the account can write the same files; without the key they cannot say these.
"""

from automode.core.record import SessionKey
from automode.store.changes import Approved
from automode.store.links import same, sealed

NO_MODE = ""
UNSEALED = ""


def mode_seal(key: bytes, session: SessionKey, mode: str) -> str:
    """No override needs none: it opens nothing."""
    return UNSEALED if mode == NO_MODE else sealed(key, "mode", session.host, session.id, mode)


def believed_mode(key: bytes, session: SessionKey, mode: str, seal: str) -> str:
    """The override, if this key sealed it for this session; else none."""
    return mode if same(seal, mode_seal(key, session, mode)) else NO_MODE


def approval_seal(key: bytes, yes: Approved) -> str:
    expires = None if yes.expires is None else float(yes.expires)
    whose = (yes.session.host, yes.session.id, yes.record, yes.digest)
    return sealed(key, "approval", yes.id, float(yes.at), *whose, bool(yes.once), expires)


def sealed_line(key: bytes, file: str, number: int, text: str) -> bytes:
    """A line of the spool file `file`, its `number` counted from 1: only in this file, only as
    this one."""
    return f"{number} {_line_seal(key, file, number, text)} {text}\n".encode("ascii")


def opened_line(key: bytes, file: str, line: bytes) -> tuple[int, str] | None:
    """The number and the text of a line that this key sealed; None for any other."""
    try:
        number, seal, text = line.decode("ascii").removesuffix("\n").split(" ", 2)
        counted = int(number)
    except ValueError:
        return None
    return (counted, text) if same(seal, _line_seal(key, file, counted, text)) else None


def _line_seal(key: bytes, file: str, number: int, text: str) -> str:
    return sealed(key, "spooled", file, number, text)
