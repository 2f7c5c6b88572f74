"""What awk programs and sed scripts do: they can write files and run programs.

The grammars are smaller than any real one: a script that does not fit is not proved. In sed a line
break only ever ends a command, so a sed whose labels or texts reach further reads nothing new.
"""

import re

from automode.programs.use import READS, Effect, Use, runs, unknown, writes

_MARKS = {
    "|": runs("`|` runs a program"),
    "system": runs("`system` runs a program"),
    ">": writes("`>` writes a file"),
    "@": unknown("`@` calls or loads what cannot be seen here"),
    "getline": unknown("`getline` reads what is not judged"),
    "ENVIRON": Use(Effect.SECRETS, "`ENVIRON` holds the environment"),
    "PROCINFO": unknown("`PROCINFO` steers the interpreter"),
    **dict.fromkeys(("ARGV", "ARGC"), unknown("`ARGV` changes which files are read")),
    **dict.fromkeys(("SYMTAB", "FUNCTAB"), unknown("it reaches every variable and function")),
}
# Without one of these an awk program can do nothing but print, however it is read.
_REACHES_OUT = re.compile("|".join(map(re.escape, _MARKS)))
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SET = r"\[\^?(?:\[:[a-z]+:\]|\\[\w.-]|[^]\[\\/\n])+\]"
_TOKEN = re.compile(
    rf"""(?P<blank>[ \t]+|\\\n|\#[^\n\\]*)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
      | (?P<regex>/(?!=)(?:[^/\\\n\[]|\\[^\n]|{_SET})+/)
      | (?P<number>\d+(?:\.\d+)?(?![\w.]))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>\|\||&&|!~|>=|>>|\|&|[-+*%^!<>|?:~$=,;(){{}}\[\]&@\n])
    """,
    re.VERBOSE,
)
# Behind these a slash starts a pattern in every awk; behind a number it divides. Elsewhere it
# depends on the parser (`exit /#/`, `if (x) /a/`).
_DIVISION = re.compile("/")
_BEFORE_REGEX = frozenset((*"({},;!~\n", "!~", "&&", "||"))
_NUMBERS = frozenset(("NR", "NF", "FNR"))
_ENDS = (";", "}", "\n", "")


def _tokens(text: str) -> list[str] | None:
    """Strings keep their quotes, patterns become `//`. None where two awks may read it in two
    ways, or one may refuse it."""
    found: list[str] = []
    at = depth = 0
    while at < len(text):
        before = found[-1] if found else "\n"
        divides = text[at] == "/" and (before[0].isdigit() or before in _NUMBERS)
        reader = _DIVISION if divides else _TOKEN
        mark = reader.match(text, at)
        if mark is None or (mark.lastgroup == "regex" and before not in _BEFORE_REGEX):
            return None
        at = mark.end()
        if mark.lastgroup == "blank":
            continue
        found.append("//" if mark.lastgroup == "regex" else mark[0])
        depth += (mark[0] == "(") - (mark[0] == ")")
        if depth < 0 or (depth and mark[0] == "\n"):
            return None
    return None if depth else found


def _only_prints(tokens: list[str]) -> bool:
    """Whether no mark reaches out: every `>` compares, or sends to standard error."""
    depth, printing = 0, False
    for at, mark in enumerate(tokens):
        depth += (mark == "(") - (mark == ")")
        if not depth and mark in (";", "}"):
            printing = False
        printing = printing or mark in ("print", "printf")
        compares = mark in (">", ">=") and (depth > 0 or not printing)
        target, after = [*tokens[at + 1 : at + 3], "", ""][:2]
        warns = mark == ">" and target == '"/dev/stderr"' and after in _ENDS
        misplaced = depth > 0 and mark in ("print", "printf")  # `for (;; print > "x")`
        if misplaced or (_reaches(mark) and not compares and not warns):
            return False
    return True


def _reaches(mark: str) -> bool:
    return mark in _MARKS or mark in (">=", ">>", "|&")


def awk_use(text: str) -> Use:
    """What an awk program may do besides printing."""
    if _UNPRINTABLE.search(text):
        return unknown("the awk program holds a control character")
    marks = _REACHES_OUT.findall(text + text.replace("\\\n", ""))
    if not marks:
        return READS
    tokens = _tokens(text)
    if tokens is not None and _only_prints(tokens):
        return READS
    use = READS
    for mark in dict.fromkeys(marks):
        use |= _MARKS[mark]
    return use | unknown("the awk program is not known to only print")


_DELIMITER = r"[/|,#:@!%~;+=_&\"'?-]"
_SED_SET = r"\[\^?(?:\[:[a-z]+:\]|\\[^]\\\n]|[^]\[\\\n])+\]"


def _until(mark: str) -> str:
    """A pattern up to its delimiter, which is plain text behind a backslash and in a set."""
    return rf"(?:(?!{mark})[^\\\n\[]|\\[^\n]|(?!{mark}){_SED_SET})*{mark}"


_REGEX = rf"(?:/{_until('/')}|\\(?P<a>{_DELIMITER}){_until('(?P=a)')})[IM]*"
_END = r"[ \t]*(?=[;\n}#]|$)"
_END_OF_LABEL = r"[ \t]*(?=[;\n}]|$)"  # a label may go on through a brace and a comment
_SED_COMMAND = re.compile(
    rf"""[ \t\n;]*(?:(?:\d+(?:~\d+)?|\$|{_REGEX})
        (?:[ \t]*,[ \t]*(?:[+~]?\d+|\$|{_REGEX.replace("a>", "b>").replace("=a", "=b")}))?)?
    [ \t]*(?:![ \t]*)?
    (?:(?P<open>{{)
      |(?P<close>}}){_END_OF_LABEL}
      |[=dDgGhHnNpPxz]{_END}
      |[qQl][ \t]*\d*{_END}
      |:[ \t]*\w+{_END_OF_LABEL}
      |[btT][ \t]*\w*{_END_OF_LABEL}
      |[aic](?:[ \t]+|\\[ \t]*)(?=[^\s\\])(?P<text>(?:[^\\\n]|\\[^\n])+)
      |s(?P<s>{_DELIMITER}){_until("(?P=s)")}(?P<put>(?:(?!(?P=s))[^\\\n]|\\[^\n])*)(?P=s)[gpiImM\d]*{_END}
      |y(?P<y>{_DELIMITER})(?:(?:(?!(?P=y))[^\\\n]|\\[^\n])*(?P=y)){{2}}{_END}
      |(?=\#|\Z)
    )
    (?:\#[^\n]*)?""",
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\([^0-9&])")
_SED_CODE = re.compile(r"\\[A-MO-Za-mo-su-z]")  # `\\U`, `\\x65`: what comes out is another text
_SED_LETTERS = {"n": "\n", "t": "\t"}
# What the first letter that does not fit may be: for the reason, never for the proof.
_SED_REACHES_OUT = {
    **dict.fromkeys("wW", writes("the sed command `w` writes a file")),
    "e": runs("the sed command `e` runs a program"),
    **dict.fromkeys("rR", unknown("the sed command `r` reads a file that is not judged")),
}


def sed_use(text: str) -> Use:
    """What a sed script may do besides printing."""
    at = depth = 0
    while at < len(text):
        command = _SED_COMMAND.match(text, at)
        if command is None or command.end() == at:
            return _sed_objection(text[at:])
        depth += (command["open"] is not None) - (command["close"] is not None)
        if depth < 0:
            return unknown("the sed script cannot be read: unmatched `}`")
        at = command.end()
    return unknown("the sed script cannot be read: unmatched `{`") if depth else READS


def replaced_texts(text: str) -> tuple[str, ...] | None:
    """What a sed script puts in, where it only replaces, adds and deletes lines; groups stay as
    they are written."""
    found: list[str] = []
    at = 0
    while at < len(text):
        command = _SED_COMMAND.match(text, at)
        if command is None or command.end() == at or command["open"] or command["y"]:
            return None
        put = command["put"] if command["text"] is None else command["text"]
        if put is not None:
            if _SED_CODE.search(put):
                return None
            found.append(unescape(put))
        elif command[0].rstrip()[-1:] not in ("d", "p", ""):
            return None
        at = command.end()
    return tuple(found)


def unescape(text: str) -> str:
    """A replacement as it comes out; its groups stay as they are written."""
    return _ESCAPED.sub(lambda one: _SED_LETTERS.get(one[1], one[1]), text)


def _sed_objection(rest: str) -> Use:
    use = unknown("the sed script is not known to only print")
    for letter, reason in _SED_REACHES_OUT.items():
        if letter in rest:
            use = reason | use
    return use
