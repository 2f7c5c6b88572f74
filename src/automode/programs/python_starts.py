"""What Python code starts, as a shell would read it, and how it opens a database."""

import ast
import shlex
from urllib.parse import unquote

from automode.core.word_lists import word_sets
from automode.programs import sql
from automode.programs.python_values import Piece, Source, module_of, sources_of, text_of
from automode.programs.use import Effect
from automode.shell.script import HOLE

_WORDS = word_sets("automode.programs")
_SHELLS, _STARTING_WITH = (_WORDS[f"python-{name}"] for name in ("shells", "starting-with"))
MOST_MEANINGS = 32
UNKNOWN_WORD = '"${__unknown}"'


def starts(name: str, call: ast.Call, piece: Piece) -> bool:
    """Whether it is sure what a call starts, and nothing but its own words leads it. What it
    reads may be anything."""
    given = {one.arg: one.value for one in call.keywords}
    shell = given.get("shell", ast.Constant(name in _SHELLS))
    if len(call.args) != 1 or not isinstance(shell, ast.Constant):
        return False
    if not given.keys() <= _STARTING_WITH:
        return False
    given_lines = _texts(call.args[0], piece) if shell.value else _lines(call.args[0], piece)
    if not given_lines or any(not one or HOLE in one for one in given_lines):
        return False
    folder = given.get("cwd")
    at = "" if folder is None else f"cd {_word(folder, piece)} && "
    piece.started += [f"{at}true | {{ {line}\n}}" for line in given_lines]
    return True


def _meanings(node: ast.expr, piece: Piece, seen: frozenset[str] = frozenset()) -> list[ast.expr]:
    """Every expression that a name may stand for; the name itself where one is not known."""
    if not isinstance(node, ast.Name) or node.id in seen:
        return [node]
    found: list[ast.expr] = []
    for one in sources_of(node.id, piece):
        match one:
            case Source(ast.List(items) | ast.Tuple(items), True):
                found += items
            case Source(_, True):
                return [node]
            case Source(value, _):
                found += _meanings(value, piece, seen | {node.id})
    return found if 0 < len(found) <= MOST_MEANINGS else [node]


def _texts(node: ast.expr, piece: Piece) -> list[str]:
    """Every text that is meant; an empty one where one is not known."""
    return [text_of(one, piece) or "" for one in _meanings(node, piece)]


def _lines(program: ast.expr, piece: Piece) -> list[str]:
    """Lists of words as a shell would read them, each word that is not known as a variable."""
    every = _word_lists(program, piece)
    sure = every is not None and all(one and _is_program(one[0]) for one in every)
    return [" ".join(one) for one in every or ()] if sure else []


def _is_program(word: str) -> bool:
    """Whether a shell takes the first word for a program."""
    return UNKNOWN_WORD not in word and "=" not in word


def _word_lists(
    node: ast.expr, piece: Piece, seen: frozenset[str] = frozenset()
) -> list[list[str]] | None:
    """Every list of words that is meant; None where one is not known."""
    if not piece.goes_on():
        return None
    match node:
        case ast.Name(name) if name in seen:
            return None
        case ast.Name(name):
            # Where it is handed on, something else may be put into it.
            if not piece.kept.issuperset(piece.loads.get(name, ())):
                return None
            meant = _meanings(node, piece)
            lists = [_word_lists(one, piece, seen | {name}) for one in meant]
            return _joined(lists)
        case ast.BinOp(left, ast.Add(), right):
            return _product([_word_lists(one, piece, seen) for one in (left, right)])
        case ast.List(items) | ast.Tuple(items):
            return _product([_item(one, piece, seen) for one in items])
        case _:
            return None


def _item(node: ast.expr, piece: Piece, seen: frozenset[str]) -> list[list[str]] | None:
    if isinstance(node, ast.Starred):
        return _word_lists(node.value, piece, seen)
    return [[_word(one, piece)] for one in _meanings(node, piece)]


def _joined(lists: list[list[list[str]] | None]) -> list[list[str]] | None:
    known = [one for one in lists if one is not None]
    return [words for one in known for words in one] if len(known) == len(lists) else None


def _product(parts: list[list[list[str]] | None]) -> list[list[str]] | None:
    found: list[list[str]] = [[]]
    for part in parts:
        if part is None or len(found) * len(part) > MOST_MEANINGS:
            return None
        found = [[*before, *after] for before in found for after in part]
    return found


def _word(node: ast.expr, piece: Piece, seen: frozenset[str] = frozenset()) -> str:
    text = text_of(node, piece)
    if text is not None or not piece.goes_on():
        return UNKNOWN_WORD if text is None else shlex.quote(text)
    match node:
        case ast.JoinedStr(parts):
            return "".join(_word(one, piece, seen) for one in parts)
        case ast.FormattedValue(value, -1, None):
            return _word(value, piece, seen)
        case ast.BinOp(left, ast.Add(), right):
            return _word(left, piece, seen) + _word(right, piece, seen)
        case ast.Attribute(value, "executable") if module_of(value, piece) == "sys":
            return "python3"
        case ast.Name(name) if name not in seen:
            meant = _meanings(node, piece)
            one = meant[0] if len(meant) == 1 else node
            return UNKNOWN_WORD if one is node else _word(one, piece, seen | {name})
        case _:
            return UNKNOWN_WORD


def connects_to_read(call: ast.Call, piece: Piece) -> bool:
    """`sqlite3.connect("file:a.db?mode=ro", uri=True)`."""
    text = text_of(call.args[0], piece) if len(call.args) == 1 else None
    given = {one.arg: one.value for one in call.keywords}
    uri = given.get("uri")
    if text is None or not given.keys() <= {"uri", "timeout"}:
        return False
    if not isinstance(uri, ast.Constant) or uri.value is not True:
        return False
    path, _, query = text.removeprefix("file:").partition("?")
    piece.read.append(unquote(path))
    return text[:5] == "file:" and query in ("mode=ro", "immutable=1", "mode=ro&immutable=1")


def queries(call: ast.Call, piece: Piece) -> bool:
    """Whether a database is asked what it holds."""
    text = text_of(call.args[0], piece) if call.args else None
    if text is None or call.keywords or piece.foreign:
        return False
    return sql.judge(text, "sqlite").effect is Effect.NONE
