"""Wrappers with a grammar of their own: shells, xargs, find, ssh, containers, git's runners."""

import re
from collections.abc import Mapping

from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE, Command, Origin, Word
from automode.shell.wrappers import INPUT_WORDS, Inner, Open, Opened, joined

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


def open_shell(command: Command) -> Opened | None:
    given = arguments(command.args, _SHELL)
    if given.has("--rcfile", "--init-file", "-D") or given.unclear:
        harmless = False
    else:
        harmless = command.program in EXACT_SHELLS
    if given.has("-c"):
        if not given.operands:
            return None
        script, *rest = given.operands
        plain = script.value is not None and bool(_PLAIN.match(script.text))
        clean = harmless or (command.program in SHELLS and plain and not given.unclear)
        inner = Inner(script=script, arguments=tuple(rest), dialect=command.program)
        return Opened((inner,), clean and not given.has("--rcfile", "--init-file"))
    if command.fed is not None and (not given.operands or given.has("-s")):
        text = Word(command.fed)
        return Opened((Inner(script=text, dialect=command.program),), harmless)
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
    mark = given.value("-I") or given.value("-i", "--replace")
    if mark is None and given.has("-i", "--replace"):
        mark = Word("{}")
    if mark is not None and mark.value:
        inner = tuple(_filled(word, mark.text) for word in words)
    else:
        inner = (*words, INPUT_WORDS)
    return Opened((Inner(inner),), not given.unclear and bool(given.operands or mark is None))


def _filled(word: Word, mark: str) -> Word:
    if mark not in word.text:
        return word
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
            index += 1
        elif words[index - 1].could_be_flag and text not in _FIND_READS:
            harmless = False
    return Opened(tuple(inner), harmless) if inner else None


def _found_files(words: tuple[Word, ...], command: Command) -> tuple[Word, ...]:
    """`{}` is a path under the first start folder: enough to see `find / -exec rm {}`."""
    start = next(
        (w for w in command.args if not w.could_be_flag and w.text not in "()!"), Word(".")
    )
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
_CONTAINER_GLOBALS = ("compose", "container", "-f", "--file", "-p", "--project-name", "-n",
                      "--namespace", "--context")  # fmt: skip


def open_container(command: Command) -> Opened | None:
    """`docker exec NAME CMD`, `docker run IMAGE CMD`, `kubectl exec POD -- CMD`."""
    texts = [word.text for word in command.args]
    index = next((i for i, text in enumerate(texts) if text in ("exec", "run")), None)
    if index is None:
        return None
    known = all(text in _CONTAINER_GLOBALS or not text.startswith("-") for text in texts[:index])
    given = arguments(command.args[index + 1 :], _EXEC)
    words = given.operands[1:]
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return None
    privileged = given.has("-u", "--user", "--privileged", "-e", "--env")
    harmless = texts[index] == "exec" and known and index <= 1 and not given.unclear
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
}
