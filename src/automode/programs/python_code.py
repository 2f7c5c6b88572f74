"""Whether a piece of Python given on the command line can only compute and print.

The language of harmless code is closed: a handful of modules, names, methods and kinds of
expression. Whatever is not listed here, a dunder above all, makes the whole piece not harmless.
"""

import ast
import warnings
from dataclasses import dataclass

from automode.shell.word_lists import word_lists

WORDS = word_lists("automode.programs")

LIMIT_CHARACTERS = 4_000
_MODULES = WORDS["python-modules"]
_BUILTINS = WORDS["python-builtins"]
_CONTAINERS = frozenset("dict list set".split())
_ATTRIBUTES = WORDS["python-attributes"]
_SYS = WORDS["python-sys"]
_CHANGING = frozenset("append add extend sort".split())
_KEYWORDS = WORDS["python-keywords"]
_NODES: tuple[type[ast.AST], ...] = tuple(getattr(ast, name) for name in WORDS["python-nodes"])


@dataclass(frozen=True, slots=True)
class Harmless:
    """What code that only computes and prints needs from outside."""

    modules: frozenset[str]
    files: frozenset[str]  # opened for reading, by literal name


def harmless(code: str) -> Harmless | None:
    """What `code` imports and opens; None when it is not known to be harmless."""
    if len(code) > LIMIT_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the code would be printed
            tree = ast.parse(code)
            nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    opened = {file for node in nodes if (file := _opened_file(node)) is not None}
    openings = sum(isinstance(node, ast.Name) and node.id == "open" for node in nodes)
    bound = _bound(nodes)
    if openings != sum(_opened_file(node) is not None for node in nodes):
        return None  # `open` with other arguments, or handed on as a value
    if not all(_is_allowed(node, modules, bound) for node in nodes) or _hands_on_code(nodes):
        return None
    if not _written_into(nodes) <= _own_containers(nodes):
        return None
    if _imports_late(tree, nodes) or not _leaves_interpreter_alone(nodes):
        return None
    return Harmless(frozenset(modules), frozenset(opened))


def _imports_late(tree: ast.Module, nodes: list[ast.AST]) -> bool:
    """Whether anything runs before the last import, and so may change what is imported."""
    first = 0
    while first < len(tree.body) and isinstance(tree.body[first], ast.Import):
        first += 1
    return sum(isinstance(node, ast.Import) for node in nodes) != first


def _leaves_interpreter_alone(nodes: list[ast.AST]) -> bool:
    """`sys` is only asked for what is listed, never handed on. The list `sys.path` decides which
    file a module is, also for modules that others load later, so nothing beside it may change."""
    mentions = sum(isinstance(node, ast.Name) and node.id == "sys" for node in nodes)
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    asked = [n for n in attributes if isinstance(n.value, ast.Name) and n.value.id == "sys"]
    if mentions != len(asked) or not all(node.attr in _SYS for node in asked):
        return False
    if all(node.attr != "path" for node in attributes):
        return True
    changed = any(node.attr in _CHANGING for node in attributes)
    return not changed and not any(isinstance(node, ast.AugAssign) for node in nodes)


def _opened_file(node: ast.AST) -> str | None:
    """The file that `open("name")` or `open("name", "r")` reads."""
    match node:
        case ast.Call(
            func=ast.Name(id="open"),
            args=[ast.Constant(value=str(name))]
            | [ast.Constant(value=str(name)), ast.Constant(value="r" | "rb")],
            keywords=[] | [ast.keyword(arg="encoding")],
        ):
            return name
        case _:
            return None


def _bound(nodes: list[ast.AST]) -> set[str]:
    """Names that the code itself gives a value."""
    given = {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    caught = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    return given | caught | {node.arg for node in nodes if isinstance(node, ast.arg)}


def _hands_on_code(nodes: list[ast.AST]) -> bool:
    """Whether a lambda is anything but what a list is sorted by."""
    keys = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "key"]
    lambdas = [node for node in nodes if isinstance(node, ast.Lambda)]
    return not all(isinstance(key, ast.Lambda) for key in keys) or len(keys) != len(lambdas)


def _written_into(nodes: list[ast.AST]) -> set[str]:
    """Names of what gets new items: `counts[word] = 1`. Anything but a plain name is no name."""
    targets = [
        node.value
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    ]
    return {target.id if isinstance(target, ast.Name) else "" for target in targets}


def _own_containers(nodes: list[ast.AST]) -> set[str]:
    """Names that never stand for anything but a list or dict that the code itself made."""
    made = [name for node in nodes if (name := _new_container(node))]
    given = [
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    other = {node.name for node in nodes if isinstance(node, ast.ExceptHandler)}
    other |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {name for name in made if made.count(name) == given.count(name)} - other


def _new_container(node: ast.AST) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() | ast.List() | ast.Set()):
            return name
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=maker), args=[])
        ) if maker in _CONTAINERS:
            return name
        case _:
            return None


def _is_allowed(node: ast.AST, modules: set[str], bound: set[str]) -> bool:
    match node:
        case ast.Import():
            return all(alias.name in _MODULES and alias.asname is None for alias in node.names)
        case ast.Name(ctx=ast.Store()):
            return _new_name(node.id, modules)
        case ast.ExceptHandler():
            return node.name is None or _new_name(node.name, modules)
        case ast.arg():
            return node.annotation is None and _new_name(node.arg, modules)
        case ast.With():
            return all(_opened_file(item.context_expr) is not None for item in node.items)
        case ast.Name(id="open"):
            return "open" not in bound
        case ast.Name():
            return node.id in _BUILTINS | modules | bound
        case ast.Attribute():
            return isinstance(node.ctx, ast.Load) and node.attr in _ATTRIBUTES
        case ast.Call():
            return _plain_call(node)
        case _:
            return isinstance(node, _NODES)


def _new_name(name: str, modules: set[str]) -> bool:
    """A new meaning for `print` or `sys` would make every other rule here worthless."""
    return name not in _BUILTINS | modules | {"open"} and not name.startswith("_")


def _plain_call(node: ast.Call) -> bool:
    """`print(x, file=…)` writes where it is told; `default=` calls what it gets, and so does `key=`
    (see `_hands_on_code`)."""
    keywords = {keyword.arg for keyword in node.keywords}
    return isinstance(node.func, ast.Name | ast.Attribute) and keywords <= _KEYWORDS
