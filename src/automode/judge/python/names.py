"""What the names of a Python file are: imports, functions, and what they are bound to."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

from automode.judge.words import keys_by_word, word_lists
from automode.programs.python_code import parse

_W = word_lists("python_acts")
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Bound: TypeAlias = Sequence[ast.expr | None]
"""The expressions that a name stands for; None for one that nobody can tell."""
DEEPEST = 60
ANY = "?"
"""Stands for a module that nobody can tell."""
MOST_MAKERS = 50
_OWN = "."
"""Begins the full name of what is the project's."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BUILTINS = frozenset(dir(builtins))
_LOOKUPS = ("sys.modules", "builtins.globals()")
_BY_PYTEST = ("test", "pytest_", "setup", "setUp", "teardown", "tearDown")
_RECORDS = re.compile(r"dataclass|attr|define|frozen|NamedTuple|BaseModel|Struct")
_GIVES = frozenset("given example expand data unpack cases named_data".split())
_GROWS = frozenset("append extend insert add appendleft update setdefault".split())
_MODULES = frozenset("get pop setdefault __getitem__".split())


def actions() -> Mapping[str, str]:
    """What functions and methods do, by their names."""
    return keys_by_word("python_acts", "actions")


class PythonNames:
    """Of a function the names in it, of all else one for the whole file. `around`: other files
    whose functions tests get by their names."""

    def __init__(self, nodes: Sequence[ast.AST], around: Sequence[str] = ()) -> None:
        self.imports: dict[str, str] = {}  # by name, what it is in full
        self.stars: list[str] = []  # modules of which every name is imported
        self.functions: dict[str, list[Function]] = {}
        self.classes: set[str] = set()
        self.parameters: set[str] = set()
        self.by_pytest: list[Function] = []  # functions that it calls
        self.calls: list[ast.Call] = []
        self.records = False  # a class keeps what it is made of
        self.shared: set[str] = set()  # names that functions share by `global`
        self._bound: dict[tuple[int, str], list[ast.expr | None]] = {}
        self._scopes: dict[int, tuple[int, ...]] = {}  # by node, the functions around it
        self._named: set[str] = set()
        self._deep = 0
        for every in (*map(parse, around), nodes):
            if every:
                self._place(every[0])
            for node in every:
                self._learn_import(node)
                self._learn(node)
            for node in every:
                if isinstance(node, ast.Call):
                    self._give(node)
                    self.calls.append(node)
            self._hand_on(every)

    def _place(self, root: ast.AST) -> None:
        waiting: list[tuple[ast.AST, tuple[int, ...]]] = [(root, ())]
        while waiting:
            node, around = waiting.pop()
            self._scopes[id(node)] = around
            inside = (id(node), *around) if isinstance(node, _FUNCTIONS) else around
            inside = (0, *around) if isinstance(node, ast.ClassDef) else inside
            waiting += [(one, inside) for one in ast.iter_child_nodes(node)]

    def _learn_import(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names):
                for one in names:
                    first = one.name.partition(".")[0]
                    self.imports[one.asname or first] = one.name if one.asname else first
            case ast.ImportFrom(module, names, level):
                for one in names:
                    hidden = one.name in _W.hidden and module != one.name
                    full = f"{_OWN * bool(level)}{module or ''}.{one.name}"
                    self.stars += [module or ""] * (one.name == "*")
                    self.imports[one.asname or one.name] = one.name if hidden else full
            case _:
                pass

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._bind(target, value)
            case ast.AugAssign(target, _, value):
                self._bind(target, ast.Starred(value) if isinstance(value, ast.List) else None)
            case ast.AnnAssign(target, value=ast.expr() as value):
                self._bind(target, value)
            case ast.withitem(value, ast.expr() as target):
                self._bind(target, value)
            case (
                ast.NamedExpr(target, value)
                | ast.comprehension(target, value)
                | ast.For(target, value)
                | ast.AsyncFor(target, value)
            ):
                self._bind(target, value)
            case _:
                self._learn_kind(node)

    def _learn_kind(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions.setdefault(node.name, []).append(node)
                self._learn_parameters(node)
                fixture = any("fixture" in ast.unparse(one) for one in node.decorator_list)
                if fixture or node.name.startswith(_BY_PYTEST):
                    self.by_pytest.append(node)
            case ast.ClassDef(name):
                self.classes.add(name)
                given = " ".join(map(ast.unparse, (*node.decorator_list, *node.bases)))
                self.records = self.records or _RECORDS.search(given) is not None
            case ast.arg(name):
                self.parameters.add(name)
            case ast.Global(names) | ast.Nonlocal(names):
                self.shared.update(names)
            case _:
                pass

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        match target, value:
            case ast.Tuple(names) | ast.List(names), ast.Tuple(values) if len(names) == len(values):
                for name, one in zip(names, values, strict=True):
                    self._bind(name, one)
            case ((ast.Tuple(names) | ast.List(names)), _):
                for name in names:
                    self._bind(name, value)
            case ast.Name(name), _:
                around = self._scopes.get(id(target), ())
                self._bind_name(around[0] if around else 0, name, value)
            case ast.Attribute(_, name), _:
                self._bind_name(0, name, value)
            case (ast.Starred(inner), _) | (ast.Subscript(inner), _) | (ast.NamedExpr(inner), _):
                self._bind(inner, value)
            case _:
                pass

    def _bind_name(self, scope: int, name: str, value: ast.expr | None) -> None:
        self._bound.setdefault((scope, name), []).append(value)

    def _learn_parameters(self, node: Function) -> None:
        """Their defaults, and what pytest gives to them."""
        given = node.args
        plain = [*given.posonlyargs, *given.args]
        pairs = [*zip(reversed(plain), reversed(given.defaults), strict=False)]
        pairs += [(a, b) for a, b in zip(given.kwonlyargs, given.kw_defaults, strict=True) if b]
        for parameter, value in pairs:
            self._bind_name(id(node), parameter.arg, value)
        every = [one.arg for one in plain]
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                self._learn_decorator(decorator, id(node), every)

    def _learn_decorator(self, node: ast.Call, scope: int, every: Sequence[str]) -> None:
        """What a decorator gives to a test or a fixture."""
        name = called(node)
        if name == "parametrize" and len(node.args) > 1:
            texts = (n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant))
            for one in re.findall(r"\w+", " ".join(map(str, texts))):
                self._bind_name(scope, one, node.args[1])
        for keyword in node.keywords if name == "fixture" or name in _GIVES else ():
            own = name == "fixture"
            if not own or keyword.arg == "params":
                named = "param" if own else keyword.arg or ""
                self._bind_name(0 if own else scope, named, keyword.value)
        for value in node.args if name in _GIVES else ():
            for one in every:
                self._bind_name(scope, one, value)

    def is_given(self, node: ast.Name) -> bool:
        """Whether a name stands for what pytest gives: to a test, a fixture, or what a fixture
        makes. What other functions get, only their calls tell."""
        if node.id in ("self", "cls"):
            return not self.records
        around = self._scopes.get(id(node), ())
        return any(id(made) in around for made in self.by_pytest)

    def _hand_on(self, nodes: Sequence[ast.AST]) -> None:
        """Of functions that go on to others nobody can tell what they will be given."""
        plain = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            name = getattr(node, "attr", getattr(node, "id", ""))
            loads = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
            for made in self.functions.get(name, ()) if loads and id(node) not in plain else ():
                around = self._scopes.get(id(made), ())
                if made in self.by_pytest or any(id(one) in around for one in self.by_pytest):
                    continue
                every = (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs)
                rest = made.args.vararg
                for parameter in (*every, rest) if rest else every:
                    self._bind_name(id(made), parameter.arg, None)

    def _give(self, node: ast.Call) -> None:
        """What a call gives to a function of the file."""
        name = called(node)
        if isinstance(node.func, ast.Attribute) and name in _GROWS:
            for value in node.args:  # `words.append("x")`
                self._bind(node.func.value, value)
        self._give_names(node, name)
        if isinstance(node.func, ast.Lambda):
            for parameter, value in zip(node.func.args.args, node.args, strict=False):
                self._bind_name(0, parameter.arg, value)
        for made in self.functions.get("__init__" if name in self.classes else name, ()):
            inner = [one for one in ast.walk(made) if isinstance(one, _FUNCTIONS)]
            for function in inner:  # a fixture may give a function that it makes
                for one, value in _given(function, node):
                    self._bind_name(id(function), one, value)

    def _give_names(self, node: ast.Call, name: str) -> None:
        """`metafunc.parametrize("x", …)`, `setattr(a, "x", …)`."""
        if name == "parametrize" and len(node.args) > 1:
            for text in re.findall(r"\w+", _literal(node.args[0])):
                self._bind_name(0, text, node.args[1])
        if name == "setattr" and len(node.args) > 2:
            self._bind_name(0, _literal(node.args[1]), node.args[2])

    def bound(self, node: ast.Name) -> Bound:
        """What a name is bound to where it stands."""
        if node.id in self.shared:
            every = [value for (_, name), value in self._bound.items() if name == node.id]
            return [one for values in every for one in values]
        return self._bound.get((self.scope(node), node.id), ())

    def scope(self, node: ast.Name) -> int:
        every = (*self._scopes.get(id(node), ()), 0)
        return next((one for one in every if (one, node.id) in self._bound), 0)

    def stands_in(self, node: ast.AST, *names: str) -> bool:
        """Whether it is part of a function with such a name."""
        around = self._scopes.get(id(node), ())
        return any(id(made) in around for name in names for made in self.functions.get(name, ()))

    def full_name(self, node: ast.expr) -> str:
        """`os.path.join`, however it was imported; `x()` for what a call of `x` gives; empty where
        it is neither imported nor built in."""
        if self._deep > DEEPEST:
            return ANY
        self._deep += 1
        match node:
            case ast.Name(name):
                found = self._name(name, node)
            case ast.Attribute(inner, attr):
                found = self._attribute_name(self.full_name(inner), attr)
            case ast.Await(inner):
                found = self.full_name(inner)
            case ast.Subscript(inner, ast.Constant(str(name))):
                found = self._looked_up(self.full_name(inner), name)
            case ast.Subscript(inner, index):
                lookup = self.full_name(inner) in _LOOKUPS
                found = self.named_module(index) if lookup else ""
            case ast.Call():
                found = self._call_name(node)
            case _:
                found = ""
        self._deep -= 1
        return found

    def _looked_up(self, where: str, name: str) -> str:
        """`sys.modules["os"]`, `globals()["os"]`."""
        if where == "builtins.globals()":
            return self.imports.get(name, "")
        if where.endswith(".__dict__"):
            return self._attribute_name(where.removesuffix(".__dict__"), name)
        return name if where == "sys.modules" else ""

    def _name(self, name: str, node: ast.Name) -> str:
        bound = self.bound(node)
        if name in self.imports and not (bound and self.scope(node)):
            return self.imports[name]
        if bound or name in self.functions:
            return self._made_by(name, bound)
        every = (f"{one}.{name}" for one in self.stars)
        starred = next((one for one in every if one in actions()), "")
        return starred or (f"builtins.{name}" if name in _BUILTINS else "")

    def _attribute_name(self, outer: str, attr: str) -> str:
        # A module of a module: `logging.os`, `random._os`, `shop.subprocess`.
        bare = attr.removeprefix("_")
        if bare in _W.hidden and outer != attr and (outer[-1:] != ")" or attr != "socket"):
            return bare
        return f"{outer}.{attr}" if outer else self._made_by(attr, self._bound.get((0, attr), ()))

    def _call_name(self, node: ast.Call) -> str:
        full = self.full_name(node.func)
        first = node.args[0] if node.args else None
        if full == "builtins.getattr" and first is not None and len(node.args) > 1:
            named = self.one_text(node.args[1])
            return self._attribute_name(self.full_name(first), named) if named else ""
        lookup = full.startswith("sys.modules.") and full.rpartition(".")[2] in _MODULES
        if (lookup or full in _W.importers) and first is not None:
            found = self.named_module(first)
            return found if lookup or found != ANY else ""
        return f"{full}()" if full else ""

    def one_text(self, node: ast.expr) -> str:
        """The text that an expression stands for; empty for none or several."""
        return _literal(node)

    def named_module(self, node: ast.expr) -> str:
        """That has the name which an expression stands for; ANY where nobody can tell."""
        return self.one_text(node) or ANY

    def _made_by(self, name: str, bound: Bound) -> str:
        """`httpx.Client()` for a name that is bound to one; what it is another name for. What acts
        comes first."""
        if name in self._named:
            return ""
        self._named.add(name)
        makers = (ast.Call, ast.Await, ast.Name, ast.Attribute, ast.Subscript)
        found = [self.full_name(one) for one in bound[:MOST_MAKERS] if isinstance(one, makers)]
        self._named.discard(name)
        found = [one for one in found if one[:9] != "builtins." or one in _W.acting]
        acting = [one for one in found if one in actions() or one in _W.partly or one == ANY]
        return next(iter((*acting, *found)), "")


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _given(made: Function, node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Each parameter of a function with what a call gives for it."""
    names = [one.arg for one in (*made.args.posonlyargs, *made.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    rest = [made.args.vararg.arg] if made.args.vararg else []
    if rest and not any(isinstance(one, ast.Starred) for one in node.args):
        yield rest[0], ast.Tuple(node.args[len(names) :])
        rest = []
    every = [made.args.kwarg.arg] if made.args.kwarg else []
    known = {*names, *(one.arg for one in made.args.kwonlyargs)}
    for at, value in enumerate(node.args):
        several = isinstance(value, ast.Starred)
        for one in [*names[at:], *rest] if several else names[at : at + 1] or rest:
            yield one, value
    for keyword in node.keywords:
        named = [keyword.arg] if keyword.arg in known else every
        for one in named if keyword.arg else known:
            if one is not None:
                yield one, keyword.value


def returns(made: Function) -> Iterator[ast.Return | ast.Yield]:
    for one in ast.walk(made):
        if isinstance(one, ast.Return | ast.Yield):
            yield one


def parts_of(node: ast.expr, bound: Callable[[ast.Name], Bound]) -> list[ast.expr] | None:
    """The items of a list that is written out, also in several parts."""
    lists = lists_of(node, bound, 1)
    return lists[0] if lists and len(lists) == 1 else None


def lists_of(
    node: ast.expr, bound: Callable[[ast.Name], Bound], far: int = 3
) -> list[list[ast.expr]] | None:
    """Each list that an expression may stand for; None where nobody can tell one of them."""
    match node:
        case ast.List(items) | ast.Tuple(items):
            return [items]
        case ast.BinOp(left, ast.Add(), right):
            starts = lists_of(left, bound, far)
            ends = lists_of(right, bound, far) or [[ast.Starred(right)]]
            pairs = islice(product(starts or (), ends), MOST_MAKERS)
            return [[*one, *other] for one, other in pairs] or None
        case ast.Name():
            return _lists_of_name(bound(node) if far else (), bound, far - 1)
        case _:
            return None


def _lists_of_name(
    values: Bound, bound: Callable[[ast.Name], Bound], far: int
) -> list[list[ast.expr]] | None:
    added: list[ast.expr] = [one for one in values if isinstance(one, ast.Starred)]
    found: list[list[ast.expr]] = []
    for value in (one for one in values if not isinstance(one, ast.Starred)):
        lists = None if value is None else lists_of(value, bound, far)
        if lists is None:
            return None
        found += lists
    # `words += ["x"]` may have been, or come later.
    return [*found, *([*one, *added] for one in found if added)] or None
