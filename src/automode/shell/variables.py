"""Variables that are known to be harmless: those that only change how a program presents what it
shows, and those that are a script's own. Of any other it is not known what it does."""

import re

from automode.shell.script import Assignment

_SWITCH = r"[01]|true|false|yes|no|"
_COLOUR = rf"{_SWITCH}|[23]|always|auto|never"
_LOCALE = r"(C|POSIX|[a-z]{2,3}(_[A-Z]{2})?)(\.[Uu][Tt][Ff]-?8|\.ISO-?8859-?1)?|"
_NO_PAGER = r"cat|"

PRESENTATION = {
    name: re.compile(values)
    for names, values in (
        ("NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CARGO_TERM_COLOR SYSTEMD_COLORS", _COLOUR),
        ("COLUMNS LINES PYTHONHASHSEED", r"[0-9]*"),
        (
            "TERM",
            r"dumb|unknown|ansi|linux|vt100|vt220|(xterm|screen|tmux|rxvt)(-256color|-color)?|",
        ),
        ("LANG LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LC_MESSAGES LC_MONETARY", _LOCALE),
        ("LANGUAGE", r"[A-Za-z_]+(:[A-Za-z_]+)*|"),
        # A colon or a slash in front, and dots, name a file that is read.
        (
            "TZ",
            r"[A-Z]{3,5}([+-]?[0-9]{1,2}([A-Z]{3,5})?)?|[A-Z][A-Za-z]+(/[A-Z][A-Za-z_+-]+){1,2}",
        ),
        ("CI PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONUTF8 GIT_OPTIONAL_LOCKS", _SWITCH),
        ("HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ANALYTICS HOMEBREW_NO_ENV_HINTS", _SWITCH),
        ("NEXT_TELEMETRY_DISABLED DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO", _SWITCH),
        ("GIT_TERMINAL_PROMPT GIT_PAGER_IN_USE PIP_DISABLE_PIP_VERSION_CHECK", _SWITCH),
        ("PYTHONIOENCODING", r"[Uu][Tt][Ff]-?8"),
        ("NODE_ENV", r"development|production|test"),
        ("DEBIAN_FRONTEND", r"noninteractive"),
        ("RUST_BACKTRACE", r"[01]|full"),
        ("RUST_LOG", r"off|error|warn|info|debug|trace"),
        ("PAGER GIT_PAGER MANPAGER AWS_PAGER GH_PAGER SYSTEMD_PAGER BAT_PAGER", _NO_PAGER),
    )
    for name in names.split()
}
"""By name, the values that change nothing but colours, widths, language and chatter."""

_SHOUTED = frozenset("BASE DATE DEST DIR FILE FILES FOLDER FOLDERS NAME OUT ROOT SCRATCH".split())
_OWN = re.compile(r"[A-Z]|_?[a-z]\w*|_?[A-Z]\w*[a-z]\w*", re.ASCII)
_SHARED = re.compile(r"(npm_|[a-z]*_?proxy$|(mod(ule)?_|f|cd|man|mail|info)?path$)", re.IGNORECASE)
"""Names with small letters that programs, or zsh itself, take from the environment."""


def only_presents(assignment: Assignment) -> bool:
    """Whether the variable, with this value, changes nothing but how programs present things."""
    values = PRESENTATION.get(assignment.name)
    value = assignment.value.value
    if values is None or value is None or assignment.appends or assignment.array:
        return False
    return values.fullmatch(value) is not None


def own_name(name: str) -> bool:
    """Whether a name is a script's own. Without `export` an assignment reaches a program only where
    the environment holds that name already, and what it holds is written in capitals."""
    return name in _SHOUTED or (_OWN.fullmatch(name) is not None and not _SHARED.match(name))
