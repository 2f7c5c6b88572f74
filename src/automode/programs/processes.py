"""Processes and their environment: ps, top, lsof, env, tracers."""

import re
from collections.abc import Mapping

from automode.programs.forms import Mostly, sole
from automode.programs.rows import Flat
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.shell.options import Spec, arguments

_ENVIRONMENT = Use(Effect.SECRETS, "prints environment variables, which hold credentials")
_HARMLESS_VARIABLES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL PWD OLDPWD TERM LANG LANGUAGE LC_ALL LC_CTYPE TZ EDITOR VISUAL
    PAGER TMPDIR HOSTNAME DISPLAY SHLVL COLUMNS LINES XDG_CONFIG_HOME XDG_DATA_HOME
    XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE GOPATH GOROOT GOBIN JAVA_HOME ANDROID_HOME
    NVM_DIR CARGO_HOME RUSTUP_HOME PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV
    NODE_ENV NODE_PATH PYTHONPATH LD_LIBRARY_PATH CUDA_HOME CUDA_VISIBLE_DEVICES CI MANPATH
    DEBUG SSH_AUTH_SOCK COLORTERM TERM_PROGRAM KUBECONFIG DOCKER_HOST AWS_REGION
    AWS_DEFAULT_REGION AWS_PROFILE
    """.split()
)

_PS_VALUES = "oOuUpgGtCsqk"
_PS_BSD_VALUES = "oOUptkq"
_PS_LONG_VALUES = ("--sort", "--format", "--pid", "--user", "--ppid")
# ps reads a word once more, as BSD letters, when it names no user or group.
_PS_BSD_WORD = re.compile(r"([acefghjlmnrsSTuvVwxXZLHNM]*)([oOUptkq]?|[oOU].+)")


def _ps_value_follows(text: str) -> bool:
    if text.startswith("--"):
        return text in _PS_LONG_VALUES
    letters = _PS_VALUES if text.startswith("-") else _PS_BSD_VALUES
    return len(text) > text.startswith("-") and text[-1] in letters


def _ps_shows_environment(text: str) -> bool:
    """`e` without a dash and `-E` do, and so does `-auxe`: there is no user `xe`."""
    if text.startswith("--"):
        return "env" in text
    if text.startswith("-"):
        return "E" in text or ("e" in text and re.match("-[^oOptqk]*[uUgGsC].", text) is not None)
    return "e" in text


def _ps(invocation: Invocation) -> Use:
    """`ps e` (BSD letters) and `-E` print the environment of processes; `-e` does not."""
    before, letters, doubtful = "", "", False
    for word in invocation.args:
        text = word.text
        if before:
            if "env" in text:
                return _ENVIRONMENT
            again = _PS_BSD_WORD.fullmatch(text)
            if again and text != "root" and before[-1] not in _PS_BSD_VALUES:
                letters, doubtful = letters + again[1], True
            before = ""
            continue
        if _ps_shows_environment(text):
            return _ENVIRONMENT
        if word.value is None and word.could_be_flag:
            return unknown("an argument is not known and may be an option")
        letters += text if not text.startswith("--") else ""
        before = text if _ps_value_follows(text) else ""
    return _ENVIRONMENT if doubtful and "e" in letters else READS


_TOP = Spec(
    flags="bcHiSnFRrX",
    values="dnpuUowElsNW",
    long_values=("-stats", "-pid", "-ncols"),
)


def _top(invocation: Invocation) -> Use:
    """Only the modes that print and end: elsewhere keys kill processes and write the settings."""
    words = [word for word in invocation.args if word.text not in ("-stats", "-pid", "-ncols")]
    given = arguments(words, _TOP)
    if given.unclear or not given.has("-b", "-l"):
        return unknown("top without `-b` is interactive")
    return READS


def _printenv(invocation: Invocation) -> Use:
    names = [word.value for word in invocation.args if word.value not in ("-0", "--null")]
    if names and all(name in _HARMLESS_VARIABLES for name in names):
        return READS
    return READS if sole(invocation, ("--help", "--version")) else _ENVIRONMENT


def _env(invocation: Invocation) -> Use:
    """With a program it is a wrapper and opened elsewhere; what is left lists the environment."""
    return READS if sole(invocation, ("--help", "--version")) else _ENVIRONMENT


def _nvidia(invocation: Invocation) -> Use:
    """Query forms; most other options set clocks, limits and modes."""
    reading = re.compile(
        r"-L|-q|--query|--list-gpus|-x|--xml-format|-B|--list-excluded-gpus|-h|--help|--version"
        r"|(-i|--id|-d|--display|-l|--loop|-lms|--loop-ms)(=.*)?|--(query|format|help)-?[\w-]*(=.*)?"
        r"|\d+|[\w,]+|dmon|pmon|topo|nvlink|-m|-s|-c"
    )
    verbs = ("dmon", "pmon", "topo", "nvlink")
    texts = [word.value for word in invocation.args]
    if any(text is None or not reading.fullmatch(text) for text in texts):
        return Use(Effect.SYSTEM, "changes the card's settings")
    if any(t in ("-m", "-s", "-c") for t in texts) and (not texts or texts[0] not in verbs):
        return Use(Effect.SYSTEM, "changes the card's settings")
    return READS


def _kill(invocation: Invocation) -> Use:
    return Use(Effect.SYSTEM, "sends signals to processes")


_LSOF = Spec(
    flags="abChlnNoOPRtUvVXwK?",
    values="cdpuSA",
    maybe="iFgsTLrx",
)

PROGRAMS: Mapping[str, Judge] = {
    "ps": _ps,
    "top": _top,
    "printenv": _printenv,
    "env": _env,
    "nvidia-smi": _nvidia,
    "lsof": Flat(_LSOF, effects={"-D": writes("`-D` may write the device cache")}),
    **dict.fromkeys(("kill", "pkill", "killall", "skill", "killall5", "renice"), _kill),
    **dict.fromkeys(
        ("ldd", "strace", "ltrace", "dtruss", "perf", "gdb", "lldb", "script", "expect"),
        Mostly(runs("runs the program")),
    ),
    "htop": Mostly(unknown("htop is interactive"), ("--help", "--version", "-h", "-V")),
}
