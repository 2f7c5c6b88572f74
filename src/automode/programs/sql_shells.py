"""What is told to the shell of a database: commands of the shell itself, then SQL."""

import re

from automode.programs import sql
from automode.programs.use import READS, Effect, Use, unknown

_META = re.compile(
    r"\\(d[a-zA-Z]*\+?|l\+?|z|x|timing|conninfo|encoding|sf\+?|sv\+?|a|t|\?|h|q)(\s[^\\|`]*)?"
)
_DOT = re.compile(
    r"\.(tables?|schema|databases|indexes|indices|headers?|mode|show|help|width"
    r"|nullvalue|separator|timer|stats|eqp|explain|bail|echo|quit|exit|version|changes|print)"
    r"(\s+[\w.,%*=-]+)*"
)


def leading_commands(text: str, mark: str) -> tuple[list[str], str]:
    """Commands of the client itself, one a line, and the SQL behind the last of them. Between
    lines of SQL such a line may stand in a string."""
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if line.lstrip()[:1] != mark), len(lines))
    return [line.strip() for line in lines[:first]], "\n".join(lines[first:])


def psql_use(text: str) -> Use:
    """Backslash commands, then SQL."""
    commands, rest = leading_commands(text, "\\")
    if not all(map(_META.fullmatch, commands)):
        return Use(Effect.RUNS | Effect.WRITES, "a backslash command may write or run")
    if "\\" in rest:
        return unknown("a backslash command may hide in the SQL")
    return sql.judge(rest, "postgres") if rest.strip() else READS


def dot_use(text: str, dialect: str) -> Use:
    """Dot-commands, then SQL."""
    commands, rest = leading_commands(text, ".")
    if not all(map(_DOT.fullmatch, commands)) or re.search(r"^\s*\.", rest, re.MULTILINE):
        return Use(Effect.RUNS | Effect.WRITES, "a dot-command may write or run")
    return sql.judge(rest, dialect) if rest.strip() else READS


def mysql_use(text: str) -> Use:
    if "\\" in text:
        return Use(Effect.RUNS | Effect.WRITES, "a command of the client may write or run")
    return sql.judge(text, "mysql")


_PLAIN = r"[^()`;=\\]*"
_MONGO_READ = re.compile(
    rf"db(\.getSiblingDB\({_PLAIN}\)|\.getCollection\({_PLAIN}\)|\.[A-Za-z_]\w*)*"
    rf"\.(find|findOne|count|countDocuments|estimatedDocumentCount|distinct|stats|getIndexes"
    rf"|getCollectionNames|getCollectionInfos|getName|version|serverStatus|hostInfo|dataSize"
    rf"|storageSize|totalIndexSize|totalSize|isCapped|hello|getMongo|listCollections)\({_PLAIN}\)"
    rf"(\.(limit|sort|skip|project|pretty|count|toArray|explain|size|hint)\({_PLAIN}\))*"
    r"|rs\.(status|conf|printReplicationInfo)\(\)|sh\.status\(\)"
    r"|show (dbs|databases|collections|tables|users|roles)"
)
_MONGO_CODE = re.compile(
    r"\$where|\$function|\$accumulator|function\b|=>|\bnew\b|\beval\b"
    # What the shell itself can reach: the environment, files and modules.
    r"|\bsystem\b"  # its collections hold how users sign in
    r"|\b(process|env|require|load|import|module|global|globalThis|this|config)\b"
)


def mongo_use(code: str) -> Use:
    """JavaScript: only a chain of reading methods is taken for what it says."""
    text = code.strip().rstrip(";").strip()
    wrapped = re.fullmatch(r"(?:print|printjson)\((.*)\)", text, re.DOTALL)
    inner = wrapped[1].strip() if wrapped else text
    reads = _MONGO_READ.fullmatch(inner) and not _MONGO_CODE.search(inner)
    return READS if reads else unknown("it runs JavaScript")
