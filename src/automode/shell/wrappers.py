"""Programs whose work is another command: what is inside, and whether they add to it.

A row is a function from the wrapper's command to what it opens. Rows may be generous in finding
inner commands (that can only prove danger) and must be strict in saying `harmless`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import HOLE, Assignment, Command, Origin, Word


@dataclass(frozen=True, slots=True)
class Inner:
    """A command inside a command: either its words, or a script as text."""

    words: tuple[Word, ...] = ()
    script: Word | None = None
    assignments: tuple[Assignment, ...] = ()
    remote: bool = False
    elevated: bool = False
    moves: Word | None = None  # a folder the wrapper goes to first
    arguments: tuple[Word, ...] = ()  # positional parameters of the script
    dialect: str = "bash"


@dataclass(frozen=True, slots=True)
class Opened:
    inner: tuple[Inner, ...]
    harmless: bool  # its whole effect is that of `inner`


Open: TypeAlias = Callable[[Command], Opened | None]

INPUT_WORDS = Word(HOLE, Origin.DERIVED, splits=True)
"""What xargs and its kin add: words read from standard input."""

INPUT_WORD = Word(HOLE, Origin.DERIVED)
"""One whole word read from standard input. Both are known by identity: no other word is input."""

SYSTEM_FOLDERS = frozenset("/bin /usr/bin /usr/local/bin /sbin /usr/sbin /opt/homebrew/bin".split())


def usual_place(word: Word) -> bool:
    """Whether a program's name leads where such programs lie: `./env` is not env."""
    folder, slash, _ = (word.value or "/").rpartition("/")
    return not slash or folder in SYSTEM_FOLDERS


def own_options(command: Command, spec: Spec) -> Arguments:
    return arguments(command.args, replace(spec, stops_at_operand=True))


def prefix(
    spec: Spec,
    *,
    skip: int = 0,
    harmless: bool = True,
    writes: tuple[str, ...] = (),  # options that do more than run the command
    elevated: bool = False,
) -> Open:
    """`wrapper [options] [skip words] command …`."""

    def open_prefix(command: Command) -> Opened | None:
        given = own_options(command, spec)
        words = given.operands[skip:]
        if not words:
            return None
        skipped = all(word.value is not None for word in given.operands[:skip])
        clean = harmless and skipped and not given.unclear and not given.has(*writes)
        return Opened((Inner(words, elevated=elevated),), clean)

    return open_prefix


def assignments_first(words: tuple[Word, ...]) -> tuple[tuple[Assignment, ...], tuple[Word, ...]]:
    found: list[Assignment] = []
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if not equals or not name.isidentifier():
            return tuple(found), words[index:]
        found.append(Assignment(name, Word(value, word.origin)))
    return tuple(found), ()


_SUDO = Spec(
    flags="AbEeHKklnPSsVvi",
    values="CDghpRrTtUu",
    long_flags=("--non-interactive", "--preserve-env", "--login", "--shell", "--stdin"),
    long_values=("--user", "--group", "--chdir", "--host", "--prompt"),
)


def open_sudo(command: Command) -> Opened | None:
    given = own_options(command, _SUDO)
    assigned, words = assignments_first(given.operands)
    if not words:
        return None
    return Opened((Inner(words, assignments=assigned, elevated=True),), not given.unclear)


_ENV = Spec(
    flags="i0v",
    values="uCSP",
    long_flags=("--ignore-environment", "--null", "--debug"),
    long_values=("--unset", "--chdir", "--split-string"),
)


def open_env(command: Command) -> Opened | None:
    given = own_options(command, _ENV)
    split = given.value("-S", "--split-string")
    if split is not None:
        rest = "".join(f" {word.text}" for word in given.operands)
        whole = Word(split.text + rest, max([split.origin, *(w.origin for w in given.operands)]))
        return Opened((Inner(script=whole),), harmless=False)
    assigned, words = assignments_first(given.operands)
    if not words:
        return None
    moves = given.value("-C", "--chdir")
    clean = not given.unclear and not given.has("-P", "-u", "--unset")
    return Opened((Inner(words, assignments=assigned, moves=moves),), clean)


def open_command_builtin(command: Command) -> Opened | None:
    given = own_options(command, Spec(flags="pvV"))
    if given.has("-v", "-V") or not given.operands:
        return None
    return Opened((Inner(given.operands),), not given.unclear)


def joined(words: tuple[Word, ...]) -> Word:
    """Words joined by blanks, as `eval`, `watch` and `ssh` do before a shell reads them again."""
    origin = max((word.origin for word in words), default=Origin.LITERAL)
    return Word(" ".join(word.text for word in words), origin)


def script_of_words(spec: Spec, *, direct: tuple[str, ...] = (), dialect: str = "bash") -> Open:
    """`wrapper [options] words…` where the words together are a script; with an option of `direct`
    they are a command as they stand, and no shell reads them."""

    def open_script(command: Command) -> Opened | None:
        given = own_options(command, spec)
        words = given.operands
        if not words:
            return None
        inner = Inner(words) if given.has(*direct) else Inner(script=joined(words), dialect=dialect)
        return Opened((inner,), not given.unclear)

    return open_script


def option_script(spec: Spec, *names: str) -> Open:
    """`wrapper -c SCRIPT`: never harmless, the wrapper does more than run it."""

    def open_option(command: Command) -> Opened | None:
        given = arguments(command.args, spec)
        found = [o.value for o in given.options if o.name in names and o.value is not None]
        return (
            Opened(tuple(Inner(script=value) for value in found), harmless=False) if found else None
        )

    return open_option


def open_trap(command: Command) -> Opened | None:
    words = [word for word in command.args if word.text not in ("--",)]
    if len(words) < 2 or words[0].text in ("-l", "-p", "-", ""):
        return None
    return Opened((Inner(script=words[0]),), harmless=True)


def open_runner(*verbs: str) -> Open:
    """`uv run …`, `bundle exec …`: the command behind the verb, never harmless."""

    def open_verb(command: Command) -> Opened | None:
        texts = [word.text for word in command.args]
        index = next((i for i, text in enumerate(texts) if text in verbs), None)
        if index is None:
            return None
        rest = command.args[index + 1 :]
        while rest and (rest[0].text.startswith("-") or "=" in rest[0].text.split("/")[0]):
            if rest[0].text == "--":
                rest = rest[1:]
                break
            rest = rest[1:]
        return Opened((Inner(rest),), harmless=False) if rest else None

    return open_verb


_NOTHING = Spec()
_TIMEOUT = Spec(
    flags="vfp",
    values="ks",
    long_flags=("--preserve-status", "--foreground", "--verbose"),
    long_values=("--kill-after", "--signal"),
)
_TIME = Spec(flags="pvaq", values="of", long_flags=("--verbose", "--portability", "--append"),
             long_values=("--output", "--format"))  # fmt: skip
_SU = Spec(flags="lmpP", values="csgGw", long_values=("--command",))
_SCRIPT = Spec(flags="aefqB", values="cIOoTEm", long_values=("--command",))
_CHROOT = Spec(long_values=("--userspec", "--groups"))
_NPX = Spec(
    flags="yq", values="pc", long_flags=("--yes", "--no-install"), long_values=("--package",)
)
_WATCH = Spec(
    flags="bcegtwxpr",
    values="nq",
    maybe="d",
    long_flags=("--no-title", "--color", "--beep", "--errexit", "--chgexit", "--precise", "--exec"),
    long_values=("--interval",),
    long_maybe=("--differences",),
)
_TRACE = Spec(
    flags="cCdfFhiqrtTvVxyzkwn",
    values="abeEIoOpPsSuUX",
    long_values=("--output", "--trace", "--env"),
)

WRAPPERS: Mapping[str, Open] = {
    "sudo": open_sudo,
    "doas": prefix(Spec(flags="nsL", values="uC"), elevated=True),
    "pkexec": prefix(Spec(long_values=("--user",)), harmless=False, elevated=True),
    "gosu": prefix(_NOTHING, skip=1, harmless=False, elevated=True),
    "su": option_script(_SU, "-c", "--command"),
    "env": open_env,
    "nice": prefix(Spec(values="n", numbers=True, long_values=("--adjustment",))),
    "ionice": prefix(Spec(flags="t", values="cn", long_values=("--class", "--classdata"))),
    "nohup": prefix(_NOTHING),
    "setsid": prefix(Spec(flags="cfw")),
    "stdbuf": prefix(Spec(values="ioe", long_values=("--input", "--output", "--error"))),
    "timeout": prefix(_TIMEOUT, skip=1),
    "gtimeout": prefix(_TIMEOUT, skip=1),
    "time": prefix(_TIME, writes=("-o", "--output")),
    "chrt": prefix(Spec(flags="abfimor"), skip=1, harmless=False),
    "taskset": prefix(Spec(flags="ac"), skip=1, harmless=False),
    "command": open_command_builtin,
    "builtin": prefix(_NOTHING),
    "exec": prefix(Spec(flags="cl", values="a"), writes=("-a",)),
    "noglob": prefix(_NOTHING),
    "caffeinate": prefix(Spec(flags="dimsu", values="tw")),
    "unbuffer": prefix(Spec(flags="p"), harmless=False),
    "chronic": prefix(Spec(flags="ev"), harmless=False),
    "xvfb-run": prefix(Spec(flags="al", values="efnps"), harmless=False),
    "dbus-run-session": prefix(_NOTHING, harmless=False),
    "strace": prefix(_TRACE, harmless=False),
    "ltrace": prefix(_TRACE, harmless=False),
    "valgrind": prefix(_NOTHING, harmless=False),
    "chroot": prefix(_CHROOT, skip=1, harmless=False, elevated=True),
    "unshare": prefix(Spec(flags="imnpuUCTfrc", values="RwSG"), harmless=False),
    "nsenter": prefix(Spec(flags="amuinpUCrwFZ", values="tSG"), harmless=False, elevated=True),
    "systemd-run": prefix(Spec(flags="GPqrtdS", values="uHMpEE"), harmless=False),
    "setpriv": prefix(_NOTHING, harmless=False),
    "busybox": prefix(_NOTHING),
    "toybox": prefix(_NOTHING),
    "faketime": prefix(Spec(flags="mp", values="f"), skip=1, harmless=False),
    "eval": script_of_words(_NOTHING),
    "watch": script_of_words(_WATCH, direct=("-x", "--exec"), dialect="sh"),
    "script": option_script(_SCRIPT, "-c", "--command"),
    "trap": open_trap,
    "uv": open_runner("run"),
    "poetry": open_runner("run"),
    "pipenv": open_runner("run"),
    "pdm": open_runner("run"),
    "rye": open_runner("run"),
    "hatch": open_runner("run"),
    "conda": open_runner("run"),
    "bundle": open_runner("exec"),
    "mise": open_runner("exec", "x"),
    "rtx": open_runner("exec"),
    "direnv": open_runner("exec"),
    "devbox": open_runner("run"),
    "doppler": open_runner("run"),
    "op": open_runner("run"),
    "aws-vault": open_runner("exec"),
    "cross-env": open_runner("cross-env"),
    "dotenv": open_runner("--", "run"),
    "npm": open_runner("exec", "x"),
    "pnpm": open_runner("exec", "dlx"),
    "yarn": open_runner("exec", "dlx"),
    "npx": prefix(_NPX, harmless=False),
}  # fmt: skip
