"""What a sed script does: it can write files and run programs.

The grammar is smaller than any sed's: a script that does not fit it is not proved. A line break
only ever ends a command, so a sed whose labels or texts reach further reads nothing new.
"""

import re

from automode.programs.use import READS, Use, runs, unknown, writes

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
