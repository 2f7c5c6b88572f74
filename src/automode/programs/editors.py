"""Editors: they write, and their configuration runs."""

from collections.abc import Mapping

from automode.programs.forms import Mostly
from automode.programs.use import Effect, Judge, Use

_EDITS = Use(Effect.RUNS | Effect.WRITES, "an editor writes files and runs its configuration")
_OPENS = Use(Effect.RUNS | Effect.WRITES, "opens an editor")

PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(
        "vi vim nvim view vimdiff rvim gvim ex ed red nano pico micro emacs emacsclient joe jed mg "
        "hx helix kak ne".split(),
        Mostly(_EDITS, ("--help", "--version", "-version")),
    ),
    **dict.fromkeys(
        "code code-insiders codium cursor windsurf zed subl atom gedit kate".split(),
        Mostly(_OPENS, ("--help", "--version", "-v", "-h", "--list-extensions", "--status")),
    ),
}
