"""What an awk program does: it can write files and run programs."""

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


def _proved(tokens: list[str]) -> bool:
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


def program_use(text: str) -> Use:
    """What an awk program may do besides printing."""
    if _UNPRINTABLE.search(text):
        return unknown("the awk program holds a control character")
    marks = _REACHES_OUT.findall(text + text.replace("\\\n", ""))
    if not marks:
        return READS
    tokens = _tokens(text)
    if tokens is not None and _proved(tokens):
        return READS
    use = READS
    for mark in dict.fromkeys(marks):
        use |= _MARKS[mark]
    return use | unknown("the awk program is not known to only print")
