"""Wrappers with a grammar of their own: shells, builtins, xargs, find, ssh, containers, git."""

import re
from collections.abc import Mapping

from automode.shell.evaluated import MAPFILE
from automode.shell.options import Spec, arguments, may_split
from automode.shell.script import HOLE, Command, Origin, Word
from automode.shell.wrappers import (
    INPUT_WORD,
    INPUT_WORDS,
    Inner,
    Open,
    Opened,
    joined,
    option_script,
)

SHELLS = frozenset(
    {"bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash", "csh", "tcsh"}
)
EXACT_SHELLS = frozenset({"bash", "sh", "dash", "ash", "rbash"})
"""Shells that read a plain script the way bash does."""

_PLAIN = re.compile(r"^[\w\s./,:@%+|&;'\"-]*$")
"""Text that means the same in every shell: no globs, no `=`, no brackets."""

_SHELL = Spec(
    flags="ceilvxnuabhkmprstBCEHPTfD",
    values="oO",
    long_flags=("--norc", "--noprofile", "--login", "--posix", "--restricted", "--verbose",
                "--noediting", "--debugger"),
    long_values=("--rcfile", "--init-file"),
    stops_at_operand=True,
)  # fmt: skip


_SHELL_EXTRAS = ("--rcfile", "--init-file", "--posix", "--debugger", "-D", "-O", "-i", "-k", "-a",
                 "-B", "-H", "-P", "-r", "-t", "-m", "-T")  # fmt: skip
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


_XARGS = Spec(
    flags="0rtxp",
    values="aEILnPsd",
    maybe="eil",
    long_flags=("--null", "--no-run-if-empty", "--verbose", "--exit", "--open-tty"),
    long_values=("--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars",
                 "--max-lines", "--process-slot-var"),
    long_maybe=("--replace", "--eof"),
    stops_at_operand=True,
)  # fmt: skip


def open_xargs(command: Command) -> Opened | None:
    given = arguments(command.args, _XARGS)
    words = given.operands or (Word("echo"),)
    marks = [o.value or Word("{}") for o in given.options if o.name in ("-I", "-i", "--replace")]
    inner = words if marks else (*words, INPUT_WORDS)
    for mark in marks:
        inner = tuple(_filled(word, mark.text) for word in inner)
    clear = (
        len(marks) < 2 and all(mark.value for mark in marks) and bool(given.operands or not marks)
    )
    return Opened((Inner(inner),), clear and not given.unclear)


def _filled(word: Word, mark: str) -> Word:
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
            end = next((i for i in range(index, len(words)) if words[i].text in (";", "+")), None)
            stop = len(words) if end is None else end
            inner.append(Inner(_found_files(words[index:stop], command)))
            # `-execdir` finds its program from the folder it is in, `-ok` waits for an answer.
            harmless = harmless and end is not None and text == "-exec"
            index = stop + 1
        elif text in _FIND_VALUES:
            harmless = harmless and not any(may_split(word) for word in words[index : index + 1])
            index += 1
        elif text not in _FIND_READS and (
            words[index - 1].could_be_flag or may_split(words[index - 1])
        ):
            harmless = False
    return Opened(tuple(inner), harmless) if inner else None


def _found_files(words: tuple[Word, ...], command: Command) -> tuple[Word, ...]:
    """`{}` is a path under the first start folder: enough to see `find / -exec rm {}`."""
    paths = [w for w in command.args if w.text not in ("-H", "-L", "-P")][:1]
    start = paths[0] if paths and paths[0].text[:1] not in ("-", "(", "!") else Word(".")
    below = Word(f"{start.text.rstrip('/')}/{HOLE}", Origin.DERIVED, plain=True)
    return tuple(below if word.text == "{}" else _filled(word, "{}") for word in words)


def open_fd(command: Command) -> Opened | None:
    texts = [word.text for word in command.args]
    marks = ("-x", "-X", "--exec", "--exec-batch")
    index = next((i for i, text in enumerate(texts) if text in marks), None)
    if index is None:
        return None
    words = command.args[index + 1 :]
    if not any("{" in word.text for word in words):
        words = (*words, INPUT_WORDS)
    return Opened((Inner(tuple(_filled(word, "{}") for word in words)),), harmless=False)


_SSH = Spec(flags="46AaCfGgKkMNnqsTtVvXxYy", values="BbcDEeFIiJLlmOopPQRSWw", stops_at_operand=True)


def open_ssh(command: Command) -> Opened | None:
    given = arguments(command.args, _SSH)
    words = given.operands[1:]
    return Opened((Inner(script=joined(words), remote=True),), harmless=False) if words else None


def open_parallel(command: Command) -> Opened | None:
    words: list[Word] = []
    for word in command.args:
        if word.text.startswith(":::"):
            break
        if words or not word.text.startswith("-"):
            words.append(word)
    if not words:
        return None
    return Opened((Inner(script=joined((*words, INPUT_WORDS))),), harmless=False)


_EXEC = Spec(
    flags="itdTq",
    values="euwcnp",
    long_flags=("--interactive", "--tty", "--detach", "--stdin", "--quiet", "--no-TTY"),
    long_values=("--env", "--user", "--workdir", "--container", "--namespace", "--index"),
    stops_at_operand=True,
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
            return Opened((Inner(script=joined(words)),), harmless=False) if words else None
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


_COMPLETES = Spec(flags="abcdefgjksuvprDEI", values="oAGWFCXPSV")

LAUNCHERS: Mapping[str, Open] = {
    **dict.fromkeys(SHELLS, open_shell),
    "xargs": open_xargs,
    "gxargs": open_xargs,
    "find": open_find,
    "gfind": open_find,
    "fd": open_fd,
    "fdfind": open_fd,
    "ssh": open_ssh,
    "parallel": open_parallel,
    "docker": open_container,
    "podman": open_container,
    "nerdctl": open_container,
    "docker-compose": open_container,
    "kubectl": open_container,
    "oc": open_container,
    "git": open_git,
    "jobs": open_jobs,
    "bind": open_bind,
    **dict.fromkeys(("mapfile", "readarray"), option_script(MAPFILE, "-C")),
    **dict.fromkeys(("compgen", "complete"), option_script(_COMPLETES, "-C")),
}
