"""What code starts: programs, their words, where, and with which environment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from automode.core.paths import within
from automode.judge.code.act import GIVEN, MOST_VALUES, Act, quoted, shown, with_holes
from automode.judge.code.tree import Code
from automode.judge.code.values import CodeValues
from automode.programs.inline_python import UNKNOWN
from automode.programs.python_starts import UNKNOWN_WORD
from automode.shell.script import HOLE

_SHELLS = ("sh", "bash", "zsh", "dash", "/bin/sh", "/bin/bash", "cmd", "powershell")


@dataclass(frozen=True, slots=True)
class Called:
    node: Code
    given: list[Code]
    full: str
    depth: int

    def option(self, *names: str) -> Code | None:
        """Of a table of options."""
        for one in self.given:
            for pair in one.parts if one.kind == "pairs" else ():
                if pair.text in names and pair.parts:
                    return pair.parts[0]
        return None


class CodeStarts(CodeValues):
    def runs_text(self, call: Called) -> Iterator[Act]:
        if not call.given:
            return
        program = call.given[0]
        at = self._folder(call)
        yield from self._environment(call)
        lists = self.lists(program)
        for words in lists or ():
            yield from self._run(words, call, at)
        found = self.values(program) if lists is None else ()
        brought = self.is_brought(program)
        if found is None or brought or any(one.startswith((UNKNOWN, GIVEN)) for one in found):
            yield Act("starts what nobody can tell", hint=brought, grave=True)
        elif found == () and lists is None:
            yield Act("starts what nobody can tell", grave=True)
        for text in found or ():
            if not text.startswith((UNKNOWN, GIVEN)) and text.strip():
                told = with_holes(text).replace(HOLE, UNKNOWN_WORD)
                yield Act(f"starts `{shown(text.split(' ')[0])}`", None, at + told)

    def starts(self, call: Called) -> Iterator[Act]:
        """A program, and its words as a list, or each by itself."""
        given = [one for one in call.given if one.kind != "function"]
        if call.full in self.words.behind:  # a context comes first
            given = given[1:]
        if not given:
            return
        if call.node.text == "tagged" or (self.tree.language == "java" and len(given) == 1):
            yield from self.runs_text(call)
            return
        yield from self._environment(call)
        at = self._folder(call)
        run = self._as_text if call.option("shell") is not None else self._run
        for words in self._words_of(given, call):
            yield from run(words, call, at)

    def _words_of(self, given: Sequence[Code], call: Called) -> list[list[Code]]:
        command = call.option("cmd", "Args") if given[0].kind == "pairs" else given[0]
        lists = self.lists(command) if command is not None else None
        if lists is not None:
            return lists
        options, rest = call.option("args"), given[1:]
        if options is not None:
            rest = [options]
        elif self.tree.language == "javascript":
            rest = [one for one in rest[:1] if one.kind != "pairs"]
        return [[given[0], *one] for one in self._several(rest)]

    def _several(self, given: Sequence[Code]) -> list[list[Code]]:
        """Words, each by itself or in lists."""
        parts: list[list[list[Code]]] = []
        for one in given:
            inner = one.parts[0] if one.kind == "spread" and one.parts else one
            parts.append(self.lists(inner) or [[one]])
        every = islice(product(*parts), MOST_VALUES)
        return [[one for each in several for one in each] for several in every]

    def _as_text(self, words: Sequence[Code], call: Called, at: str) -> Iterator[Act]:
        found = [self.part(one) for one in words]
        if any(one is None or one[0].startswith((UNKNOWN, GIVEN)) for one in found[:1]):
            yield Act("starts what nobody can tell", hint=self.is_brought(words[0]), grave=True)
            return
        for every in islice(product(*[one or (UNKNOWN,) for one in found]), MOST_VALUES):
            text = with_holes(" ".join(every)).replace(HOLE, UNKNOWN_WORD)
            yield Act(f"starts `{shown(every[0].split(' ')[0])}`", None, at + text)

    def _run(self, items: Sequence[Code], call: Called, at: str) -> Iterator[Act]:
        words: list[Sequence[str]] = []
        for one in items:
            found = self.part(one)
            words.append((UNKNOWN,) if found is None else found)
        brought = any(map(self.is_brought, items))
        if brought or not words or any(one.startswith((UNKNOWN, GIVEN)) for one in words[0]):
            yield Act("starts what nobody can tell", hint=brought, grave=True)
            return
        for every in islice(product(*words), MOST_VALUES):
            yield from self._runs(list(every), call, at)

    def _runs(self, words: list[str], call: Called, at: str) -> Iterator[Act]:
        if within(words[0], self.temporary):
            return  # the test made it, and what it is made of is read
        told = f"starts `{shown(words[0])}`"
        shell = words[0] in _SHELLS and "-c" in words[1:3]
        if shell and any(one.startswith((UNKNOWN, GIVEN)) for one in words[2:3]):
            yield Act("starts what nobody can tell", grave=True)
            return
        yield Act(told, None, at + " ".join(map(quoted, words)))

    def builds(self, call: Called) -> Iterator[Act]:
        """A program whose words are told by methods: `Command::new("rm").arg("-rf")`."""
        words, at = list(call.given[:1]), ""
        for method in self.methods_of(call.node):
            name, given = method.parts[0].text, method.parts[1:]
            if name == "arg":
                words += given[:1]
            elif name in ("args", "command"):
                found = self.lists(given[0]) if given else None
                words += found[0] if found else given[:1]
            elif name in ("current_dir", "directory") and given:
                at = self._at(given[0])
            elif name == "env" and given and self.one_text(given[0]) == "PATH":
                yield from self.leads(given[-1])
        if call.full in self.words.several:  # `new ProcessBuilder("a", "b")`
            words = [*call.given]
            lists = self.lists(words[0]) if len(words) == 1 else None
            words = lists[0] if lists else words
        yield from self._run(words, call, at)

    def methods_of(self, node: Code) -> Iterator[Code]:
        """The calls of methods on what a call makes, in their order."""
        at = node
        while at.up is not None and at.up.kind == "member" and at.up.up is not None:
            if at.up.up.kind != "call":
                break
            at = at.up.up
            yield at
        names = [
            name
            for scope in {id(one.scope): one.scope for one in self.tree.nodes}.values()
            for name, values in scope.bound.items()
            if any(at is one or node is one for one in values)
        ]
        every = sorted(self.tree.nodes, key=lambda one: one.end) if names else ()
        for one in every:
            receiver = one.parts[0].parts[0] if _is_method(one) else None
            while receiver is not None and _is_method(receiver):
                receiver = receiver.parts[0].parts[0]
            if receiver is not None and receiver.kind == "name" and receiver.text in names:
                yield one

    def _folder(self, call: Called) -> str:
        """What leads to where a program is started, as a shell would say it."""
        folder = call.option("cwd")
        if folder is not None:
            return self._at(folder)
        values = self.tree.fields.get("Dir", ()) if self.tree.language == "go" else ()
        return self._at(values[0]) if len(values) == 1 else ""

    def _at(self, folder: Code) -> str:
        found = self.values(folder)
        given = next((one for one in found or () if not one.startswith((UNKNOWN, GIVEN))), "")
        return self.folder(given, (one.text for one in self.tree.nodes if one.kind == "text"))

    def _environment(self, call: Called) -> Iterator[Act]:
        """`{ env: { PATH: "/tmp/x" } }` leads to other programs."""
        given = call.option("env")
        for pair in given.parts if given is not None and given.kind == "pairs" else ():
            if pair.text == "PATH" and pair.parts:
                yield from self.leads(pair.parts[0])

    def leads(self, value: Code) -> Iterator[Act]:
        """What is loaded and found from now on lies there."""
        found = self.values(value)
        for one in found or ():
            first = one.split(":")[0]
            near = self.is_near(first) or within(first, self.around_temporary)
            if not near and not first.startswith((UNKNOWN, GIVEN)):
                yield Act(f"leads to `{shown(first)}`", grave=True)

    def is_brought(self, code: Code, far: int = 3) -> bool:
        """Whether a text comes out of a decoder or from another machine."""
        for node in code.walk():
            if self.is_spent():
                return True
            if node.kind == "name":
                given = list(self.bound(node))[:4] if far else []
                if any(self.is_brought(one, far - 1) for one in given):
                    return True
            elif node.kind == "call" and node.parts and self._brings(node):
                return True
        return False

    def _brings(self, node: Code) -> bool:
        full, name = self.full(node.parts[0]), node.parts[0].text
        if full in self.words.decoders or f".{name}" in self.words.decoders:
            return True
        if self.actions.get(full) == "address":
            return True
        coded = full.startswith("Buffer.from") or name == "toString"
        return coded and any(
            self.one_text(one) in ("base64", "hex", "base64url") for one in node.parts[1:3]
        )


def _is_method(node: Code) -> bool:
    return node.kind == "call" and bool(node.parts) and node.parts[0].kind == "member"
