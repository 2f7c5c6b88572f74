"""What commands print, where that can be known without running them."""

import base64
import binascii
import re
from collections.abc import Mapping
from itertools import pairwise

from automode.shell.script import Command, Origin, Redirect, Word

_SLOT = re.compile(r"%(%|s|d|b)?")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)")
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}
"""The escapes that `echo -e`, `printf` and `%b` of every shell agree on."""

_ZSH_ESCAPE = re.compile(r"\\[abcefnrtvEuUx0\\]")
"""What the `echo` of zsh takes for another character without `-e`."""

TEXT_LIMIT = 65_536
_OTHER_ECHOES = frozenset("sh dash ash zsh ksh mksh csh tcsh fish busybox".split())
"""Shells whose `echo` takes options and backslashes differently."""

_NUMBER = r"%(?:[YmdHMSFTDRjyCuws]|[1-9]?N)"
_FORMAT = rf"\+(?:{_NUMBER}|[\w:.,/])(?:[- ]?{_NUMBER}|[\w:.,/])*"
_TIME = r"now|today|yesterday|tomorrow|[+-]?\d{1,3} (?:minute|hour|day|week)s?(?: ago)?"
_HASHES = r"--(?:format|pretty)=%[Hh]"
_COMMITS = (
    r"(?:\n(?:-\d+|-n\n?\d+|--max-count=\d+|--max-parents=\d+|--first-parent|--reverse|--merges"
    r"|--no-merges|--all|--(?:since|until|after|before)=.*|--(?:grep|author)=\S*|--|[^-\s]\S*))*"
)
_PRINTS_PLAIN = {
    **dict.fromkeys("nproc whoami arch tty logname".split(), re.compile("")),
    # Absolute paths and numbers. Where nothing is found, nothing is printed.
    "mktemp": re.compile(r"(?:(?:-[dqu]+|-t|--suffix=[\w.]+|(?!-)[\w./-]+)\n?)*"),
    "which": re.compile(r"(?!-)[\w.+-]+"),
    "go": re.compile(r"env\n(?:GOMODCACHE|GOPATH|GOROOT|GOCACHE|GOOS|GOARCH|GOVERSION)"),
    "pgrep": re.compile(r"(?:-[fxnoi]+\n)*[^-\s][^\n]*"),
    "pidof": re.compile(r"(?:-s\n)?[^-\s]\S*"),
    "lsof": re.compile(r"(?:(?:-n|-P|-nP|-Pn)\n)*-ti(?::|\n:|tcp:|\ntcp:)\d+(?:\n-sTCP:LISTEN)?"),
    # Names of days and of time zones have blanks and dashes in some places of the world.
    "date": re.compile(
        rf"(?:(?:-u|--utc|-d\n(?:{_TIME}))\n)*(?:-I(?:seconds)?|--iso-8601|{_FORMAT})", re.ASCII
    ),
    # Names of branches and tags come from other machines, and may start with a dash. What is no
    # commit `rev-parse` prints as it is.
    "git": re.compile(
        r"rev-parse(?:\n(?:--short(?:=\d+)?|--verify|--quiet|-q|[\w@][\w./@{}~^-]*))*"
        rf"|merge-base(?:\n(?:--all|--fork-point|[^-\s]\S*))*|rev-list(?:\n--count)?{_COMMITS}"
        rf"|log\n{_HASHES}{_COMMITS}|log{_COMMITS}\n{_HASHES}{_COMMITS}"
    ),
}
"""The words behind a program, one a line, with which no word that it prints starts with a dash."""

_TEMPORARY = re.compile(
    r"(?:(?:-[dq]+|--directory|--quiet|-t\n[\w.-]+)\n?)*(?:/tmp/[\w.-]*X{3,}[\w.-]*)?"
)
_ELSEWHERE = re.compile(r"/|~|(?:.*/)?\.\.(?:/|$)|.*\0")
_FILTERS = frozenset("grep head tail sort uniq".split())
_LISTERS = {
    "ls": re.compile(r"(?:(?:-1|-d|--|[^-\n][^\n]*)\n?)*"),
    "find": re.compile(
        r"(?:[^-\n][^\n]*\n?)+(?:-(?:name|iname|path|type|newer|maxdepth)\n[^\n]+\n?|(?:-not|!|-o|-print)\n?)*"
    ),
    "rg": re.compile(r"(?:-l|--files-with-matches|--files)(?:\n[^\n]+)*"),
    "grep": re.compile(r"-[rilwEF]*l[rilwEF]*(?:\n(?:--include=[^\n]+|[^-\n][^\n]*))+"),
    "git": re.compile(
        r"ls-files(?:\n(?:-m|-o|--others|--modified|--exclude-standard|--|[^-\n][^\n]*))*"
        r"|diff\n--name-only(?:\n(?:--cached|--staged|--diff-filter=\w+|--|[^-\n][^\n]*))*"
        r"|grep\n-[ilwEF]*l[ilwEF]*(?:\n(?:--|[^-\n][^\n]*))+"
    ),
}
_SUBJECT = r"(?: (?:%(?:s|an|ae|ad|as|ar|ci|cd|cs|cr|ct|at|d)|[^%\n])+)?"
_FIRST_PLAIN = (
    (
        1,
        re.compile(
            rf"log(?=.*\n--oneline(?:\n|$)){_COMMITS.replace('--all', '--all|--oneline')}",
            re.DOTALL,
        ),
    ),
    (1, re.compile(rf"log{_COMMITS}\n--(?:format|pretty)=(?:format:)?%[hH]{_SUBJECT}{_COMMITS}")),
    (1, re.compile(r"(?:ls-remote|show-ref)(?:\n(?:--heads|--tags|[^-\s]\S*))*")),
    (3, re.compile(r"ls-tree(?:\n(?:-[rdtl]+|--full-tree|[^-\s]\S*))*")),
)
"""Words behind `git` with which so many words of each line do not start with a dash: the first is a
hash, and what people wrote comes later."""

EVERY = 1_000
"""So many words of a line are plain where all of them are."""

_COLUMN = (
    re.compile(r"\{ ?print \$(\d) ?;?\}"),
    re.compile(r"-d ?\n? \n-f\n?(\d)|-f\n?(\d)\n-d\n? "),
)

_LINES = re.compile(r"(?:-n\n?[+-]?\d+|-\d+|--lines=[+-]?\d+)?")
_KEEPS_PLAIN = {
    "wc": re.compile(r"(?:(?:-[clmwL]+|--(?:lines|words|chars|bytes|max-line-length))\n?)*"),
    **dict.fromkeys(("head", "tail"), _LINES),
    **dict.fromkeys(("cat", "tac"), re.compile("-?")),
    "sed": re.compile(r"-n\n(?:\d+|\$)(?:,(?:\d+|\$))?p"),
    "sort": re.compile(r"(?:(?:-[bdfghinrRsuV]+|--(?:reverse|unique)|-k\n?[\d,.nr]+)\n?)*"),
    "uniq": re.compile(r"(?:-[cdiu]+\n?)*"),
    **dict.fromkeys(("grep", "egrep", "fgrep"), re.compile(r"(?:-[cvixwEF]+\n)*[^-\s]\S*")),
}
"""Words behind a filter with which it prints nothing but lines of its input, and numbers."""


def output_of(commands: tuple[Command, ...]) -> str | None:
    """The text that a single command writes; None when it is not known. Anything but one plain
    command may run more often, less often or not at all."""
    if len(commands) != 1 or commands[0].transparent or not commands[0].words:
        return None
    command = commands[0]
    words = [word.value for word in command.args]
    if any(word is None for word in words) or not all(_leaves_output(r) for r in command.redirects):
        return None
    text = _output(command, [word for word in words if word is not None])
    return None if text is None or len(text) > TEXT_LIMIT else text


def zsh_prints_otherwise(commands: tuple[Command, ...]) -> bool:
    """Whether the text is only what bash prints: `echo '\\056env'` prints `.env` in zsh."""
    return any(
        command.words[:1]
        and command.words[0].value == "echo"
        and any(_ZSH_ESCAPE.search(word.text) for word in command.args)
        for command in commands
    )


def _leaves_output(redirect: Redirect) -> bool:
    return redirect.feeds or redirect.fd == "2" or redirect.op in ("<", "<&")


def _output(command: Command, words: list[str]) -> str | None:
    name, source = command.words[0].value, command.fed
    if name == "echo":
        foreign = any(shell in _OTHER_ECHOES for shell in command.via)
        return _echo(words, foreign=foreign)
    if name == "printf" and words and not words[0].startswith("-"):
        return _printf(words[0], words[1:])
    if name == "pwd" and not words and command.cwd is not None:
        return f"{command.cwd}\n"
    if name == "cat" and words in ([], ["-"]):
        return source
    if name is not None and source is not None:
        return _decode(name, words, source)
    return None


def _echo(words: list[str], *, foreign: bool) -> str | None:
    escapes, newline = False, True
    if foreign and ((words[:1] and words[0].startswith("-")) or any("\\" in w for w in words)):
        return None
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flag, words = words[0], words[1:]
        newline = newline and "n" not in flag
        escapes = "e" in flag or (escapes and "E" not in flag)
    text: str | None = " ".join(words)
    if text is not None and "\\" in text:
        text = _unescape(text) if escapes else text
    if text is None:
        return None
    return text + "\n" if newline else text


def _unescape(text: str) -> str | None:
    if any(found not in _PLAIN_ESCAPES for found in _ESCAPE.findall(text)):
        return None
    return _ESCAPE.sub(lambda found: _PLAIN_ESCAPES[found[1]], text)


def _printf(format_text: str, values: list[str]) -> str | None:
    template = _unescape(format_text)
    if template is None:
        return None
    slots = [found for found in _SLOT.findall(template) if found != "%"]
    if "" in slots or (values and not slots):
        return None
    rounds = max(1, -(-len(values) // len(slots))) if slots else 1
    filled = [*values, *[""] * (rounds * len(slots) - len(values))]
    texts = [_slot(kind, value) for kind, value in zip(slots * rounds, filled, strict=True)]
    if rounds * len(template) > TEXT_LIMIT or any(text is None for text in texts):
        return None
    pieces = iter(text for text in texts if text is not None)
    return _SLOT.sub(lambda slot: "%" if slot[1] == "%" else next(pieces), template * rounds)


def _slot(kind: str, value: str) -> str | None:
    if kind == "d":
        return value if _DECIMAL.fullmatch(value) else ("0" if value == "" else None)
    return _unescape(value) if kind == "b" else value


def _decode(name: str, words: list[str], source: str) -> str | None:
    try:
        if name == "base64" and words in (["-d"], ["-D"], ["--decode"], ["-di"]):
            return base64.b64decode("".join(source.split("\n")), validate=True).decode()
        if name == "base32" and words in (["-d"], ["--decode"]):
            return base64.b32decode(source.strip()).decode()
        if name == "xxd" and sorted("".join(words).replace("-", "")) == ["p", "r"]:
            return bytes.fromhex("".join(source.split())).decode()
        if name == "rev" and not words:
            return "\n".join(line[::-1] for line in source.split("\n"))
    except (ValueError, binascii.Error):
        return None
    return None


_SILENT = frozenset("command builtin env nice stdbuf timeout bash sh".split())
"""Wrappers that print nothing of their own; `find -exec` may."""


def plain_words(commands: tuple[Command, ...], given: int) -> int:
    """How many words of each line that these commands print cannot be taken for an option, where
    so many of their input cannot. Names of files can: split at its blanks, `./a -delete` becomes
    two words."""
    visible = [command for command in commands if not command.transparent]
    wrappers = {command.program for command in commands if command.transparent}
    if not visible or not wrappers <= _SILENT:
        return 0
    if any(later.position <= one.position for one, later in pairwise(visible)):
        return 0
    for command in visible:
        given = _plain_words(command, given)
    return given


_ONE_NUMBER = {
    **dict.fromkeys(("nproc",), re.compile("")),
    "id": re.compile(r"\n-[ug]"),
    "date": re.compile(rf"(?:\n(?:-u|--utc|-d\n(?:{_TIME})))*\n\+%(?:s(?:%N)?|[YmdHMSjuN])"),
    # What it reads is fed to it: with the name of a file it prints the name.
    "wc": re.compile(r"(?:\n(?:-[clmwL]+|--(?:lines|words|chars|bytes)))+"),
    # Of several files it prints the names, too.
    **dict.fromkeys(
        ("grep", "egrep", "fgrep"),
        re.compile(
            r"\n-(?=[a-zEF]*c)[acinvwxqsEF]+(?:\n-[ainvwxsEF]+|\n-e\n[^\n]*)*\n[^-\n][^\n]*(?:\n[^-\n][^\n]*)?"
        ),
    ),
    "stat": re.compile(r"(?:\n-L)?\n(?:-c\n?|--format=|--printf=)%[sYXZWbBhiugod]\n[^-\n][^\n]*"),
    "seq": re.compile(r"(?:\n-w)?(?:\n-?\d{1,9}){1,3}"),
    "git": re.compile(r"\nrev-list\n--count(?:\n[^-\n][^\n]*)+"),
}
"""The words in front of each of which a line ends, and with which a program prints nothing but
numbers, or nothing at all. A word that is not known is `HOLE`."""

_KEEPS_NUMBERS = {
    "tr": re.compile(r"\n-d\n(?: |\\n|\[:space:\]|\[:blank:\]| \\n)"),
    **dict.fromkeys(("head", "tail"), re.compile(r"(?:\n-n\n?\d+|\n-\d+)?")),
    "sort": re.compile(r"(?:\n-[nru]+)*"),
    "cat": re.compile(""),
}


def surely_number(commands: tuple[Command, ...]) -> bool:
    """Whether these commands print numbers alone, or nothing. Wrappers may print more."""
    alone = len({(command.pipeline, command.via) for command in commands}) == 1
    if not alone or any(command.transparent for command in commands):
        return False
    last = commands[-1]
    if not _usual(last):
        return False
    if _matches(_KEEPS_NUMBERS, last):
        return last.position > 0 and surely_number(commands[:-1])
    return _matches(_ONE_NUMBER, last)


def _usual(command: Command) -> bool:
    """Errors go elsewhere, and no variable changes what the program does."""
    apart = all(
        one.op in ("<", "<<", "<<<") or (one.fd == "2" and one.target.value == "/dev/null")
        for one in command.redirects
    )
    return apart and not command.assignments and not command.environment


def _matches(table: Mapping[str, re.Pattern[str]], command: Command) -> bool:
    known = table.get(command.words[0].value or "") if command.words else None
    unclear = any(
        "\n" in word.text or word.could_be_flag or word.splits or word.origin is Origin.GLOB
        for word in command.args
        if word.value is None or "\n" in word.text
    )
    words = "".join(f"\n{word.text}" for word in command.args)
    return known is not None and not unclear and known.fullmatch(words) is not None


def _plain_words(command: Command, given: int) -> int:
    quiet = all(one.fd == "2" and one.target.value == "/dev/null" for one in command.redirects)
    given_names = [one.name for one in (*command.assignments, *command.environment)]
    led = any(one.startswith(("GO", "TMPDIR", "GIT_")) for one in given_names)
    if led or not quiet or any(map(_may_mislead, command.args)):
        return 0
    text = "\n".join(word.text for word in command.args)
    prints, keeps = _PRINTS_PLAIN.get(command.program), _KEEPS_PLAIN.get(command.program)
    if prints is not None and prints.fullmatch(text):
        return EVERY
    if command.program == "git":
        return next((count for count, known in _FIRST_PLAIN if known.fullmatch(text)), 0)
    if command.position == 0:
        return 0
    if keeps is not None and keeps.fullmatch(text):
        return EVERY if command.program == "wc" else given
    known = _COLUMN[command.program == "cut"].fullmatch(text)
    column = int(next(filter(None, known.groups()))) if known else 0
    cuts = command.program in ("awk", "gawk", "mawk", "cut")
    return EVERY if cuts and 0 < column <= given else 0


def _may_mislead(word: Word) -> bool:
    """Whether a word may be another than the one that the table knows."""
    unclear = word.value is None and (word.could_be_flag or (word.splits and not word.plain))
    return unclear or word.text == "" or "\n" in word.text


def makes_temporary(commands: tuple[Command, ...]) -> bool:
    """Whether this prints the path of a file or folder that it makes below `/tmp`, and nothing
    else: where that failed, what stands behind the path might be anywhere."""
    if len(commands) != 1 or commands[0].program != "mktemp" or commands[0].assignments:
        return False
    values = [word.value for word in commands[0].args]
    return all(values) and _TEMPORARY.fullmatch("\n".join(one or "" for one in values)) is not None


def lists_names(commands: tuple[Command, ...]) -> bool:
    """Whether this prints names of files below the folder where it runs, and nothing else."""
    first, *rest = commands
    values = [word.value for word in first.args]
    told = "\n".join(one or "\0" for one in values)
    lists = _LISTERS.get(first.program)
    return (
        lists is not None
        and not any(_ELSEWHERE.match(one or "") for one in values)
        and lists.fullmatch(told) is not None
        and all(one.program in _FILTERS for one in rest)
        and len({one.pipeline for one in commands}) == 1
    )
