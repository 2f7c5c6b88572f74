"""awk: reads the program itself, because an awk program can write files and run programs."""

import re
from collections.abc import Iterator, Mapping

from automode.programs.forms import sole
from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.shell.options import Spec, arguments
from automode.shell.script import Word

_SPEC = Spec(
    flags="bcCghknrPsStV",
    values="Fve",
    long_flags=(
        "--characters-as-bytes --traditional --copyright --help --use-lc-numeric --re-interval "
        "--non-decimal-data --posix --sandbox --version --csv --no-optimize --optimize"
    ).split(),
    long_values=("--field-separator", "--assign", "--source"),
    stops_at_operand=True,
)
_ELSEWHERE = {
    **dict.fromkeys(("-f", "--file", "-E", "--exec"), unknown("the awk program is in a file")),
    **dict.fromkeys(("-i", "--include"), writes("`-i inplace` edits files in place")),
    **dict.fromkeys(("-l", "--load"), runs("`-l` loads code")),
    **dict.fromkeys(("-o", "--pretty-print", "-p", "--profile", "-d"), writes("writes a report")),
}
_HELP = ("--help", "--version", "-h", "-V")
# Without one of these an awk program can do nothing but print, however its slashes are read.
_REACHES_OUT = re.compile(r"[|>@]|system|getline|ENVIRON|ARG[VC]|SYMTAB|FUNCTAB|PROCINFO|INPLACE")
_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\\\r?\n|\#[^\n]*)
      | (?P<newline>\n)
      | (?P<string>"(?:[^"\\\n]|\\.|\\\n)*")
      | (?P<number>\d[\d.]*(?:[eE][+-]?\d+)?|\.\d+)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>\|&|\|\||>>|[<>=!+*/%^-]=|&&|!~|\+\+|--|\*\*=?|[-+*/%^!<>|?:~$=,;(){}\[\]@&])
    """,
    re.VERBOSE,
)
_BEFORE_REGEX = frozenset(
    "( , { } ; ! ~ !~ && || \n ? : = == != < > <= >= + - * % ^ [ & "
    "print printf return in else do case += -= *= %= ^=".split(" ")
)
_CONTINUES = frozenset((",", "&&", "||", "?", ":", "{", "else", "do"))
_DOUBTFUL = frozenset((")", "++", "--", "length", "getline", "/", "/="))
_HARMLESS_VARIABLES = ("HOME", "USER", "PWD", "PATH", "LANG", "SHELL", "TERM", "LOGNAME", "TMPDIR")
_STREAMS = ('"/dev/stderr"', '"/dev/stdout"')
_FORBIDDEN = {
    "system": runs("`system` runs a program"),
    "@": unknown("`@` calls or loads what cannot be seen here"),
    "|": runs("`|` runs a program"),
    "|&": runs("`|&` runs a program"),
    ">>": writes("`>>` writes a file"),
    "ARGV": unknown("`ARGV` changes which files are read"),
    "ARGC": unknown("`ARGC` changes which files are read"),
    "SYMTAB": unknown("`SYMTAB` reaches every variable"),
    "FUNCTAB": unknown("`FUNCTAB` reaches every function"),
    "INPLACE_SUFFIX": writes("edits files in place"),
}


class _Unreadable(Exception):
    """No awk would accept this program in this reading."""


class _Doubtful(Exception):
    """Some awk may accept this program and read it in another way."""


def _regex_end(text: str, start: int, *, brackets: bool) -> int:
    """Where the pattern that starts after `start` ends; implementations differ on `/` in `[…]`."""
    at, inside = start + 1, False
    while at < len(text) and text[at] != "\n":
        char = text[at]
        if char == "\\":
            at += 1
        elif brackets and inside:
            inside = char != "]" or text[at - 1] == "[" or text[at - 2 : at] == "[^"
        elif brackets and char == "[":
            inside = True
        elif char == "/":
            return at + 1
        at += 1
    raise _Unreadable("an unfinished pattern")


def _tokens(text: str, *, brackets: bool) -> Iterator[str]:
    """Strings keep their quotes, patterns become `//`, everything else is itself."""
    at, before = 0, "\n"
    while at < len(text):
        if text[at] == "/" and before in _BEFORE_REGEX:
            at = _regex_end(text, at, brackets=brackets)
            before = "//"
            yield before
            continue
        if text[at] == "/" and (before in _DOUBTFUL or before[0] in '"/'):
            raise _Doubtful("a slash that may start a pattern or divide")
        found = _TOKEN.match(text, at)
        if not found:
            raise _Unreadable(f"`{text[at]}`")
        at = found.end()
        if found.lastgroup != "blank":
            before = found[0]
            yield before


class _Program:
    """Walks the tokens of one program and collects what it does besides printing."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.use = READS
        self.depth = 0
        self.printing = False
        self.fetching = False

    def read(self) -> Use:
        for at, mark in enumerate(self.tokens):
            self.use |= _FORBIDDEN.get(mark, READS)
            self.nesting(at, mark)
            if mark == ">":
                self.greater(at)
            elif mark == "<" and self.fetching:
                self.use |= unknown("`getline <` reads a file that is not judged")
            elif mark == "ENVIRON":
                self.environment(at)
        if self.depth:
            raise _Unreadable("unbalanced parentheses")
        return self.use

    def nesting(self, at: int, mark: str) -> None:
        if mark in ("(", ")"):
            self.depth += 1 if mark == "(" else -1
            if self.depth < 0:
                raise _Unreadable("unbalanced parentheses")
        elif mark in ("print", "printf"):
            if self.depth:
                raise _Unreadable("`print` inside parentheses")
            self.printing = True
        elif mark == "getline":
            self.fetching = True
        elif mark in (";", "}") or (mark == "\n" and self.before(at) not in _CONTINUES):
            self.printing = self.fetching = False

    def before(self, at: int) -> str:
        return self.tokens[at - 1] if at else ""

    def greater(self, at: int) -> None:
        """Within `print` an unparenthesised `>` is a redirection, elsewhere a comparison."""
        if not self.printing or self.depth:
            return
        target, after = [*self.tokens[at + 1 : at + 3], "", ""][:2]
        if target not in _STREAMS or after not in (";", "}", "\n", ""):
            self.use |= writes("`>` after `print` writes a file")

    def environment(self, at: int) -> None:
        index = self.tokens[at + 1 : at + 4]
        names = [f'"{name}"' for name in _HARMLESS_VARIABLES]
        if len(index) < 3 or index[0] != "[" or index[2] != "]" or index[1] not in names:
            self.use |= Use(Effect.SECRETS, "`ENVIRON` holds the environment")


def program_use(text: str) -> Use:
    """What an awk program does besides printing."""
    if not _REACHES_OUT.search(text):
        return READS
    use, readable, problem = READS, False, ""
    for brackets in (True, False):
        try:
            use |= _Program(list(_tokens(text, brackets=brackets))).read()
            readable = True
        except _Unreadable as error:
            problem = str(error)
        except _Doubtful as error:
            use |= unknown(f"the awk program cannot be read: {error}")
    return use if readable else unknown(f"the awk program cannot be read: {problem}")


def _other_awks_differ(word: Word) -> bool:
    """Some awks skip an option they do not know, and what we take for its value is the program."""
    if not word.text.startswith("--"):
        return re.match(f"-[{_SPEC.flags}]+[{_SPEC.values}]", word.text) is not None
    known = _SPEC.long(word.text)
    return known is not None and known[1] == "value" and known[0] != "--source"


def _awk(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _SPEC)
    use = READS
    for option in given.options:
        use |= _ELSEWHERE.get(option.name, READS)
    if given.unclear:
        return use | unknown(f"option `{given.unclear[0]}` is not known to be harmless")
    if sole(invocation, _HELP):
        return use
    if given.has(*_HELP) or any(map(_other_awks_differ, invocation.args)):
        return use | unknown("not every awk reads these options in the same way")
    named = [o.value for o in given.options if o.name in ("-e", "--source")]
    programs = named or list(given.operands[:1])
    texts = [word.value for word in programs if word is not None and word.value is not None]
    if not texts or len(texts) != len(programs):
        return use | unknown("the awk program is not known")
    if any(word.text.startswith("/inet") for word in given.operands[1:]):
        return use | Use(Effect.NETWORK, "`/inet` is a network connection")
    return use | program_use("\n".join(texts))


PROGRAMS: Mapping[str, Judge] = dict.fromkeys(
    ("awk", "gawk", "mawk", "nawk", "original-awk", "bwk"), _awk
)
