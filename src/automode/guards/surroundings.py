"""What stands around a command: variables it is given and redirects it is put into."""

from automode.core.paths import absolute, within
from automode.core.workspace import Workspace
from automode.guards.credentials import (
    in_credential_folder,
    is_credential,
    may_be_credential,
)
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Word

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
    SHELLOPTS HISTFILE HISTCONTROL HISTIGNORE LOCPATH NLSPATH MALLOC GCONV OPENSSL SSL CURL WGET
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


def word_objection(word: Word, command: Command, workspace: Workspace) -> str | None:
    """Whether a word may print a secret, or names a credential, as it stands or resolved."""
    text = word.text
    if word.origin is Origin.UNKNOWN:
        return f"`{shown(word)}` may hold a secret or anything else"
    for candidate in {text, text.rpartition("=")[2], text.lstrip("@"), text.rpartition(":")[2]}:
        if not candidate or len(candidate) > 4096:
            continue
        if HOLE in candidate or word.origin is Origin.GLOB:
            if may_be_credential(_placed(candidate, command, workspace), workspace.home):
                return f"`{shown(word)}` may be a credential"
            continue
        full = _placed(candidate, command, workspace)
        resolved = workspace.files.resolve(full) if not command.remote else None
        if is_credential(full, workspace.home):
            return f"`{shown(word)}` is a credential"
        if resolved and resolved != full and is_credential(resolved, workspace.home):
            return f"`{shown(word)}` leads to a credential"
    return None


def value_objection(assignment: Assignment, command: Command, workspace: Workspace) -> str | None:
    """A variable that names a credential is on its way to a command that reads it."""
    if assignment.value.origin is Origin.UNKNOWN:
        return None  # keeping a secret in a variable prints nothing
    for text in assignment.value.text.split():
        found = word_objection(Word(text, assignment.value.origin), command, workspace)
        if found is not None:
            return found
    return None


def fed_objection(command: Command, workspace: Workspace) -> str | None:
    """Text on standard input may be a list of files to read: `echo ~/.netrc | xargs cat`."""
    if command.fed is None or not command.via or command.via[-1] != "xargs":
        return None
    for text in command.fed.split()[:1000]:
        found = word_objection(Word(text), command, workspace)
        if found is not None:
            return found
    return None


_LISTS_NAMES = frozenset("ls eza exa lsd tree stat du file test [ cd pushd".split())
_SEARCHES = frozenset("grep egrep fgrep zgrep rg ag ack".split())


def folder_objection(command: Command, workspace: Workspace) -> str | None:
    """Whether the command reads through a folder that holds credentials: `grep -r x ~/.aws`,
    `cd ~/.ssh && cat $(ls)`. Listing names is fine; searching a whole home is not."""
    if command.program in _LISTS_NAMES or command.remote:
        return None
    home = workspace.home
    if command.cwd is not None and in_credential_folder(command.cwd, home):
        return "works in a folder of credentials"
    for word in command.args:
        if word.text[:1] in ("-", "") or HOLE in word.text:
            continue
        full = _placed(word.text, command, workspace)
        if in_credential_folder(full, home) and not full.endswith(".pub"):
            return f"`{shown(word)}` is a folder of credentials or lies in one"
        if command.program in _SEARCHES and within(home, full):
            return f"searches all of `{shown(word)}`, credentials included"
    return None


def _placed(path: str, command: Command, workspace: Workspace) -> str:
    if path.startswith("~/"):  # an element of an array, or a word that a program expands itself
        path = workspace.home + path[1:]
    return absolute(path, command.cwd or workspace.cwd)


def _is_descriptor(word: Word) -> bool:
    return word.value is not None and word.text.startswith("/dev/fd/") and word.text[8:].isdigit()


def shown(word: Word) -> str:
    text = word.text.replace(HOLE, "…")
    return text if len(text) <= 80 else text[:77] + "…"
