"""Raw calls to a forge's programming interface (`gh api`, `glab api`): only plain GET reads."""

import re
from collections.abc import Sequence

from automode.programs.forge import jq_use
from automode.programs.use import READS, Effect, Use, network, unknown
from automode.shell.options import Arguments, Spec, arguments
from automode.shell.script import Word

_SPEC = Spec(
    flags="i",
    values="XfFHqtp",
    long_flags=("--include", "--paginate", "--silent", "--slurp"),
    long_values=(
        "--method",
        "--raw-field",
        "--field",
        "--input",
        "--header",
        "--hostname",
        "--jq",
        "--template",
        "--cache",
        "--preview",
        "--output",
        "--repo",
    ),
)
_FIELDS = ("-f", "-F", "--field", "--raw-field")
_HEADERS = re.compile(r"(accept|x-github-api-version|if-none-match|if-modified-since)\s*:", re.I)
_CHANGING_QUERY = re.compile(r"\b(mutation|subscription)\b", re.I)
_READING_QUERY = re.compile(r"\s*(query\b|\{|fragment\b)")
_SECRET_PATH = re.compile(r"(^|/)(secrets|[\w-]*tokens?|keys/\d+)(/|\?|$)", re.I)
_CHANGES = Use(Effect.REMOTE_WRITE, "the request may change something")
_REMOTE = Use(Effect.REMOTE_READ)


def api(words: Sequence[str]) -> Use:
    given = arguments([Word(word) for word in words], _SPEC)
    if given.unclear:
        return unknown(f"option `{given.unclear[0]}` is not known to be harmless")
    if any(option.value is None and option.name in _SPEC.long_values for option in given.options):
        return unknown("an option has no value")
    use = _place(given) | jq_use(words)
    if use.effect:
        return use
    return _graphql(given) if given.operands[0].text == "graphql" else _rest(given)


def _place(given: Arguments) -> Use:
    if len(given.operands) != 1:
        return unknown("the address of the request is not clear")
    if given.has("--hostname") or "://" in given.operands[0].text:
        return network("the request goes to a named server")
    for option in given.options:
        if option.name in ("-H", "--header") and not _HEADERS.match(_text(option.value)):
            return unknown("a header may change what the request means")
        if option.name in _FIELDS and "=@" in _text(option.value):
            return unknown("a field is read from a file")
    return READS


def _rest(given: Arguments) -> Use:
    methods = [o for o in given.options if o.name in ("-X", "--method")]
    sends = given.has(*_FIELDS)
    if given.has("--input") or (sends and not methods):
        return _CHANGES
    if any(_text(option.value).upper() not in ("GET", "HEAD") for option in methods):
        return _CHANGES
    if _SECRET_PATH.search(given.operands[0].text):
        return Use(Effect.SECRETS, "the request asks for secrets")
    return _REMOTE


def _graphql(given: Arguments) -> Use:
    """A query is read only when it is written out and names no mutation."""
    fields = [_text(option.value) for option in given.options if option.name in _FIELDS]
    queries = [text.removeprefix("query=") for text in fields if text.startswith("query=")]
    if given.has("--input", "-X", "--method") or len(queries) != 1:
        return unknown("the query is not known")
    if _CHANGING_QUERY.search(queries[0]):
        return _CHANGES
    return _REMOTE if _READING_QUERY.match(queries[0]) else unknown("the query is not understood")


def _text(value: Word | None) -> str:
    return value.text if value else ""
