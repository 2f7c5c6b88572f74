"""sqlite3 and duckdb: databases in a file, whose shells have commands of their own."""

import re
from collections.abc import Mapping

from automode.programs import sql
from automode.programs.databases import INTERACTIVE, given_values, unclear
from automode.programs.use import READS, Effect, Invocation, Judge, Use, unknown
from automode.programs.verbs import asks_only, spec
from automode.shell.options import arguments
from automode.shell.script import Word

_LOOKS = (
    "header headers noheader csv json line list column table box markdown html ascii quote tabs"
    " readonly bail batch echo version help interactive safe jsonlines latex trash nofollow"
    " no-stdin"
    " psql"
)
_SHAPES = "separator= nullvalue= newline= cmd= c= s= mmap= colsep= rowsep="
_SPEC = spec(" ".join(f"-{name}" for name in (_LOOKS + " " + _SHAPES).split()), single_dash=True)
_DOT = re.compile(
    r"\.(tables?|schema|databases|indexes|indices|headers?|mode|fullschema|dbinfo|show|help|width"
    r"|nullvalue|separator|timer|stats|eqp|explain|bail|echo|quit|exit|version|dbconfig|lint|large_rows"
    r"|maxrows|columns|changes|print|prompt|timeout|vfsname|vfslist|sha3sum|limit|intck)"
    r"(\s+[\w.,%*'\"|=-]+)*\s*;?"
)
_WRITING_ARGUMENT = re.compile(r"\.(dbconfig|limit|vfsname|sha3sum)\s+\S")


def _single_dash(word: Word) -> Word:
    """Both shells take `--json` for `-json`."""
    return Word(word.text[1:], word.origin, word.splits) if word.text[:2] == "--" else word


def _text(text: str, dialect: str, *, frozen: bool) -> Use:
    """SQL with dot-commands between its lines."""
    plain: list[str] = []
    for line in text.splitlines():
        if not line.lstrip().startswith("."):
            plain.append(line)
        elif not _DOT.fullmatch(line.strip()) or _WRITING_ARGUMENT.match(line.strip()):
            return Use(Effect.RUNS | Effect.WRITES, "a dot-command may write or run")
    rest = "\n".join(plain)
    return sql.judge(rest, dialect, frozen=frozen) if rest.strip() else READS


def _shell(dialect: str) -> Judge:
    def judge(invocation: Invocation) -> Use:
        if asks_only(invocation, "-version", "--version", "-help", "--help", "-h"):
            return READS
        given = arguments(tuple(_single_dash(word) for word in invocation.args), _SPEC)
        use = unclear(given, invocation)
        texts = [*given_values(given, "-cmd", "-c", "-s")]
        texts += [word.value for word in given.operands[1:]]
        if not given.operands[1:] and not given.has("-c", "-s") and not given.has("-version"):
            texts.append(invocation.command.fed)
            if invocation.command.fed is None:
                return use | INTERACTIVE
        for text in texts:
            if text is None:
                return use | unknown("the SQL is not known")
            use |= _text(text, dialect, frozen=given.has("-readonly"))
        return use

    return judge


PROGRAMS: Mapping[str, Judge] = {
    **dict.fromkeys(("sqlite3", "sqlite"), _shell("sqlite")),
    "duckdb": _shell("duckdb"),
}
