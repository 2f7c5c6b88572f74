"""Evaluates strings and paths in Python code, as far as its syntax tree tells."""

import ast
import posixpath

from automode.programs.inline_effects import UNKNOWN, Effects

STEP_LIMIT = 2_000
"""Expressions that refer to each other in a circle end here."""


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

    def dotted(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return self.names.get(name, name)
            case ast.Attribute(value=value, attr=attr):
                return f"{self.dotted(value)}.{attr}"
            case ast.Call(func=ast.Name(id="__import__"), args=[ast.Constant(value=str(name))]):
                return name
            case ast.Call(func=func):
                return f"{self.dotted(func)}()"
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
                return self.joined((left, right), "")
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self.joined((left, right), "/")
            case ast.Name(id=name) if name in self.values:
                return self.text(self.values[name])
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name))):
                return self.variable(name) if self.dotted(value) == "os.environ" else None
            case ast.Call():
                return self.called_text(node)
            case _:
                return None

    def joined(self, parts: tuple[ast.expr, ...], by: str) -> str | None:
        texts = [self.text(part) for part in parts]
        if texts[0] is None:
            return None
        known = [UNKNOWN if text is None else text for text in texts]
        return posixpath.join(*known) if by else "".join(known)

    def variable(self, name: str) -> str | None:
        return self.home if name in ("HOME", "USERPROFILE") else None

    def called_text(self, node: ast.Call) -> str | None:
        name = self.dotted(node.func)
        first = node.args[0] if node.args else None
        if name in ("os.environ.get", "os.getenv") and isinstance(first, ast.Constant):
            return self.variable(str(first.value))
        if name.endswith("Path.home"):
            return self.home
        if name == "os.path.join" and node.args:
            return self.joined(tuple(node.args), "/")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "joinpath":
            return self.joined((node.func.value, *node.args), "/")
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
            isinstance(node, ast.Call) and self.dotted(node.func) == "os.fork"
            for node in ast.walk(loop)
        )


_SAME = frozenset({"Path", "PosixPath", "PurePath", "str", "abspath", "realpath", "normpath",
                   "fspath"})  # fmt: skip


def receiver(node: ast.Call) -> ast.expr | None:
    return node.func.value if isinstance(node.func, ast.Attribute) else None
