"""Which folder an and-or list (`a && b || c`) may be in, whichever of its parts fail."""

from automode.shell.script import Elsewhere
from automode.shell.state import State
from automode.shell.syntax import Node, Simple, Text

_LEAVING = frozenset("exit return break continue".split())


class Failures:
    """Where an and-or list would be had a `cd` in it failed, while what runs needs it to have
    succeeded: `cd x && a` needs it, `cd x && a; b` no longer does for `b`."""

    def __init__(self) -> None:
        self.aside: list[Elsewhere] = []
        self.last: Node | None = None
        self.guarded = True  # nothing but `&&` so far

    def before(self, link: str, item: Node, state: State) -> None:
        if link == "&&" and _program(self.last) == "cd" and "cd" not in state.functions:
            self.aside += state.failed
            state.failed = ()
        elif link == "||" and self.guarded and leaves(item, state):
            self.aside, state.failed = [], ()
        else:
            state.settle(*(self.aside if link != "&&" else ()))
            self.aside = self.aside if link == "&&" else []
        self.guarded = link == ";" or (self.guarded and link == "&&")
        self.last = item


def _program(node: Node | None) -> str:
    first = node.words[0] if isinstance(node, Simple) and node.words else ()
    return first[0].value if len(first) == 1 and isinstance(first[0], Text) else ""


def leaves(node: Node, state: State) -> bool:
    """`cd x || exit 1`: what comes after it runs only where it did not. Outside of functions and
    loops, and with words it does not take, leaving fails."""
    name, words = _program(node), node.words[1:] if isinstance(node, Simple) else ()
    usual = not words or (len(words) == 1 and all(isinstance(part, Text) for part in words[0]))
    here = name == "exit" or (state.in_function if name == "return" else state.in_loop)
    return name in _LEAVING and here and usual and name not in state.functions | state.perhaps


def goes(node: Node, state: State) -> bool:
    """Whether this is a plain `cd`: where it fails, it has gone nowhere."""
    return _program(node) == "cd" and "cd" not in state.functions | state.perhaps


def settled(folders: list[str | None], now: str | None) -> str | None:
    """The folder after an and-or list. Its first item surely ran, and a `cd` is taken to succeed;
    a `cd` behind anything else may not have run."""
    for start in folders[1:]:
        if start != now:
            return None
    return now
