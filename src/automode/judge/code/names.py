"""What names are in such a tree: what they were given, and what they may be called in full."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from automode.core.workspace import Workspace
from automode.judge.code.act import MOST_VALUES, Places, Values, is_chosen
from automode.judge.code.tree import Code, Scope, Tree
from automode.judge.words import keys_by_word, word_table

DEEPEST = 30
MOST_FULLS = 12
MOST_STEPS = 60_000
_VERSION = re.compile(r"/v\d+(?=[./]|$)")
_OPEN = ("",)  # it is looked at


class CodeNames(Places):
    """`made`: modules that this session wrote: nobody can tell what their names stand for."""

    def __init__(
        self, tree: Tree, path: str, place: Workspace, made: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(place)
        self.tree, self.path, self.made = tree, path, made
        topic = f"{tree.language}_acts"
        self.words = _Lists(topic)
        self.actions = keys_by_word(topic, "actions")
        self.usual = _usual_names(topic)
        self.known_places = keys_by_word(topic, "places")
        self.seen: set[int] = set()  # every part that was looked at
        self._open: set[tuple[int, str]] = set()
        self._known: dict[tuple[int, str], tuple[Values, frozenset[int]]] = {}
        self._fulls: dict[int, tuple[str, ...]] = {}
        self.deep = self._steps = self.cuts = 0
        self._hand_on()

    def values(self, node: Code | None) -> Values:
        raise NotImplementedError

    def bound(self, node: Code) -> Sequence[Code]:
        """What a name was given; nothing for one of everybody's, or a parameter."""
        scope = self.scope_of(node)
        return () if scope is None else scope.bound.get(node.text, ())

    def scope_of(self, node: Code) -> Scope | None:
        at: Scope | None = node.scope
        while at is not None and node.text not in at.bound and node.text not in at.given:
            at = at.up
        return at

    def fulls(self, node: Code) -> tuple[str, ...]:
        """What a name or a member may be called in full: `fs.rmSync`, `os/exec.Command`."""
        known = self._fulls.get(id(node))
        if known is not None and known is not _OPEN:
            return known
        if known is _OPEN or self.deep > DEEPEST or self.is_spent():
            self.cuts += 1
            return ()
        self.deep += 1
        self._fulls[id(node)], cuts = _OPEN, self.cuts
        found = dict.fromkeys(self._of_fulls(node))
        self.deep -= 1
        every = tuple(map(self.plain, islice(found, MOST_FULLS)))
        if self.cuts == cuts or self.deep == 0:
            self._fulls[id(node)] = every
        else:
            del self._fulls[id(node)]  # within another it may be a part of the whole
        return every

    def is_spent(self) -> bool:
        """Whether it took too long to tell, and nobody looks any further."""
        self._steps += 1
        return self._steps > MOST_STEPS

    def full(self, node: Code) -> str:
        """The first of them that acts."""
        every = self.fulls(node)
        return next((one for one in every if one in self.actions), every[0] if every else "")

    def plain(self, full: str) -> str:
        full = full.removeprefix("node:").replace(".default", "").replace("::", ".")
        if self.tree.language == "go":
            full = _VERSION.sub("", full)
        if self.tree.language == "javascript":
            full = full.replace("fs/promises", "fs.promises")
            for outer in self.words.globals:
                full = full.removeprefix(f"{outer}.")
        return full

    def _of_fulls(self, node: Code) -> Iterator[str]:
        match node.kind:
            case "module":
                yield node.text
            case "name":
                yield from self._of_name_fulls(node)
            case "member":
                yield from (f"{one}.{node.text}" for one in self.fulls(node.parts[0]))
                yield from self._of_field(node)
            case "index" if len(node.parts) > 1:
                keys = [one for one in self.values(node.parts[1]) or () if is_chosen(one)]
                outer = self.fulls(node.parts[0])
                yield from (f"{one}.{key}" for one in outer for key in keys)
            case "call" if node.parts:
                yield from self._of_call_fulls(node)
            case "either" | "list":
                yield from (full for one in node.parts for full in self.fulls(one))
            case _:
                return

    def _of_name_fulls(self, node: Code) -> Iterator[str]:
        scope = self.scope_of(node)
        if scope is None:
            yield node.text
            yield from (f"{one}.{node.text}" for one in self.tree.every)
            yield from self.usual.get(node.text, ())
        for one in self.bound(node):
            if one.kind != "function":
                yield from self.fulls(one)

    def _of_field(self, node: Code) -> Iterator[str]:
        """`tools.clean`, where a field of that name was given a function that acts."""
        for one in self.tree.fields.get(node.text, ())[:4]:
            if one.kind in ("name", "member"):
                yield from (full for full in self.fulls(one) if full in self.actions)

    def _of_call_fulls(self, node: Code) -> Iterator[str]:
        function, given = node.parts[0], node.parts[1:]
        for full in self.fulls(function):
            if self.actions.get(full) == "import" and given:
                yield from (one for one in self.values(given[0]) or () if is_chosen(one))
            elif full in self.words.same and given:
                yield from self.fulls(given[0])
            elif full.rpartition(".")[2] in ("bind", "clone", "then", "catch") and "." in full:
                yield full.rpartition(".")[0]
            else:
                yield f"{full}()"

    # What functions are given.

    def _hand_on(self) -> None:
        """Binds parameters to what calls of the file give for them."""
        for node in self.tree.nodes:
            if node.kind != "call" or not node.parts:
                continue
            function, given = node.parts[0], node.parts[1:]
            for one in self.own_functions(function):
                self._give(one, given)
            for one in given:
                for inner in [one] if one.kind == "function" else self.own_functions(one):
                    self._give(inner, list(_handed(function, given, one)), several=True)

    def own_functions(self, node: Code) -> Sequence[Code]:
        """The functions of the file that a name may stand for."""
        if node.kind == "function":
            return [node]
        if node.kind not in ("name", "member"):
            return ()
        if node.kind == "name" and self.scope_of(node) is not None:
            found = [one for one in self.bound(node) if one.kind == "function"]
            return found or self.tree.functions.get(node.text, ()) if found else ()
        return self.tree.functions.get(node.text, ())

    def _give(self, function: Code, given: Sequence[Code], *, several: bool = False) -> None:
        """`several`: any of them may be any of the parameters."""
        scope = function.inner or function.scope
        for at, name in enumerate(function.given):
            rest, plain = name[:1] == "*", name.removeprefix("*")
            taken = given if several else given[at:] if rest else given[at : at + 1]
            bound = scope.bound.setdefault(plain, [])
            if rest and not several:
                made = Code("list", function.lines, scope, parts=list(taken))
                bound.append(made)
            elif len(bound) < MOST_VALUES:
                bound.extend(one for one in taken if one not in bound)


class _Lists:
    """The lists of a language; nothing for one that it does not have."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __getattr__(self, name: str) -> frozenset[str]:
        return word_table(self._topic, "words").get(name, frozenset())


@cache
def _usual_names(topic: str) -> Mapping[str, tuple[str, ...]]:
    """What names stand for by which packages are mostly called, where nothing in the code tells: in
    a part of a file. Only modules: a name alone may be anything."""
    found: dict[str, dict[str, None]] = {}
    for table in ("actions", "places"):
        for full in keys_by_word(topic, table):
            module, _, rest = full.partition(".") if "/" in full else full.rpartition(".")
            name = re.split(r"[./]", module)[-1]
            if name != module and name.isidentifier() and rest:
                found.setdefault(name, {})[module] = None
    return {name: tuple(every) for name, every in found.items()}


def _handed(function: Code, given: Sequence[Code], inner: Code) -> Iterator[Code]:
    """What a function may be called with that is given to another one."""
    if function.kind == "member":
        yield function.parts[0]
    if function.kind == "call":  # `test.each(rows)("…", row => …)`
        yield from function.parts[1:]
    plain = ("text", "function", "other")
    yield from (one for one in given if one is not inner and one.kind not in plain)
