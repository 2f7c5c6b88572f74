"""Interpreters that take their code from what they are fed."""

import re
from collections.abc import Sequence

from automode.judge.words import word_lists

_W = word_lists("python_acts")
PYTHON = ("python", "pypy")
SHELLS = frozenset("sh bash zsh dash ksh".split())
# Options of interpreters behind which code or a module stands.
_BRINGS = {"python": re.compile(r"-\w*[cm]"), "sh": re.compile(r"-\w*c\w*")}
_BRINGS_CODE = re.compile(r"-\w*[eEp]|--(?:eval|print)")


def takes_code(name: str, words: Sequence[str]) -> bool:
    """Whether an interpreter with these words takes its code from what it is fed."""
    python, shell = name.startswith(PYTHON), name in SHELLS
    if not (python or shell or name in _W.told_by_input):
        return False
    brings = _BRINGS["python" if python else "sh"] if python or shell else _BRINGS_CODE
    if shell and any(re.fullmatch(r"-\w*s\w*", one) for one in words):
        return True
    # Else it has a script: what has neither a point nor a slash may belong to an option.
    return not any(brings.fullmatch(one) or re.match(r"[^-].*[./]|$|[./]", one) for one in words)
