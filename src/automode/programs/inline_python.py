"""What inline code does, in the words of the shell, so that one set of guards fits all; and what
Python would delete, write and start, as far as its syntax tree tells."""

import ast
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from automode.programs.python_code import parse, prove_python
from automode.shell.script import HOLE, Command, Redirect, Word

RUNS_DECODED = "\x01decoded"
FORKS_FOR_EVER = "\x01fork"
"""Names under which inline code is listed that runs what it decodes, or forks without end."""

UNKNOWN = "\ufdd0"
"""Stands for HOLE inside code, where a NUL could not be parsed. Never a character of real text."""


@dataclass(slots=True)
class Effects:
    commands: list[Command] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # handed to a shell
    _read: dict[tuple[str, int], None] = field(default_factory=dict, repr=False)  # code within code
    _length: int = 0

    def run(self, *words: str) -> None:
        self.commands.append(Command(tuple(Word(_with_holes(word)) for word in words)))

    def shell(self, text: str) -> None:
        self.texts.append(_with_holes(text).replace(HOLE, "${__unknown}"))

    def redirect(self, op: str, path: str) -> None:
        redirect = Redirect(op, Word(_with_holes(path)))
        self.commands.append(Command((), redirects=(redirect,)))

    def call(self, action: str, texts: Sequence[str | None]) -> None:
        """What a function does with its arguments: `>` writes a file, `<` reads one, `$` hands a
        text to a shell, `mv 2` is that program with two of them."""
        if action in (">", "<") and texts and texts[0]:
            self.redirect(action, texts[0])
        elif action == "$" and texts and texts[0]:
            self.shell(texts[0])
        elif action[-1].isdigit():
            *words, count = action.split()
            paths = texts[: int(count)]
            if len(paths) == int(count) and any(paths):
                self.run(*words, *(UNKNOWN if path is None else path for path in paths))

    def reads(self, code: str, depth: int, most: int) -> bool:
        """Whether code within code is still to be read: once, and `most` characters in all."""
        if (code, depth) in self._read:
            return False
        if self._length + len(code) > most:
            self.run(RUNS_DECODED)  # nobody can tell what so much of it does
            return False
        self._read[code, depth] = None
        self._length += len(code)
        return True


def _with_holes(text: str) -> str:
    return text.replace(UNKNOWN, HOLE)


def by_function(functions: Mapping[str, str]) -> Mapping[str, str]:
    """The action of each function, where a table has the functions of each action."""
    return {name: action for action, names in functions.items() for name in names.split()}


STEP_LIMIT = 2_000
"""Expressions that refer to each other in a circle end here."""

_NESTING = 3
_PIECES = 500
_LONGEST_READ = 100_000  # characters of all code within code: the same text can be run many times
_PIECE = re.compile(r"[^;\n]+")
_LONG_STRING = re.compile(r"'''.*?'''|\"\"\".*?\"\"\"", re.DOTALL)  # its lines are no code
_SAME = frozenset("Path PosixPath PurePath str abspath realpath normpath fspath".split())
_DECODERS = frozenset(
    """b64decode urlsafe_b64decode standard_b64decode b32decode b85decode unhexlify fromhex
    decompress a85decode b16decode""".split()
)
_HTTP = "get post put patch delete head request stream".split()
# See `Effects.call` for actions with a sign or a number. A name with a dot in front is a method,
# and what it is called on is its first argument.
_ACTIONS = by_function(
    {
        "rm -rf 1": "shutil.rmtree",
        "rmdir 1": "os.removedirs",
        "rm 1": "os.remove os.unlink .unlink",
        "mv 2": "os.rename os.replace shutil.move",
        "ln -s 2": "os.symlink",
        "ln 2": "os.link",
        "truncate 1": "os.truncate",
        "cp 2": "shutil.copy shutil.copy2 shutil.copyfile shutil.copytree",
        ">": ".write_text .write_bytes .touch",
        "<": ".read_text .read_bytes",
        "open": "open io.open builtins.open .open",
        "chmod": "os.chmod",
        "code": "exec eval",
        "shell": """os.system os.popen subprocess.getoutput subprocess.getstatusoutput
            commands.getoutput pty.spawn""",
        "process": """subprocess.run subprocess.call subprocess.check_call subprocess.check_output
            subprocess.Popen""",
        "exec": "os.execv os.execvp os.execve os.execvpe os.posix_spawn",
        "request": " ".join(f"{one}.{verb}" for one in ("requests", "httpx") for verb in _HTTP),
    }
)


def python_effects(code: str, home: str) -> Effects:
    effects = Effects()
    _read(code, home, effects, 0)
    proved = prove_python(code, further=True)
    if proved is not None:  # it may know more of what names stand for
        for path in proved.written:
            effects.redirect(">", path)
        effects.texts += proved.started
    return effects


def _read(code: str, home: str, effects: Effects, depth: int) -> None:
    nodes = _nodes(code.replace(HOLE, UNKNOWN))
    reader = PythonReader(home, effects, depth)
    for node in nodes:
        reader.learn(node)
    for node in nodes:
        if isinstance(node, ast.Call):
            _call(reader, node)
        elif isinstance(node, ast.While | ast.For) and reader.forks(node):
            effects.run(FORKS_FOR_EVER)


def _nodes(code: str) -> list[ast.AST]:
    """Code for a newer Python than this one may not parse as a whole: then what parses of it, piece
    by piece, which can prove danger and nothing else."""
    if whole := parse(code):
        return whole
    pieces = islice(_PIECE.finditer(_LONG_STRING.sub('""', code)), _PIECES)
    texts = (piece[0].strip() for piece in pieces)
    return [
        node for text in texts for node in parse(f"{text} pass" if text.endswith(":") else text)
    ]


class PythonReader:
    """Learns the names and values of a piece of code, then evaluates its expressions."""

    def __init__(self, home: str, effects: Effects, depth: int) -> None:
        self.home = home
        self.effects = effects
        self.depth = depth
        self.names: dict[str, str] = {}  # imported names, in full
        self.values: dict[str, ast.expr] = {}
        self.steps = 0

    def learn(self, node: ast.AST) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    self.names[alias.asname or alias.name] = alias.name
            case ast.ImportFrom(module=str(module)):
                for alias in node.names:
                    self.names[alias.asname or alias.name] = f"{module}.{alias.name}"
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.values[name] = value
            case ast.For(target=ast.Name(id=name), iter=ast.List(elts=[first, *_])):
                self.values[name] = first
            case _:
                pass

    def dotted_name(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return self.names.get(name, name)
            case ast.Attribute(value=value, attr=attr):
                return f"{self.dotted_name(value)}.{attr}"
            case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name))]):
                return name
            case ast.Call(func=func):
                return f"{self.dotted_name(func)}()"
            case _:
                return "?"

    def text(self, node: ast.expr | None) -> str | None:
        """The value of a string or path expression, UNKNOWN for parts that are not known."""
        self.steps += 1
        if node is None or self.steps > STEP_LIMIT:
            return None
        match node:
            case ast.Constant(value=str(value)):
                return value
            case ast.JoinedStr(values=parts):
                return "".join(self.text(part) or UNKNOWN for part in parts)
            case ast.FormattedValue(value=value):
                return self.text(value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.join_texts((left, right), "")
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self.join_texts((left, right), "/")
            case ast.Name(id=name) if name in self.values:
                return self.text(self.values[name])
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name))):
                return self.variable(name) if self.dotted_name(value) == "os.environ" else None
            case ast.Call():
                return self.called_text(node)
            case _:
                return None

    def join_texts(self, parts: tuple[ast.expr, ...], by: str) -> str | None:
        texts = [self.text(part) for part in parts]
        if texts[0] is None:
            return None
        known = [UNKNOWN if text is None else text for text in texts]
        return posixpath.join(*known) if by else "".join(known)

    def variable(self, name: str) -> str | None:
        return self.home if name in ("HOME", "USERPROFILE") else None

    def called_text(self, node: ast.Call) -> str | None:
        name = self.dotted_name(node.func)
        first = node.args[0] if node.args else None
        if name in ("os.environ.get", "os.getenv") and isinstance(first, ast.Constant):
            return self.variable(str(first.value))
        if name.endswith("Path.home"):
            return self.home
        if name == "os.path.join" and node.args:
            return self.join_texts(tuple(node.args), "/")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath":
            return self.join_texts((node.func.value, *node.args), "/")
        if name.endswith("expanduser"):
            inner = first if first is not None else receiver(node)
            text = self.text(inner)
            return self.home + text[1:] if text and text[:1] == "~" else text
        if name.rpartition(".")[2] in _SAME and first is not None:
            return self.text(first)
        if name.rpartition(".")[2] in ("resolve", "absolute", "as_posix"):
            return self.text(receiver(node))
        return None

    def texts(self, node: ast.expr) -> list[str] | None:
        if isinstance(node, ast.Name) and node.id in self.values:
            node = self.values[node.id]
        if not isinstance(node, ast.List | ast.Tuple):
            return None
        return [self.text(item) or UNKNOWN for item in node.elts]

    def forks(self, loop: ast.While | ast.For) -> bool:
        endless = isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant | ast.Call)
        return endless and any(
            isinstance(node, ast.Call) and self.dotted_name(node.func) == "os.fork"
            for node in ast.walk(loop)
        )


def receiver(node: ast.Call) -> ast.expr | None:
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def _call(reader: PythonReader, node: ast.Call) -> None:
    name = reader.dotted_name(node.func)
    method = f".{_last(name)}"
    action = _ACTIONS.get(name) or _ACTIONS.get(method)
    if action is None or name in reader.values:
        return
    given: list[ast.expr | None] = [*node.args]
    if name not in _ACTIONS:
        given.insert(0, receiver(node))
    if action in _SPECIAL:
        _SPECIAL[action](reader, node, given)
    else:
        reader.effects.call(action, [reader.text(one) for one in given[:2]])


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _keyword(node: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in node.keywords if k.arg == name), None)


def _shell(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    reader.effects.call("$", [reader.text(one) for one in given[:1]])
    _note_decoding(reader, node)


def _note_decoding(reader: PythonReader, node: ast.Call) -> None:
    """What is run comes out of a decoder, in the same expression or through a variable."""
    for argument in node.args[:1]:
        known = reader.values.get(argument.id) if isinstance(argument, ast.Name) else None
        for inner in ast.walk(known or argument):
            if isinstance(inner, ast.Call) and _last(reader.dotted_name(inner.func)) in _DECODERS:
                reader.effects.run(RUNS_DECODED)
                return


def _process(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    program = given[0] if given else _keyword(node, "args")
    if program is None:
        return
    words = reader.texts(program)
    if words:
        reader.effects.run(*words)
    else:
        _shell(reader, node, given)


def _exec(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    words = reader.texts(node.args[-1]) if node.args else None
    if words:
        reader.effects.run(*words)


def _open(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    mode = reader.text(_keyword(node, "mode") or (given[1] if len(given) > 1 else None))
    path = reader.text(given[0]) if given else None
    writes = mode is not None and any(letter in mode for letter in "wax+")
    reader.effects.redirect(">" if writes else "<", UNKNOWN if path is None else path)


def _chmod(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    path, mode = (reader.text(given[0]), given[1]) if len(given) > 1 else (None, None)
    if path and isinstance(mode, ast.Constant) and isinstance(mode.value, int):
        reader.effects.run("chmod", format(mode.value, "o"), path)


def _request(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    verify = _keyword(node, "verify")
    if isinstance(verify, ast.Constant) and verify.value is False:
        url = reader.text(given[0]) if given else None
        reader.effects.run("curl", "-k", url or UNKNOWN)


def _code(reader: PythonReader, node: ast.Call, given: list[ast.expr | None]) -> None:
    code = reader.text(given[0]) if given else None
    _note_decoding(reader, node)
    if code and reader.depth < _NESTING and reader.effects.reads(code, reader.depth, _LONGEST_READ):
        _read(code, reader.home, reader.effects, reader.depth + 1)


_SPECIAL = {
    "shell": _shell,
    "process": _process,
    "exec": _exec,
    "open": _open,
    "chmod": _chmod,
    "request": _request,
    "code": _code,
}
