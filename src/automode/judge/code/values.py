"""What names are in such a tree, and what expressions may stand for: texts, folders for tests, the
home, and what the code did not choose itself."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, product

from automode.core.paths import absolute
from automode.core.workspace import Workspace
from automode.judge.code.act import (
    GIVEN,
    MOST_VALUES,
    Places,
    Values,
    above,
    either,
    is_chosen,
    join_paths,
    joined,
)
from automode.judge.code.tree import Code, Scope, Tree
from automode.judge.words import keys_by_word, word_table
from automode.programs.inline_python import UNKNOWN

DEEPEST = 30
MOST_FULLS = 12
MOST_STEPS = 60_000
LONGEST_TEXT = 4_000
_FILLED = re.compile(r"%[-+# 0-9.]*[a-zA-Z]|\{([a-z_]\w*)?(?::[^{}]*)?\}")
_NUMBER = re.compile(r"[\d.]*")
_VERSION = re.compile(r"/v\d+(?=[./]|$)")
_OPEN = ("",)  # it is looked at
_BINARY = "CARGO_BIN_EXE"


class CodeValues(Places):
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
        self._deep = self._steps = self._cuts = 0
        self._hand_on()

    # Names.

    def bound(self, node: Code) -> Sequence[Code]:
        """What a name was given; nothing for one of everybody's, or a parameter."""
        scope = self._scope_of(node)
        return () if scope is None else scope.bound.get(node.text, ())

    def _scope_of(self, node: Code) -> Scope | None:
        at: Scope | None = node.scope
        while at is not None and node.text not in at.bound and node.text not in at.given:
            at = at.up
        return at

    def fulls(self, node: Code) -> tuple[str, ...]:
        """What a name or a member may be called in full: `fs.rmSync`, `os/exec.Command`."""
        known = self._fulls.get(id(node))
        if known is not None and known is not _OPEN:
            return known
        if known is _OPEN or self._deep > DEEPEST or self.is_spent():
            self._cuts += 1
            return ()
        self._deep += 1
        self._fulls[id(node)], cuts = _OPEN, self._cuts
        found = dict.fromkeys(self._of_fulls(node))
        self._deep -= 1
        every = tuple(map(self._plain, islice(found, MOST_FULLS)))
        if self._cuts == cuts or self._deep == 0:
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

    def _plain(self, full: str) -> str:
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
        scope = self._scope_of(node)
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
        if node.kind == "name" and self._scope_of(node) is not None:
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

    # Values.

    def values(self, node: Code | None) -> Values:
        if node is None or self.is_spent() or self._deep > DEEPEST:
            return None
        self.seen.add(id(node))
        self._deep += 1
        found = self._of_text(node)
        self._deep -= 1
        return found

    def part(self, node: Code) -> Values:
        """A part of a text: what was given is some text."""
        found = self.values(node)
        return (GIVEN,) if found == () else found

    def one_text(self, node: Code) -> str:
        found = self.values(node)
        return found[0] if found and len(found) == 1 else ""

    def _of_text(self, node: Code) -> Values:
        match node.kind:
            case "text":
                long = len(node.text) > LONGEST_TEXT
                return (node.text[:LONGEST_TEXT] + (UNKNOWN if long else ""),)
            case "joined":
                return joined(list(map(self.part, node.parts)), "".join)
            case "name":
                return self._of_name(node)
            case "member":
                return self._of_member(node)
            case "index":
                return self._of_index(node)
            case "call" if node.parts:
                return self._of_call(node)
            case "either" if node.text:  # `process.env.X || "y"`
                known = [one for one in map(self.values, node.parts) if one is not None]
                return either(known) if known else None
            case "function" | "pair":
                return either(
                    map(self.values, node.returned if node.kind[0] == "f" else node.parts)
                )
            case "list" | "pairs" | "either" | "spread":
                return either(map(self.values, node.parts))
            case "module":
                return None if self.is_made(node.text) else (UNKNOWN,)
            case _:
                return None if _told(map(self.values, node.parts)) else ()

    def _of_name(self, node: Code) -> Values:
        scope = self._scope_of(node)
        if scope is None:
            return self._of_free(node)
        found = self.bound(node)
        return self._kept((id(scope), node.text), lambda: either(map(self.values, found)))

    def _kept(self, key: tuple[int, str], read: Callable[[], Values]) -> Values:
        if key in self._known:
            values, looked = self._known[key]
            self.seen |= looked
            return values
        if key in self._open:
            self._cuts += 1
            return ()
        self._open.add(key)
        outer, self.seen, cuts = self.seen, set(), self._cuts
        values = read()
        self._open.discard(key)
        if self._cuts == cuts or not self._open:
            self._known[key] = values, frozenset(self.seen)
        self.seen |= outer
        return values

    def _of_free(self, node: Code) -> Values:
        match node.text:
            case "__dirname":
                return (posixpath.dirname(self.path),)
            case "__filename":
                return (self.path,)
            case "undefined" | "null" | "nil" | "None" | "true" | "false" | "iota":
                return ()
            case _:
                return (UNKNOWN,)

    def _of_member(self, node: Code) -> Values:
        outer = self.full(node.parts[0])
        full = self._plain(f"{outer}.{node.text}")
        if full in self.known_places:
            return self._place(full)
        if outer == "process.env":
            return self._variable(node.text)
        if (found := self._of_key(node.parts[0], node.text)) is not None:
            return either(map(self.values, found))
        if node.text in self.tree.fields and not outer.startswith(("./", "../")):
            fields = self.tree.fields[node.text]
            return self._kept((0, node.text), lambda: either(map(self.values, fields)))
        found_outer = self.values(node.parts[0])
        if found_outer is None or self.is_made(full):
            return None
        if node.text in ("name", "length", "message"):
            return tuple(one.rsplit("/", 1)[-1] for one in found_outer)
        return found_outer

    def _of_key(self, outer: Code, key: str) -> list[Code] | None:
        """Of a table that is written there."""
        tables = self.bound(outer) if outer.kind == "name" else [outer]
        found: list[Code] = []
        for one in tables:
            inner = one.parts if one.kind == "list" else [one]
            for table in inner:
                if table.kind != "pairs":
                    return None
                found += [p.parts[0] for p in table.parts if p.text == key and p.parts]
        return found or None

    def _of_index(self, node: Code) -> Values:
        if len(node.parts) > 1 and self.full(node.parts[0]) == "process.env":
            return self._variable(self.one_text(node.parts[1]))
        if self.full(node.parts[0]) in self.words.arguments:
            return (self.temporary,) if self.full(node.parts[0]) == "os.Args" else (UNKNOWN,)
        key = self.one_text(node.parts[1]) if len(node.parts) > 1 else ""
        found = self._of_key(node.parts[0], key) if key else None
        return either(map(self.values, found)) if found else self.values(node.parts[0])

    def _variable(self, name: str) -> Values:
        if name in ("HOME", "USERPROFILE"):
            return (self.place.home,)
        return (self.temporary,) if name.startswith((_BINARY, "TMPDIR", "RUNNER_TEMP")) else None

    def _place(self, full: str) -> Values:
        match self.known_places[full]:
            case "home":
                return (self.place.home,)
            case "here":
                return (self.place.cwd,)
            case "folder":
                return (posixpath.dirname(self.path),)
            case "file":
                return (self.path,)
            case "scratch":
                return (self.place.temporary[0],)
            case "own":
                return (self.temporary,)
            case known:
                return (known,)

    def _of_call(self, node: Code) -> Values:
        function, given = node.parts[0], node.parts[1:]
        fulls = self.fulls(function)
        full = next((one for one in fulls if one in self._told_calls), fulls[0] if fulls else "")
        last = function.text
        if full in self.words.variables and given:
            named = self.one_text(given[0])
            return self._variable(named) if named else None
        if f"{full}()" in self.known_places:
            return self._place(f"{full}()")
        if full in self.words.making or f".{last}" in self.words.making:
            return self._made(full, given)
        if full in self.words.paths:
            return self._path(full, given)
        if full in self.words.formats and given:
            return self._formatted(given)
        if full in self.words.passing and given:
            return self._passed(last, either(map(self.values, given)))
        own = self.own_functions(function)
        if own and full not in self.actions:
            return self._returned(own, function.text)
        if function.kind == "member":
            return self._of_method(node, function, full)
        return self._of_other(node, full)

    @property
    def _told_calls(self) -> frozenset[str]:
        words = self.words
        return words.variables | words.making | words.paths | words.passing | words.formats

    def _made(self, full: str, given: Sequence[Code]) -> Values:
        """A folder for a test alone, unless it is told to lie elsewhere."""
        for one in given[:1]:
            for text in self.values(one) or ():
                scratch = self.place.temporary[0]
                near = text.startswith((GIVEN, UNKNOWN, self.temporary, f"{scratch}/"))
                if text not in ("", scratch) and not near and "/" in text:
                    return (text,)
        return (self.temporary,)

    def _path(self, full: str, given: Sequence[Code]) -> Values:
        if not given:
            return (self.place.cwd,)
        parts = [self.part(each) for one in given for each in self._spread(one)]
        if full == "URL" and len(parts) > 1:
            parts = [parts[1], parts[0]]
            found = joined(parts, lambda both: absolute(both[1], posixpath.dirname(both[0])))
        else:
            found = joined(parts, join_paths)
        if found is None or not full.endswith("resolve"):
            return found
        return tuple(
            one if one[:1] in ("/", GIVEN, UNKNOWN) else absolute(one, self.place.cwd)
            for one in found
        )

    def _spread(self, node: Code) -> Sequence[Code]:
        """The items of a list that is written there."""
        inner = node.parts[0] if node.kind == "spread" and node.parts else node
        if inner.kind == "name":
            lists = self.bound(inner)
            inner = lists[0] if len(lists) == 1 else inner
        return inner.parts if inner.kind == "list" else [node]

    def _formatted(self, given: Sequence[Code]) -> Values:
        shape = self.values(given[0])
        if shape is None:
            return None
        scope = given[0].scope

        def filled(parts: Sequence[str]) -> str:
            rest = iter(parts[1:])

            def fill(found: re.Match[str]) -> str:
                if found[1]:  # `{name}` of Rust
                    named = self.part(Code("name", given[0].lines, scope, found[1]))
                    return named[0] if named and len(named) == 1 else GIVEN
                return next(rest, GIVEN)

            return _FILLED.sub(fill, parts[0])

        return joined([shape, *map(self.part, given[1:])], filled)

    def _returned(self, functions: Sequence[Code], name: str) -> Values:
        every = [one for made in functions for one in made.returned]
        return self._kept((id(functions[0]), name), lambda: either(map(self.values, every)))

    def _of_method(self, node: Code, function: Code, full: str) -> Values:
        given, last = node.parts[1:], function.text
        own = self.values(function.parts[0])
        if last in self.words.joining and own:
            return joined([own, *map(self.part, given)], join_paths)
        if last in self.words.adding and own is not None:
            return joined([own or (GIVEN,), *map(self.part, given)], "".join)
        if last == "join" and len(given) <= 1 and function.parts[0].kind == "list":
            between = self.one_text(given[0]) if given else ","
            return joined(list(map(self.part, function.parts[0].parts)), between.join)
        if last in self.words.methods and own is not None:
            return self._passed(last, own)
        return self._of_other(node, full)

    def _of_other(self, node: Code, full: str) -> Values:
        """Of a call that is not known, by what it is given."""
        if self.is_made(full):
            return None
        every = list(node.parts[1:])
        if node.parts[0].kind == "member":
            every.append(node.parts[0].parts[0])
        found = either(map(self.values, every))
        if found is None:
            return None
        if self.actions.get(full) == "address" and node.parts[1:]:
            return self.values(node.parts[1])
        if not all(map(_is_plain, (one for one in found if not self._is_made_here(one)))):
            return None
        if any(map(self._is_made_here, found)):
            return (self.temporary,)
        return (UNKNOWN,)

    def _is_made_here(self, path: str) -> bool:
        return path.startswith(self.temporary)

    def _passed(self, name: str, found: Values) -> Values:
        if found is None:
            return None
        match name:
            case "dirname" | "Dir" | "parent" | "getParent":
                return tuple(map(above, found))
            case "basename" | "Base" | "file_name" | "getFileName":
                return tuple(one.rsplit("/", 1)[-1] for one in found)
            case "fileURLToPath" | "toString" | "href" | "pathname":
                return tuple(one.removeprefix("file://") for one in found)
            case _:
                return found

    def is_made(self, full: str) -> bool:
        """Whether a module of this session is meant."""
        near = full.startswith(("./", "../", "@/", "~/", "crate.", "super.")) or (
            self.tree.language == "go" and "/" not in full and "." not in full
        )
        return near and not self.made.isdisjoint(re.split(r"[^\w-]+", full))

    def is_given(self, node: Code) -> bool:
        return node.kind == "name" and self._scope_of(node) is not None and not self.bound(node)

    def lists(self, node: Code, far: int = 4) -> list[list[Code]] | None:
        """The lists of items that an expression may be; None for no list."""
        match node.kind:
            case "list":
                parts = [
                    self.lists(one.parts[0], far - 1) or [[one]]
                    if one.kind == "spread" and one.parts
                    else [[one]]
                    for one in node.parts
                ]
                every = islice(product(*parts), MOST_VALUES)
                return [[one for each in several for one in each] for several in every]
            case "name" if far:
                found = [self.lists(one, far - 1) for one in self.bound(node)]
                known = [one for each in found if each is not None for one in each]
                return known or None
            case "either" if far:
                every_one = [self.lists(one, far - 1) for one in node.parts]
                return [one for each in every_one for one in each or ()] or None
            case "call" if node.parts and far:
                return self._appended(node, far)
            case _:
                return None

    def _appended(self, node: Code, far: int) -> list[list[Code]] | None:
        """`append(words, more...)`, `words.concat(more)`."""
        function, given = node.parts[0], node.parts[1:]
        name = function.text
        if name in ("vec!", "asList", "of"):
            return [list(given)]
        if name == "concat" and function.kind == "member":
            given = [function.parts[0], *given]
        elif name != "append" or function.kind != "name":
            return None
        parts: list[list[list[Code]]] = []
        for at, one in enumerate(given):
            inner = one.parts[0] if one.kind == "spread" and one.parts else one
            listed = self.lists(inner, far - 1) if at == 0 or one.kind == "spread" else None
            parts.append(listed or [[one]])
        every = islice(product(*parts), MOST_VALUES)
        return [[one for each in several for one in each] for several in every]


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


def _is_plain(text: str) -> bool:
    return not text.startswith(("/", "~")) and ".." not in text and "://" not in text


def _told(several: Iterable[Values]) -> bool:
    """Whether the code chose some of them."""
    return any(one is None or not all(map(_NUMBER.fullmatch, one)) for one in several)
