"""sed: reads the script itself, because a sed script can write files and run programs."""

import re
from collections.abc import Mapping

from automode.programs.use import READS, Effect, Invocation, Judge, Use, runs, unknown, writes
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Word

_SPEC = Spec(
    flags="nErsuz",
    values="ef",
    maybe="iI",
    long_flags=(
        "--quiet --silent --posix --debug --sandbox --null-data --regexp-extended --separate "
        "--unbuffered --zero-terminated --follow-symlinks --help --version"
    ).split(),
    long_values=("--expression", "--file", "--line-length"),
    long_maybe=("--in-place",),
)
_ADDRESS = re.compile(r"\d+(~\d+)?|\$|[+~]\d+")
_NOTHING = "=dDgGhHnNpPxzF"
_STREAMS = ("/dev/stdout", "/dev/stderr")
_PLAIN_FILE = re.compile(
    r"(?!.*\.(?:key|pem|env|p12|pfx)$)(?!\.)[\w-][\w.-]*(/(?!\.)[\w-][\w.-]*)*|/dev/stdin"
)


class _Unreadable(Exception):
    pass


class _Script:
    """A cursor over a sed script. `brackets`: whether a delimiter inside `[…]` is plain text, on
    which implementations differ; a script must be harmless in both readings."""

    def __init__(self, text: str, *, brackets: bool) -> None:
        self.text = text
        self.at = 0
        self.brackets = brackets
        self.depth = 0
        self.use = READS

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        char = self.peek()
        self.at += 1
        return char

    def skip(self, chars: str) -> None:
        while self.peek() and self.peek() in chars:
            self.at += 1

    def line(self) -> str:
        """The rest of the line, which file names and comments reach to."""
        end = self.text.find("\n", self.at)
        start, self.at = self.at, len(self.text) if end < 0 else end
        return self.text[start : self.at]

    def read(self) -> Use:
        while True:
            self.skip(" \t\n;")
            if not self.peek():
                break
            self.addresses()
            self.command(self.take())
        if self.depth:
            raise _Unreadable("unmatched `{`")
        return self.use

    def addresses(self) -> None:
        if self.address():
            self.skip(" \t")
            if self.peek() == ",":
                self.at += 1
                self.skip(" \t")
                if not self.address():
                    raise _Unreadable("an address is missing")
        self.skip(" \t!")

    def address(self) -> bool:
        number = _ADDRESS.match(self.text, self.at)
        if number:
            self.at = number.end()
            return True
        if self.peek() not in ("/", "\\"):
            return False
        delimiter = self.take()
        self.delimited(self.take() if delimiter == "\\" else delimiter, regex=True)
        self.skip("IM")
        return True

    def delimited(self, delimiter: str, *, regex: bool) -> None:
        """Moves past the closing delimiter of a pattern or replacement."""
        if delimiter in ("", "\n", "\\"):
            raise _Unreadable("an odd delimiter")
        while char := self.take():
            if char == delimiter:
                return
            if char == "\\":
                self.at += 1
            elif char == "[" and regex and self.brackets:
                self.bracket()
        raise _Unreadable("an unfinished pattern")

    def bracket(self) -> None:
        if self.peek() == "^":
            self.at += 1
        if self.peek() == "]":
            self.at += 1
        while char := self.take():
            if char == "]":
                return
            if char == "[" and self.peek() in (".", ":", "="):
                close = self.text.find(self.peek() + "]", self.at + 1)
                if close < 0:
                    raise _Unreadable("an unfinished character class")
                self.at = close + 2
        raise _Unreadable("an unfinished bracket")

    def command(self, name: str) -> None:
        if name in _NOTHING and name:
            self.end()
        elif name in ("{", "}"):
            self.depth += 1 if name == "{" else -1
            if self.depth < 0:
                raise _Unreadable("unmatched `}`")
        elif name in ("q", "Q", "l", "L"):
            self.skip(" \t0123456789")
            self.end()
        elif name in (":", "b", "t", "T", "v"):
            self.label()
        elif name in ("a", "i", "c"):
            self.insertion()
        elif name in ("s", "y"):
            self.substitution(name)
        elif name == "#":
            self.line()
        else:
            self.reaching_out(name)

    def reaching_out(self, name: str) -> None:
        """The commands that touch something besides the text."""
        if name == "e":
            self.line()
            self.use |= runs("the sed command `e` runs a program")
        elif name in ("w", "W"):
            self.writes_to(self.line().strip())
        elif name in ("r", "R"):
            if not _PLAIN_FILE.fullmatch(self.line().strip()):
                self.use |= unknown("the sed command `r` reads a file that is not judged")
        else:
            raise _Unreadable(f"command `{name}`")

    def writes_to(self, target: str) -> None:
        if target not in _STREAMS:
            self.use |= writes(f"the sed command `w` writes `{target}`")

    def label(self) -> None:
        self.skip(" \t")
        found = re.compile(r"[\w.-]*").match(self.text, self.at)
        self.at = found.end() if found else self.at
        self.end()

    def insertion(self) -> None:
        """Text reaches to the first newline that no backslash hides."""
        while char := self.take():
            if char == "\\":
                self.at += 1
            elif char == "\n":
                return

    def substitution(self, name: str) -> None:
        delimiter = self.take()
        self.delimited(delimiter, regex=name == "s")
        self.delimited(delimiter, regex=False)
        while name == "s" and self.peek() and self.peek() in "gpiImM0123456789ew":
            flag = self.take()
            if flag == "e":
                self.use |= runs("the flag `e` of `s` runs a program")
            elif flag == "w":
                self.writes_to(self.line().strip())
        self.end()

    def end(self) -> None:
        """After a command only an end may follow: no command hides in what we take for a flag."""
        self.skip(" \t\r")
        if self.peek() not in ("", ";", "\n", "}", "#"):
            raise _Unreadable(f"`{self.peek()}` after a command")


def script_use(text: str) -> Use:
    """What a sed script does besides printing."""
    uses: list[Use] = []
    problem = ""
    for brackets in (True, False):
        try:
            uses.append(_Script(text, brackets=brackets).read())
        except _Unreadable as error:
            problem = str(error)
    if not uses:
        return unknown(f"the sed script cannot be read: {problem}")
    use = READS
    for one in uses:
        use |= one
    return use


def _scripts(given: Arguments) -> list[Word | None]:
    named = [o.value for o in given.options if o.name in ("-e", "--expression")]
    return named or list(given.operands[:1])


def _sed(invocation: Invocation) -> Use:
    given = arguments(invocation.args, _SPEC)
    use = READS
    if given.has("-i", "-I", "--in-place"):
        use |= writes("`-i` edits files in place")
    if given.has("-f", "--file"):
        use |= unknown("the sed script is in a file")
    if given.unclear:
        return use | unknown(f"option `{given.unclear[0]}` is not known to be harmless")
    if given.has("--help", "--version", "--sandbox"):
        return use
    return use | _scripts_use(_scripts(given))


def _scripts_use(scripts: list[Word | None]) -> Use:
    texts = [word.value for word in scripts if word is not None]
    if not texts or len(texts) != len(scripts):
        return Use(Effect.UNKNOWN, "the sed script is missing")
    known = [text for text in texts if text is not None]
    if len(known) != len(texts):
        return unknown("the sed script is not known")
    return script_use("\n".join(known))


PROGRAMS: Mapping[str, Judge] = dict.fromkeys(("sed", "gsed", "ssed"), _sed)
