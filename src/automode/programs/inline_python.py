"""What Python code would delete, write and start, as far as its syntax tree tells."""

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from itertools import islice
from typing import TypeAlias

from automode.programs.inline_effects import UNKNOWN, Effects
from automode.programs.inline_python_values import PythonReader, receiver
from automode.shell.script import HOLE

_NESTING = 3
_PIECES = 500
_LONGEST_READ = 100_000  # characters of all code within code: the same text can be run many times
_PIECE = re.compile(r"[^;\n]+")
_LONG_STRING = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"", re.DOTALL)  # its lines are no code
Maker: TypeAlias = Callable[[PythonReader, ast.Call], None]


def python_effects(code: str, home: str) -> Effects:
    effects = Effects()
    _read(code, home, effects, 0)
    return effects


def _nodes(code: str) -> list[ast.AST]:
    """Code for a newer Python than this one may not parse as a whole: then what parses of it, piece
    by piece, which can prove danger and nothing else."""
    whole = _parsed(code)
    if whole is not None:
        return whole
    pieces = islice(_PIECE.finditer(_LONG_STRING.sub('""', code)), _PIECES)
    return [node for piece in pieces for node in _piece(piece[0].strip())]


def _piece(text: str) -> list[ast.AST]:
    header = f"{text} pass" if text.endswith(":") else text
    return _parsed(header) or []


def _parsed(code: str) -> list[ast.AST] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the code would be printed
            return list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read(code: str, home: str, effects: Effects, depth: int) -> None:
    nodes = _nodes(code.replace(HOLE, UNKNOWN))
    reader = PythonReader(home, effects, depth)
    for node in nodes:
        reader.learn(node)
    for node in nodes:
        if isinstance(node, ast.Call):
            _call(reader, node)
        elif isinstance(node, ast.While | ast.For) and reader.forks(node):
            effects.forks_for_ever()


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in node.keywords if k.arg == name), None)


def _program(*words: str, count: int = 1) -> Maker:
    """A function that does what a program does with its first `count` arguments."""

    def make(reader: PythonReader, node: ast.Call) -> None:
        paths = [reader.text(argument) for argument in node.args[:count]]
        if len(paths) == count and any(paths):
            reader.effects.run(*words, *(UNKNOWN if path is None else path for path in paths))

    return make


def _shell(reader: PythonReader, node: ast.Call) -> None:
    text = reader.text(node.args[0]) if node.args else None
    if text:
        reader.effects.shell(text)
    _decoded(reader, node)


def _decoded(reader: PythonReader, node: ast.Call) -> None:
    """What is run comes out of a decoder, in the same expression or through a variable."""
    for argument in node.args[:1]:
        known = reader.values.get(argument.id) if isinstance(argument, ast.Name) else None
        for inner in ast.walk(known or argument):
            if isinstance(inner, ast.Call) and _last(reader.dotted(inner.func)) in _DECODERS:
                reader.effects.runs_decoded()
                return


def _last(name: str) -> str:
    return name.rpartition(".")[2]


_DECODERS = frozenset({"b64decode", "urlsafe_b64decode", "standard_b64decode", "b32decode",
                       "b85decode", "unhexlify", "fromhex", "decompress", "a85decode",
                       "b16decode"})  # fmt: skip


def _process(reader: PythonReader, node: ast.Call) -> None:
    given = node.args[0] if node.args else _keyword(node, "args")
    if given is None:
        return
    words = reader.texts(given)
    if words:
        reader.effects.run(*words)
    else:
        _shell(reader, node)


def _exec(reader: PythonReader, node: ast.Call) -> None:
    words = reader.texts(node.args[-1]) if node.args else None
    if words:
        reader.effects.run(*words)


def _open(reader: PythonReader, node: ast.Call) -> None:
    mode = _keyword(node, "mode") or (node.args[1] if len(node.args) > 1 else None)
    path = reader.text(node.args[0]) if node.args else None
    _opened(reader, path, mode)


def _opened(reader: PythonReader, path: str | None, mode: ast.expr | None) -> None:
    place = UNKNOWN if path is None else path
    if _writes(reader.text(mode)):
        reader.effects.write(place)
    else:
        reader.effects.read(place)


def _writes(mode: str | None) -> bool:
    return mode is not None and any(letter in mode for letter in "wax+")


def _path_open(reader: PythonReader, node: ast.Call) -> None:
    path = reader.text(receiver(node))
    mode = _keyword(node, "mode") or (node.args[0] if node.args else None)
    _opened(reader, path, mode)


def _path_read(reader: PythonReader, node: ast.Call) -> None:
    path = reader.text(receiver(node))
    if path:
        reader.effects.read(path)


def _path_write(reader: PythonReader, node: ast.Call) -> None:
    path = reader.text(receiver(node))
    if path:
        reader.effects.write(path)


def _path_unlink(reader: PythonReader, node: ast.Call) -> None:
    path = reader.text(receiver(node))
    if path:
        reader.effects.run("rm", path)


def _chmod(reader: PythonReader, node: ast.Call) -> None:
    if len(node.args) < 2:
        return
    path, mode = reader.text(node.args[0]), node.args[1]
    if path and isinstance(mode, ast.Constant) and isinstance(mode.value, int):
        reader.effects.run("chmod", format(mode.value, "o"), path)


def _request(reader: PythonReader, node: ast.Call) -> None:
    verify = _keyword(node, "verify")
    if isinstance(verify, ast.Constant) and verify.value is False:
        url = reader.text(node.args[0]) if node.args else None
        reader.effects.run("curl", "-k", url or UNKNOWN)


def _code(reader: PythonReader, node: ast.Call) -> None:
    code = reader.text(node.args[0]) if node.args else None
    _decoded(reader, node)
    if code and reader.depth < _NESTING and reader.effects.reads(code, reader.depth, _LONGEST_READ):
        _read(code, reader.home, reader.effects, reader.depth + 1)


_HTTP = ("get", "post", "put", "patch", "delete", "head", "request", "stream")
_MAKERS: Mapping[str, Maker] = {
    "shutil.rmtree": _program("rm", "-rf"),
    "os.removedirs": _program("rmdir"),
    "os.remove": _program("rm"),
    "os.unlink": _program("rm"),
    "os.rename": _program("mv", count=2),
    "os.replace": _program("mv", count=2),
    "os.symlink": _program("ln", "-s", count=2),
    "os.link": _program("ln", count=2),
    "os.truncate": _program("truncate"),
    "shutil.move": _program("mv", count=2),
    **dict.fromkeys(
        ("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree"),
        _program("cp", count=2),
    ),
    **dict.fromkeys(
        ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput",
         "commands.getoutput", "pty.spawn"),
        _shell,
    ),
    **dict.fromkeys(
        tuple(f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output",
                                                "Popen")),
        _process,
    ),
    **dict.fromkeys(("os.execv", "os.execvp", "os.execve", "os.execvpe", "os.posix_spawn"), _exec),
    "open": _open,
    "io.open": _open,
    "builtins.open": _open,
    "os.chmod": _chmod,
    "exec": _code,
    "eval": _code,
    **dict.fromkeys((f"{module}.{verb}" for module in ("requests", "httpx") for verb in _HTTP),
                    _request),
}  # fmt: skip
_METHODS: Mapping[str, Maker] = {
    ".write_text": _path_write,
    ".write_bytes": _path_write,
    ".touch": _path_write,
    ".read_text": _path_read,
    ".read_bytes": _path_read,
    ".open": _path_open,
    ".unlink": _path_unlink,
}


def _call(reader: PythonReader, node: ast.Call) -> None:
    name = reader.dotted(node.func)
    maker = _MAKERS.get(name) or _METHODS.get("." + _last(name))
    if maker is not None and name not in reader.values:
        maker(reader, node)
