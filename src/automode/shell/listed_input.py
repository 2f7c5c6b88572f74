"""Programs that run a command for names they find or are fed: xargs, find, fd."""

import re
from collections.abc import Iterator, Sequence

from automode.shell.options import Spec, arguments, may_split
from automode.shell.script import HOLE, Command, Origin, Word
from automode.shell.wrappers import INPUT_WORD, INPUT_WORDS, Inner, Opened

_LONGEST_INPUT = 2_000
_XARGS = Spec(
    flags="0rtxp",
    values="aEILnPsd",
    maybe="eil",
    long_flags=("--null", "--no-run-if-empty", "--verbose", "--exit", "--open-tty",
                "--interactive"),
    long_values=("--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"),
    long_maybe=("--replace", "--eof", "--max-lines"),
    stops_at_operand=True,
)  # fmt: skip
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
            words = tuple(_filled(word, mark.text) for word in words)
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
