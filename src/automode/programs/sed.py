"""sed: reads the script itself, because a sed script can write files and run programs.

The grammar is smaller than any sed's: a script that does not fit it is not proved. A line break
only ever ends a command, so a sed whose labels or texts reach further reads nothing new.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from automode.programs.use import READS, Invocation, Judge, Use, runs, unknown, writes
from automode.programs.verbs import asks_only, spec
from automode.shell.options import arguments
from automode.shell.script import Word

_OPTIONS = spec(
    "-nErsuz -e= --expression= --quiet --silent --posix --debug --sandbox --null-data --separate"
    " --regexp-extended --unbuffered --zero-terminated"
)
_ELSEWHERE = {
    **dict.fromkeys(("-i", "-I", "--in-place"), writes("`-i` edits files in place")),
    **dict.fromkeys(("-f", "--file"), unknown("the sed script is in a file")),
}
_DELIMITER = r"[/|,#:@!%~;+=_&\"'?-]"
_SET = r"\[\^?(?:\[:[a-z]+:\]|\\[^]\\\n]|[^]\[\\\n])+\]"


def _until(mark: str) -> str:
    """A pattern up to its delimiter, which is plain text behind a backslash and in a set."""
    return rf"(?:(?!{mark})[^\\\n\[]|\\[^\n]|(?!{mark}){_SET})*{mark}"


_REGEX = rf"(?:/{_until('/')}|\\(?P<a>{_DELIMITER}){_until('(?P=a)')})[IM]*"
_END = r"[ \t]*(?=[;\n}#]|$)"
_END_OF_LABEL = r"[ \t]*(?=[;\n}]|$)"  # a label may go on through a brace and a comment
_COMMAND = re.compile(
    rf"""[ \t\n;]*(?:(?:\d+(?:~\d+)?|\$|{_REGEX})
        (?:[ \t]*,[ \t]*(?:[+~]?\d+|\$|{_REGEX.replace("a>", "b>").replace("=a", "=b")}))?)?
    [ \t]*(?:![ \t]*)?
    (?:(?P<open>{{)
      |(?P<close>}}){_END_OF_LABEL}
      |[=dDgGhHnNpPxz]{_END}
      |[qQl][ \t]*\d*{_END}
      |:[ \t]*\w+{_END_OF_LABEL}
      |[btT][ \t]*\w*{_END_OF_LABEL}
      |[aic](?:[ \t]+|\\[ \t]*)(?=[^\s\\])[^\\\n]+
      |s(?P<s>{_DELIMITER}){_until("(?P=s)")}(?:(?!(?P=s))[^\\\n]|\\[^\n])*(?P=s)[gpiImM\d]*{_END}
      |y(?P<y>{_DELIMITER})(?:(?:(?!(?P=y))[^\\\n]|\\[^\n])*(?P=y)){{2}}{_END}
      |(?=\#|\Z)
    )
    (?:\#[^\n]*)?""",
    re.VERBOSE,
)
# What the first letter that does not fit may be: for the reason, never for the proof.
_REACHES_OUT = {
    **dict.fromkeys("wW", writes("the sed command `w` writes a file")),
    "e": runs("the sed command `e` runs a program"),
    **dict.fromkeys("rR", unknown("the sed command `r` reads a file that is not judged")),
}


def script_use(text: str) -> Use:
    """What a sed script may do besides printing."""
    at = depth = 0
    while at < len(text):
        command = _COMMAND.match(text, at)
        if command is None or command.end() == at:
            return _objection(text[at:])
        depth += (command["open"] is not None) - (command["close"] is not None)
        if depth < 0:
            return unknown("the sed script cannot be read: unmatched `}`")
        at = command.end()
    return unknown("the sed script cannot be read: unmatched `{`") if depth else READS


def _objection(rest: str) -> Use:
    use = unknown("the sed script is not known to only print")
    for letter, reason in _REACHES_OUT.items():
        if letter in rest:
            use = reason | use
    return use


def _scripts(args: tuple[Word, ...], *, permutes: bool) -> list[Word | None]:
    """Some seds look for options behind the first operand, some do not."""
    given = arguments(args, replace(_OPTIONS, stops_at_operand=not permutes))
    named = [o.value for o in given.options if o.name in ("-e", "--expression")]
    return named or list(given.operands[:1])


def _sed(invocation: Invocation) -> Use:
    if asks_only(invocation, "--help", "--version"):
        return READS
    given = arguments(invocation.args, _OPTIONS)
    use = READS
    for option in given.options:
        use |= _ELSEWHERE.get(option.name, READS)
    if given.unclear:
        return use | unknown(f"option `{given.unclear[0]}` is not known to be harmless")
    for permutes in (True, False):
        use |= _scripts_use(_scripts(invocation.args, permutes=permutes))
    return use


def _scripts_use(scripts: list[Word | None]) -> Use:
    texts = [word.value for word in scripts if word is not None and word.value is not None]
    if not texts or len(texts) != len(scripts):
        return unknown("the sed script is not known")
    if any(text.endswith("\\") for text in texts):
        return unknown("a part of the sed script goes on in the next one")
    return script_use("\n".join(texts))


PROGRAMS: Mapping[str, Judge] = dict.fromkeys(("sed", "gsed", "ssed"), _sed)
