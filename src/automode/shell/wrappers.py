"""Programs whose work is another command: what is inside, and whether they add to it.

Rows of `wrappers.toml` describe most of them; those with a grammar of their own have a function.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import TypeAlias

from automode.shell.options import Arguments, Spec, arguments, found_ending, may_split, parse_spec
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


_MOUNTED = re.compile(r"(?<![\w./-])/mnt/(?=[a-z](?![\w.-]))")
_READ_ONCE = re.compile(r"[\w./:=@%+,-]+")
"""A word that a second shell takes as it stands."""


@cache
def _rows() -> Mapping[str, Mapping[str, object]]:
    text = files("automode.shell").joinpath("wrappers.toml").read_text("utf-8")
    return {name: row for names, row in tomllib.loads(text).items() for name in names.split()}


@lru_cache(maxsize=1_024)
def wrapper(name: str) -> Open | None:
    """How a program is opened that runs another command; None for any other program."""
    if name in _OPENERS:
        return _OPENERS[name]
    row = _rows().get(name)
    if row is None:
        return None
    if "behind" in row:
        tools = frozenset(str(row.get("tools", "")).split())
        return partial(_open_behind, str(row["behind"]).split(), tools)
    options, numbers = str(row.get("options", "")), bool(row.get("numbers"))
    return partial(_open_row, row, parse_spec(options, numbers=numbers, abbreviates=True))


def _open_row(row: Mapping[str, object], spec: Spec, command: Command) -> Opened | None:
    """See wrappers.toml for what each key means."""
    every = arguments(command.args, spec)
    names, kind = str(row.get("script", "")).split(), row.get("words", "command")
    found = [o.value for o in every.options if o.name in names and o.value is not None]
    scripts = [*found, *(every.operands if kind == "scripts" else ())]
    if scripts:
        return Opened(tuple(Inner(script=word) for word in scripts), harmless=False)
    given, skip = own_options(command, spec), int(str(row.get("skip", 0)))
    words = given.operands[skip:]
    if row.get("drives"):
        words = tuple(replace(word, text=_MOUNTED.sub("/", word.text)) for word in words)
    assigned, words = assignments_first(words) if row.get("assigns") else ((), words)
    if not words or kind == "none":
        return None
    known = all(word.value is not None for word in given.operands[:skip])
    clean = known and not given.unclear and not given.has(*str(row.get("writes", "")).split())
    exact = str(row.get("exact", "")).split()
    if exact and not given.has(*exact):
        clean = clean and all(_READ_ONCE.fullmatch(word.text) for word in words)
    if kind == "script" and not given.has(*str(row.get("direct", "")).split()):
        dialect = str(row.get("dialect", "bash"))
        inner = Inner(script=join(words), remote=bool(row.get("remote")), dialect=dialect)
    else:
        inner = Inner(words, assignments=assigned, elevated=bool(row.get("elevated")))
    return Opened((inner,), clean and bool(row.get("harmless")))


def _open_behind(marks: Sequence[str], tools: frozenset[str], command: Command) -> Opened | None:
    """The command stands behind one of these words, its options and its assignments; or a tool is
    called by its name alone."""
    texts = [word.text for word in command.args]
    index = next((i for i, text in enumerate(texts) if text in marks), None)
    place = _place_of_tool(texts, tools)
    if index is None and place is not None:
        return Opened((Inner(command.args[place:]),), harmless=False)
    if index is None:
        return None
    rest = command.args[index + 1 :]
    while rest and (rest[0].text.startswith("-") or "=" in rest[0].text.split("/")[0]):
        first, rest = rest[0], rest[1:]
        if first.text == "--":
            break
    return Opened((Inner(rest),), harmless=False) if rest else None


_VALUED = ("--filter", "-F", "-C", "--dir", "--cwd", "workspace")


def _place_of_tool(texts: Sequence[str], tools: frozenset[str]) -> int | None:
    """Where a tool stands that only options and the name of a workspace come before."""
    before = ""
    for place, text in enumerate(texts if tools else ()):
        if text in tools:
            return place
        if text[:1] != "-" and text != "workspace" and before not in _VALUED:
            return None
        before = text
    return None


def own_options(command: Command, spec: Spec) -> Arguments:
    return arguments(command.args, replace(spec, stops_at_operand=True))


def assignments_first(words: tuple[Word, ...]) -> tuple[tuple[Assignment, ...], tuple[Word, ...]]:
    found: list[Assignment] = []
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if not equals or not name.isidentifier():
            return tuple(found), words[index:]
        found.append(Assignment(name, Word(value, word.origin)))
    return tuple(found), ()


def join(words: tuple[Word, ...]) -> Word:
    """Words joined by blanks, as `eval`, `watch` and `ssh` do before a shell reads them again."""
    origin = max((word.origin for word in words), default=Origin.LITERAL)
    return Word(" ".join(word.text for word in words), origin)


_ENV = parse_spec(
    "-i0v -u= -C= -S= -P= --ignore-environment --null --debug --unset= --chdir= --split-string=",
    stops=True,
    abbreviates=True,
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


def open_trap(command: Command) -> Opened | None:
    words = [word for word in command.args if word.text not in ("--",)]
    if len(words) < 2 or words[0].text in ("-l", "-p", "-", ""):
        return None
    return Opened((Inner(script=words[0]),), harmless=True)


SHELLS = frozenset("bash sh dash ash zsh ksh mksh fish rbash csh tcsh".split())
EXACT_SHELLS = frozenset({"bash", "sh", "dash", "ash", "rbash"})
"""Shells that read a plain script the way bash does."""

_PLAIN = re.compile(r"^[\w\s./,:@%+|&;'\"-]*$")
"""Text that means the same in every shell: no globs, no `=`, no brackets."""

_SHELL = parse_spec(
    """-ceilvxnuabhkmprstBCEHPTfD -o= -O= --norc --noprofile --login --posix --restricted --verbose
    --noediting --debugger --rcfile= --init-file=""",
    stops=True,
    abbreviates=True,
)


_SHELL_EXTRAS = (
    "--rcfile --init-file --posix --debugger -D -O -i -k -a -B -H -P -r -t -m -T".split()
)
"""Options that read other files, or change how the script is read."""

_SHELL_SETTINGS = frozenset("pipefail errexit nounset xtrace".split())


def open_shell(command: Command) -> Opened | None:
    given = arguments(command.args, _SHELL)
    if given.has("-n") and not given.has("-i"):
        return None  # only checks the script
    settings = [o.value.text if o.value else "" for o in given.options if o.name == "-o"]
    usual = (
        not given.unclear and not given.has(*_SHELL_EXTRAS) and _SHELL_SETTINGS.issuperset(settings)
    )
    exact = command.program in EXACT_SHELLS
    if given.has("-c"):
        if not given.operands:
            return None
        script, *rest = given.operands
        plain = script.value is not None and bool(_PLAIN.match(script.text))
        inner = Inner(script=script, arguments=tuple(rest), dialect=command.program)
        return Opened((inner,), usual and (exact or plain))
    if command.fed is not None and (not given.operands or given.has("-s")):
        text = Word(command.fed)
        inner = Inner(script=text, arguments=given.operands, dialect=command.program)
        return Opened((inner,), usual and exact)
    return None


def reads_script(command: Command) -> bool:
    """A shell without a script file: it runs what comes on its standard input."""
    names = [word for word in command.args if not word.text.startswith("-")]
    if any(word.text in ("--version", "--help") for word in command.args):
        return False
    stdin = any(word.text in ("/dev/stdin", "-", "/dev/fd/0") for word in command.args)
    given = command.position > 0 or any(r.op in ("<", "<<", "<<<") for r in command.redirects)
    return (not names or stdin) and (given or stdin)


def traces(command: Command) -> bool:
    """Whether a shell is told to print what it runs, values and all: `set -x`, `bash -o xtrace`."""
    if command.program != "set" and command.program not in SHELLS:
        return False
    texts = [word.text for word in command.args]
    return "xtrace" in texts or any(re.match(r"-[A-Za-z]*x", text) for text in texts)


def open_parallel(command: Command) -> Opened | None:
    words: list[Word] = []
    for word in command.args:
        if word.text.startswith(":::"):
            break
        if words or not word.text.startswith("-"):
            words.append(word)
    if not words:
        return None
    return Opened((Inner(script=join((*words, INPUT_WORDS))),), harmless=False)


_EXEC = parse_spec(
    """-itdTq -e= -u= -w= -c= -n= -p= --interactive --tty --detach --stdin --quiet --no-TTY --env=
    --user= --workdir= --container= --namespace= --index=""",
    stops=True,
    abbreviates=True,
)


def open_container(command: Command) -> Opened | None:
    """`docker exec NAME CMD`, `docker run IMAGE CMD`, `kubectl exec POD -- CMD`."""
    texts = [word.text for word in command.args]
    index = next((i for i, text in enumerate(texts) if text in ("exec", "run")), None)
    if index is None:
        return None
    given = arguments(command.args[index + 1 :], _EXEC)
    words = given.operands[1:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return None
    privileged = given.has("-u", "--user", "--privileged", "-e", "--env")
    direct = texts[:index] in ([], ["compose"], ["container"]) and command.args[0].value is not None
    harmless = texts[index] == "exec" and direct and not given.unclear
    return Opened((Inner(words, remote=True),), harmless and not privileged)


def open_git(command: Command) -> Opened | None:
    """git's own ways to run a command of the caller's."""
    texts = [word.text for word in command.args]
    for verb, mark in (("submodule", "foreach"), ("bisect", "run")):
        if verb in texts and mark in texts[texts.index(verb) :]:
            words = command.args[texts.index(mark) + 1 :]
            words = tuple(
                word for word in words if word.text not in ("--recursive", "--quiet", "-q")
            )
            return Opened((Inner(script=join(words)),), harmless=False) if words else None
    if "rebase" in texts:
        given = arguments(command.args, Spec(values="x", long_values=("--exec",)))
        script = given.value("-x", "--exec")
        return Opened((Inner(script=script),), harmless=False) if script else None
    return None


def open_jobs(command: Command) -> Opened | None:
    """`jobs -x CMD` runs the command in this shell, as `command CMD` does."""
    given = arguments(command.args, Spec(flags="lnprsx", stops_at_operand=True))
    if not given.has("-x") or not given.operands:
        return None
    alone = all(option.name == "-x" for option in given.options)
    return Opened((Inner(given.operands),), alone and not given.unclear)


def open_bind(command: Command) -> Opened | None:
    """`bind -x '"KEYS": CMD'`."""
    keys = arguments(command.args, Spec(flags="lpsvPSVX", values="mfqurx")).value("-x")
    if keys is None:
        return None
    script = keys.text.rpartition('":')[2] or keys.text
    return Opened((Inner(script=Word(script, keys.origin)),), harmless=False)


def open_entr(command: Command) -> Opened | None:
    """A command as it stands; with `-s` a script."""
    given = own_options(command, Spec(flags="acdnprsxz"))
    if not given.operands:
        return None
    script = given.operands[0] if given.has("-s") else None
    inner = Inner(script=script) if script is not None else Inner(given.operands)
    return Opened((inner,), harmless=False)


_LONGEST_INPUT = 2_000
_XARGS = parse_spec(
    """-0rtxp -a= -E= -I= -L= -n= -P= -s= -d= -e[=] -i[=] -l[=] --null --no-run-if-empty --verbose
    --exit --open-tty --interactive --arg-file= --delimiter= --max-args= --max-procs= --max-chars=
    --replace[=] --eof[=] --max-lines[=]""",
    stops=True,
    abbreviates=True,
)
_XARGS_MARKS = ("-I", "-i", "--replace")
_XARGS_COUNTS = ("-n", "-L", "-l", "-x", "--max-args", "--max-lines", "--exit")
"""Options that take a mark back, or are taken back by it, whichever comes last."""

_XARGS_USUAL = frozenset(
    "-n -L -P -I -i -r -t -0 --null --no-run-if-empty --verbose --max-args --max-procs".split()
)
"""Options with which it splits standard input at blanks and line breaks, or not at all."""


def open_xargs(command: Command) -> Opened | None:
    given = arguments(command.args, _XARGS)
    words = given.operands or (Word("echo"),)
    marks = [o.value or Word("{}") for o in given.options if o.name in _XARGS_MARKS]
    inner: list[Inner] = []
    if not marks or given.has(*_XARGS_COUNTS) or given.unclear:
        inner += _with_input(words, command.fed)
    if marks:
        for mark in marks:
            words = tuple(_fill(word, mark.text) for word in words)
        inner.append(Inner(words))
    clear = (
        len(marks) < 2 and all(mark.value for mark in marks) and bool(given.operands or not marks)
    )
    return Opened(tuple(inner), clear and not given.unclear)


def takes_words_of_input(command: Command) -> bool:
    """Whether the words that xargs adds are those that stand on the input of the pipeline."""
    given = arguments(command.args, _XARGS)
    usual = all(option.name in _XARGS_USUAL for option in given.options)
    other_input = any(one.fd in ("", "0") and "<" in one.op for one in command.redirects)
    return command.program in ("xargs", "gxargs") and usual and not other_input


def _with_input(words: tuple[Word, ...], text: str | None) -> Iterator[Inner]:
    """The command with words of the input behind it; with those very words where they are known,
    so that what they do can be seen."""
    yield Inner((*words, INPUT_WORDS))
    if text is not None and len(text) <= _LONGEST_INPUT:
        written = (one.strip("'\"") for one in text.split())
        yield Inner((*words, *(Word(one) for one in written)))


def _fill(word: Word, mark: str) -> Word:
    if not mark or mark not in word.text:
        return word
    if word.text == mark:
        return INPUT_WORD
    return Word(word.text.replace(mark, HOLE), max(word.origin, Origin.DERIVED))


_FIND_READS = frozenset(
    """-a -and -o -or -not ! ( ) , -true -false -print -print0 -ls -prune -quit -depth -d -xdev
    -mount -daystart -follow -noleaf -H -L -P -E -X -x -s -empty -executable -readable -writable
    -nouser -nogroup -noignore_readdir_race -ignore_readdir_race -warn -nowarn""".split()
)
_FIND_VALUES = frozenset(
    """-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname
    -type -xtype -maxdepth -mindepth -size -mtime -ctime -atime -mmin -cmin -amin -newer -anewer
    -cnewer -newermt -newerat -newerct -perm -user -group -uid -gid -links -inum -samefile -fstype
    -used -printf -context -O -D -files0-from""".split()
)
_FIND_RUNS = ("-exec", "-execdir", "-ok", "-okdir")


def open_find(command: Command) -> Opened | None:
    """`find … -exec CMD {} ;`: found files stand for `{}`. Harmless when every other word is
    known to only select or print."""
    words = command.args
    inner: list[Inner] = []
    harmless = True
    index = 0
    while index < len(words):
        text = words[index].text
        index += 1
        if text in _FIND_RUNS:
            stop = index + find_run_length([word.text for word in words[index:]], text)
            run = words[index:stop]
            inner.append(Inner(_found_files(run, command)))
            # `-execdir` finds its program from the folder it is in, `-ok` waits for an answer.
            harmless = harmless and stop < len(words) and text == "-exec"
            harmless = harmless and not any(_may_end_run(word) for word in run)
            index = stop + 1
        elif text in _FIND_VALUES:
            harmless = harmless and not any(may_split(word) for word in words[index : index + 1])
            index += 1
        elif text not in _FIND_READS and (
            words[index - 1].could_be_flag or may_split(words[index - 1])
        ):
            harmless = False
    return Opened(tuple(inner), harmless) if inner else None


def find_run_length(texts: Sequence[str], action: str) -> int:
    """How many words the command behind `-exec` has: up to `;`, or, but for `-ok` and `-okdir`, to
    a `+` directly behind `{}`. Any other `+` is a word of the command."""
    several = action in ("-exec", "-execdir")
    for index, text in enumerate(texts):
        if text == ";" or (several and index and text == "+" and texts[index - 1] == "{}"):
            return index
    return len(texts)


def _may_end_run(word: Word) -> bool:
    """Whether a word that is not known may be the `;`, or the `{}` before a `+`, or hold one."""
    return word.value is None and (word.splits or not re.search(r"\w", word.text))


def _found_files(words: tuple[Word, ...], command: Command) -> tuple[Word, ...]:
    """`{}` is a path under the first start folder, and ends as the name that is looked for."""
    paths = [w for w in command.args if w.text not in ("-H", "-L", "-P")][:1]
    start = paths[0] if paths and paths[0].text[:1] not in ("-", "(", "!") else Word(".")
    path = f"{start.text.rstrip('/')}/{HOLE}{found_ending(command.args)}"
    below = Word(path, Origin.DERIVED, plain=True)
    return tuple(below if word.text == "{}" else _fill(word, "{}") for word in words)


def open_fd(command: Command) -> Opened | None:
    texts = [word.text for word in command.args]
    marks = ("-x", "-X", "--exec", "--exec-batch")
    index = next((i for i, text in enumerate(texts) if text in marks), None)
    if index is None:
        return None
    words = command.args[index + 1 :]
    if not any("{" in word.text for word in words):
        words = (*words, INPUT_WORDS)
    return Opened((Inner(tuple(_fill(word, "{}") for word in words)),), harmless=False)


_OPENERS: Mapping[str, Open] = {
    **dict.fromkeys(SHELLS, open_shell),
    **dict.fromkeys(("xargs", "gxargs"), open_xargs),
    **dict.fromkeys(("find", "gfind"), open_find),
    **dict.fromkeys(("fd", "fdfind"), open_fd),
    **dict.fromkeys(
        ("docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc"), open_container
    ),
    "env": open_env,
    "command": open_command_builtin,
    "trap": open_trap,
    "parallel": open_parallel,
    "git": open_git,
    "jobs": open_jobs,
    "bind": open_bind,
    "entr": open_entr,
}
