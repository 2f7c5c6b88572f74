"""What stands around a command: variables it is given and redirects it is put into."""

from automode.core.workspace import Workspace
from automode.guards.secret_reads import shown, word_objection
from automode.shell.script import Assignment, Command, Origin, Redirect, Word

_STEERING = frozenset(
    """
    PATH CDPATH FPATH MANPATH PYTHONPATH NODE HOME CONFIG OPTIONS OPTION OPTS OPT FLAGS CMD COMMAND
    SHELL PAGER EDITOR VISUAL BROWSER ENV PRELOAD PROXY HOST HOSTS URL ENDPOINT PROFILE CONTEXT
    CLUSTER SERVER LIB LIBRARY LIBS RC STARTUP HOOK HOOKS EXEC ASKPASS SSH GIT LD DYLD BASH ZSH
    ZDOTDIR PERL5OPT PERL5LIB PERL5DB PERL PYTHON PYTHONSTARTUP PYTHONHOME PYTHONINSPECT RUBYOPT
    RUBYLIB RUBY JAVA JDK GOFLAGS GOPROXY GOTOOLCHAIN RUSTC RUSTFLAGS CARGO NPM YARN PNPM KUBECONFIG
    KUBECTL DOCKER AWS AZURE GOOGLE CLOUDSDK GH GITHUB GITLAB TF TERRAFORM HELM ANSIBLE VAULT
    LESSOPEN LESSCLOSE LESS LESSKEY MANPAGER MANOPT MANROFFOPT GROFF TROFF BAT FZF RIPGREP TAR GZIP
    ZIPOPT UNZIP BZIP XZ POSIXLY TERMINFO TERMCAP TMPDIR TMP TEMP PS4 PROMPT PS1 GLOBIGNORE BASHOPTS
    SHELLOPTS HISTFILE HISTSIZE
    HISTFILESIZE HISTCONTROL HISTIGNORE LOCPATH NLSPATH MALLOC GCONV OPENSSL SSL CURL WGET
    NODE_OPTIONS PSQLRC PGHOST PGSERVICEFILE MYSQL SQLITE DUCKDB EXECUTABLE WRAPPER PROGRAM TOOL
    DIR DISPLAY XDG DBUS SYSTEMD INSECURE VERIFY TLS UNAUTHORIZED DEBUGGER AGENT PLUGIN PLUGINS
    """.split()
)
"""Parts of variable names (between underscores) that make programs load, run or reach something."""

_STEERING_ENDS = (
    "OPTIONS",
    "OPTS",
    "OPT",
    "FLAGS",
    "PATH",
    "HOME",
    "RC",
    "PAGER",
    "CONFIG",
    "PROXY",
)
_STEERING_STARTS = (
    "LD_",
    "PG",
    "GIT",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE",
    "NPM",
    "LESS",
    "MYSQL",
    "GO",
)

_QUIET = frozenset(
    """NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES LANG LANGUAGE TZ CI NODE_ENV
    GIT_PAGER_IN_USE GIT_OPTIONAL_LOCKS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RUST_LOG
    RUST_BACKTRACE LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LC_MESSAGES""".split()
)
_CAT = frozenset({"cat", ""})
_HARMLESS_TARGETS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


def steering(name: str) -> bool:
    """Whether a variable of this name may change what a program loads, runs or connects to."""
    upper = name.upper()
    if upper in _QUIET:
        return False
    if upper in _STEERING or any(part in _STEERING for part in upper.split("_")):
        return True
    return upper.endswith(_STEERING_ENDS) or upper.startswith(_STEERING_STARTS)


def assignment_objection(assignment: Assignment) -> str | None:
    if not steering(assignment.name):
        return None
    pagers = ("PAGER", "GIT_PAGER", "MANPAGER", "AWS_PAGER", "GH_PAGER", "SYSTEMD_PAGER")
    if assignment.name in pagers and assignment.value.value in _CAT:
        return None  # switches a helper off instead of choosing one
    return f"`{assignment.name}` can make a program run or load something else"


def redirect_objection(redirect: Redirect, command: Command, workspace: Workspace) -> str | None:
    target = redirect.target
    if redirect.feeds:
        # A short text may name a file or object to be read; a long one is a document.
        if redirect.op == "<<<" or target.origin is Origin.UNKNOWN:
            return word_objection(target, command, workspace)
        return None
    if redirect.writes:
        if target.value in _HARMLESS_TARGETS or _is_descriptor(target):
            return None
        return f"writes to `{shown(target)}`"
    if redirect.op in ("<&", ">&"):
        return None
    if target.text.startswith("/dev/tcp/") or target.text.startswith("/dev/udp/"):
        return f"reads from the network through `{shown(target)}`"
    if target.origin is Origin.UNKNOWN:
        return "reads a file whose name is not known"
    return word_objection(target, command, workspace)


def _is_descriptor(word: Word) -> bool:
    return word.value is not None and word.text.startswith("/dev/fd/") and word.text[8:].isdigit()
