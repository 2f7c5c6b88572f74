"""Where what acts is carried to: a module or a function that goes to where nobody follows it."""

from collections.abc import Iterator

from automode.judge.code.act import Act
from automode.judge.code.starts import CodeStarts
from automode.judge.code.tree import Code

# Whoever gets one of these loses nothing by it.
_QUIET = ("import", "path", "variable", "mkdir", "<")


class CodeMentions(CodeStarts):
    parts = False  # nobody can look at the rest

    def mentioned(self, node: Code) -> Iterator[Act]:
        """A name that is not called, and that goes on to where it is lost."""
        if not self._is_lost(node):
            return
        for full in self.fulls(node):
            if self._acts(full) and not self._is_listed(node, full):
                yield Act(f"hands on `{full}`", grave=True)
                return

    def _acts(self, full: str) -> bool:
        action = self.actions.get(full)
        if action is None:
            return full in self.words.carried or full.endswith(".constructor")
        return action.split(" ")[0] not in _QUIET

    def _is_lost(self, node: Code) -> bool:
        up = node.up
        while up is not None and up.kind == "either":
            node, up = up, up.up
        if id(node) in self.returned:
            return True
        match up.kind if up is not None else "":
            case "call" if up is not None:
                return up.parts[0] is not node and not self._is_followed(up, node)
            case "list" | "pair" | "spread":
                return True
            case "other" if up is not None and up.text == "binds":
                return self._is_put_into(up, node) or self._starts_unseen(node)
            case "other" if up is not None and up.text == "field":
                return self.full(node) in self.words.carried
            case "other":
                return self._starts_unseen(node)
            case _:
                return False

    def _starts_unseen(self, node: Code) -> bool:
        """Whether it starts something, and may be called where nobody can look."""
        action = self.actions.get(self.full(node)) if self.parts else ""
        return action in ("shell", "process", "code")

    def _is_put_into(self, binds: Code, value: Code) -> bool:
        """`x.y = fs.rmSync`; not `globalThis.fetch = fetch`, which is called like it."""
        target = binds.parts[0]
        if target is value or target.kind not in ("member", "index"):
            return False
        outer = self.fulls(target.parts[0])
        return not any(self.plain(f"{one}.{target.text}") in self.actions for one in outer)

    def _is_followed(self, call: Code, value: Code) -> bool:
        """Whether a function of the file takes it by a name."""
        function, at = call.parts[0], call.parts.index(value) - 1
        own = self.own_functions(function) if function.kind != "member" else ()
        return bool(own) and all("*" not in "".join(one.given[at : at + 1] or "*") for one in own)

    def _is_listed(self, node: Code, full: str) -> bool:
        """`vi.mocked(execSync)`, `promisify(exec)`: it is only looked at, or called later; and
        what stands for a module may hold what that module has."""
        patching = self.patterns.patching
        at, up, near = node, node.up, True
        while up is not None:
            if up.kind == "call" and up.parts and at is not up.parts[0]:
                called = self.full(up.parts[0])
                own = up.parts[0].text in ("bind", "call", "apply")
                if own and called.startswith(f"{full}.") and not self._acts(called):
                    return True
                if near and any(map(self.is_same, self.fulls(up.parts[0]))):
                    return True
                if patching.search(called) is not None:
                    told = self.plain(self.one_text(up.parts[1])) if up.parts[1:] else ""
                    if near or (told and f"{full}.".startswith(f"{told}.")):
                        return True
                near = False
            elif up.kind not in ("either", "list"):
                near = False
            at, up = up, up.up
        return False
