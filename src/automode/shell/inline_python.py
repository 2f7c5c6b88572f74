"""Python given on a command line, as the shell commands that do the same: `shutil.rmtree(x)` is
`rm -rf x`. What it finds can prove danger; it never proves that code is harmless.
"""

import ast
import warnings
from collections.abc import Callable, Iterator
from typing import TypeAlias

CODE_LIMIT = 20_000
UNKNOWN = '"${__unknown}"'
"""Shell text for a value that cannot be known."""

_Effect: TypeAlias = Callable[[list[str]], str]


def _first(template: str) -> _Effect:
    return lambda values: template.format(values[0] if values else UNKNOWN)


def _both(program: str) -> _Effect:
    return lambda values: " ".join([program, *(values + [UNKNOWN] * 2)[:2]])


_EFFECTS: dict[str, _Effect] = {
    "shutil.rmtree": _first("rm -rf {}"),
    "os.remove": _first("rm {}"),
    "os.unlink": _first("rm {}"),
    "os.rmdir": _first("rmdir {}"),
    "os.removedirs": _first("rm -rf {}"),
    "os.rename": _both("mv"),
    "os.replace": _both("mv"),
    "shutil.move": _both("mv"),
    "shutil.copy": _both("cp"),
    "shutil.copy2": _both("cp"),
    "shutil.copyfile": _both("cp"),
    "shutil.copytree": _both("cp -r"),
    "os.symlink": _both("ln -s"),
    "os.chmod": lambda values: f"chmod 777 {values[0] if values else UNKNOWN}",
    "os.truncate": _first("truncate {}"),
    "os.kill": lambda values: f"kill {values[0] if values else UNKNOWN}",
}
_METHODS: dict[str, str] = {
    "write_text": "tee {}",
    "write_bytes": "tee {}",
    "unlink": "rm {}",
    "rmdir": "rmdir {}",
    "touch": "touch {}",
}
_SHELLS = frozenset({"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"})
_RUNS = frozenset(
    f"subprocess.{name}" for name in ("run", "call", "check_call", "check_output", "Popen")
) | {"os.execv", "os.execvp", "os.spawnv", "pty.spawn", "os.posix_spawn"}
_HIDES = frozenset({"exec", "eval", "compile", "__import__", "getattr", "marshal.loads"})


def python_effects(code: str) -> tuple[str, ...]:
    """Shell scripts that do what the code visibly does to files and processes."""
    if len(code) > CODE_LIMIT:
        return (UNKNOWN,)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (UNKNOWN,)
    reader = _Reader(tree)
    return tuple(reader.effects(tree))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


class _Reader:
    def __init__(self, tree: ast.AST) -> None:
        self.aliases: dict[str, str] = {}
        self.values: dict[str, ast.expr | None] = {}
        for node in ast.walk(tree):
            self.learn(node)

    def learn(self, node: ast.AST) -> None:
        """Imports under other names, and names that are assigned exactly once."""
        match node:
            case ast.Import(names):
                for name in names:
                    self.aliases[name.asname or name.name.split(".")[0]] = (
                        name.name if name.asname else name.name.split(".")[0]
                    )
            case ast.ImportFrom(module=str(module), names=names):
                for name in names:
                    self.aliases[name.asname or name.name] = f"{module}.{name.name}"
            case ast.Assign(targets=[ast.Name(target)], value=value):
                self.values[target] = None if target in self.values else value
            case _:
                pass

    def effects(self, tree: ast.AST) -> Iterator[str]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from self.call(node)

    def call(self, node: ast.Call) -> Iterator[str]:
        name = self.name(node.func)
        if name in _SHELLS:
            yield self.script(node.args[0] if node.args else None)
        elif name in _RUNS:
            yield self.argv(node)
        elif name in _EFFECTS:
            yield _EFFECTS[name]([self.text(argument) for argument in node.args])
        elif name in ("open", "io.open", "codecs.open"):
            yield from self.opened(node)
        elif name in _HIDES:
            yield UNKNOWN
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            yield _METHODS[node.func.attr].format(self.text(node.func.value))

    def opened(self, node: ast.Call) -> Iterator[str]:
        given = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "mode")]
        mode = given[0].value if given and isinstance(given[0], ast.Constant) else "r"
        if given and (not isinstance(mode, str) or set(mode) & set("wax+")):
            yield f"tee {self.text(node.args[0]) if node.args else UNKNOWN}"

    def script(self, node: ast.expr | None) -> str:
        """The text handed to a shell; an unknown part stays an unknown part of the script."""
        text = self.constant(node)
        return UNKNOWN if text is None else text

    def argv(self, node: ast.Call) -> str:
        first = self.known(node.args[0]) if node.args else None
        if isinstance(first, ast.List | ast.Tuple):
            return " ".join(self.text(item) for item in first.elts) or UNKNOWN
        return self.script(first)

    def known(self, node: ast.expr | None) -> ast.expr | None:
        if isinstance(node, ast.Name) and self.values.get(node.id) is not None:
            return self.values[node.id]
        return node

    def constant(self, node: ast.expr | None) -> str | None:
        node = self.known(node)
        return (
            node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
        )

    def name(self, node: ast.expr) -> str:
        """`sp.run` as `subprocess.run`, whatever the module was imported as."""
        match node:
            case ast.Name(name):
                return self.aliases.get(name, name)
            case ast.Attribute(value, attr):
                return f"{self.name(value)}.{attr}"
            case ast.Call(func=ast.Name("__import__"), args=[ast.Constant(str(module))]):
                return module
            case _:
                return ""

    def text(self, node: ast.expr, depth: int = 0) -> str:
        """A value as shell text."""
        node = self.known(node) or node
        if depth > 8:
            return UNKNOWN
        match node:
            case ast.Constant(value=str(value)):
                return quoted(value)
            case ast.BinOp(left, ast.Add(), right):
                return self.text(left, depth + 1) + self.text(right, depth + 1)
            case ast.BinOp(left, ast.Div(), right):
                return f"{self.text(left, depth + 1)}/{self.text(right, depth + 1)}"
            case ast.Subscript(value, ast.Constant("HOME")) if self.name(value) == "os.environ":
                return '"$HOME"'
            case ast.Call():
                return self.computed(node, depth)
            case _:
                return UNKNOWN

    def computed(self, node: ast.Call, depth: int) -> str:
        name = self.name(node.func)
        values = [self.text(argument, depth + 1) for argument in node.args]
        if name in ("pathlib.Path.home", "os.path.expanduser") and (
            not values or values[0] == "'~'"
        ):
            return '"$HOME"'
        if name == "os.path.expanduser" and values[0].startswith("'~/"):
            return '"$HOME"' + "'" + values[0][2:]
        if name in ("pathlib.Path", "str", "os.path.abspath", "os.fspath") and len(values) == 1:
            return values[0]
        if name == "os.path.join" and values:
            return "/".join(values)
        if name in ("os.getenv", "os.environ.get") and values[:1] == ["'HOME'"]:
            return '"$HOME"'
        return UNKNOWN
