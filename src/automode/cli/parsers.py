"""Which of the two bash parsers can be used on this machine."""

import time

from automode.facts.parsers import by_shfmt, by_tree_sitter
from automode.shell.syntax import Unread

_PROBE = b"true"
_PROBE_SECONDS = 2.0


def parsers() -> dict[str, bool]:
    return {"tree-sitter": _tree_sitter(), "shfmt": _shfmt()}


def _tree_sitter() -> bool:
    try:
        return not isinstance(by_tree_sitter(_PROBE), Unread)
    except ImportError:
        return False


def _shfmt() -> bool:
    return not isinstance(by_shfmt(_PROBE, time.monotonic() + _PROBE_SECONDS), Unread)
