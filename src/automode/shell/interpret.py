"""Walks a script's syntax and lists the commands it would run, in order.

Every command that could run is listed, whatever the branch: danger needs one of them, safety all.
"""

from collections.abc import Callable
from dataclasses import replace

from automode.shell import syntax
from automode.shell.script import HOLE, Assignment, Elsewhere, Origin, Redirect, Word
from automode.shell.simple import SimpleCommands, input_text, keep_plain, printed
from automode.shell.state import DEPTH_LIMIT, DERIVED_VALUE, Frame, Parsed, State
from automode.shell.variables import (
    Changes,
    arithmetic_hazard,
    changed_names,
    changes_of,
    conditional_hazard,
)


class Interpreter(SimpleCommands):
    """The half of the walk that deals with compound commands."""

    def __init__(self, parse: Callable[[str], Parsed]) -> None:
        super().__init__()
        self.parse = parse

    def read(self, text: str, state: State, frame: Frame) -> None:
        if frame.depth > DEPTH_LIMIT:
            self.gap("scripts are nested too deeply")
            return
        parsed = self.parse(text)
        if parsed.gap:
            self.gap(parsed.gap)
        for node in parsed.nodes[1:]:
            self.run(node, state.copy(), frame)
        self.run(parsed.nodes[0], state, frame)

    def run(self, node: syntax.Node, state: State, frame: Frame) -> None:
        self.spend(1, nesting=1)
        self.kind(node, state, frame)
        self.spend(nesting=-1)

    def kind(self, node: syntax.Node, state: State, frame: Frame) -> None:  # noqa: C901 - a case per kind
        match node:
            case syntax.Simple():
                self.simple(node, state, frame)
            case syntax.Pipe():
                self.pipe(node, state, frame)
            case syntax.Seq():
                self.sequence(node, state, frame)
            case syntax.Background():
                self.run(node.body, state.copy(), frame.without_input())
            case syntax.Not():
                self.negation(node, state, frame)
            case syntax.Group():
                self.group(node, state, frame)
            case syntax.Branches():
                self.branches(node, state, frame)
            case syntax.Loop():
                self.loop(node, state, frame)
            case syntax.Function():
                self.function(node, state, frame)
            case syntax.Evaluation():
                self.evaluation(node, state, frame)
            case syntax.Unread():
                self.gap(node.why)

    def changes(self, node: syntax.Node, state: State) -> Changes:
        """What `node` may change; it may call any function there is."""
        callable_here = state.functions or state.perhaps
        return changes_of(node) | state.calls if callable_here else changes_of(node)

    def sequence(self, node: syntax.Seq, state: State, frame: Frame) -> None:
        """What `a && X=1` assigns is certain for what follows by `&&`, and for nothing else."""
        perhaps: list[syntax.Node] = []
        folders: list[str | None] = []  # where each item of this and-or list started
        failures = Failures()
        for link, item in zip(node.links, node.items, strict=True):
            failures.before(link, item, state)
            if link != "&&":
                self.doubt(perhaps, state)
                perhaps = []
            if link == ";":
                state.cwd = folder_after(folders, state.cwd)
                folders = []
            self.item(link, item, state, frame, folders)
            if link != ";":
                perhaps.append(item)
            frame = frame.without_input()  # the first may have read it
        failures.before(";", node, state)
        state.cwd = folder_after(folders, state.cwd)
        self.doubt(perhaps, state)

    def item(
        self, link: str, item: syntax.Node, state: State, frame: Frame, folders: list[str | None]
    ) -> None:
        """One item. Behind `||` it runs where one of those before it failed."""
        after = state.cwd
        if link == "||":
            state.cwd = folders[0] if len(set(folders)) == 1 else None
        folders.append(state.cwd)
        self.run(item, state, frame)
        if state.cwd != folders[-1] and not goes(item, state):
            folders.append(state.cwd)  # `{ cd x; false; }`, `! cd x`: it may have failed from there
        if link == "||" and leaves(item, state):
            state.cwd = after
            folders.pop()  # nothing goes on from there
        elif link == "||" and state.cwd != after:
            state.cwd = None

    def doubt(self, nodes: list[syntax.Node], state: State) -> None:
        """These may not have run: what they assign or define is no longer certain."""
        for node in nodes:
            state.forget_values(self.changes(node, state))
            if isinstance(node, syntax.Function):
                state.functions.discard(node.name)
                state.perhaps.add(node.name)

    def pipe(self, node: syntax.Pipe, state: State, frame: Frame) -> None:
        self.pipelines += 1
        number, text, plain = self.pipelines, frame.fed, frame.input_plain
        last = len(node.stages) - 1
        for position, stage in enumerate(node.stages):
            first = len(self.commands)
            inside = replace(frame, pipeline=number, position=position, fed=text, input_plain=plain)
            self.run(stage, state.copy(), inside)
            if position == last:
                break  # nobody reads what it prints
            written = tuple(self.commands[first:])
            text, plain = printed(stage, written, state, plain if position else 0)

    def negation(self, node: syntax.Not, state: State, frame: Frame) -> None:
        before = state.cwd
        self.run(node.body, state, frame)
        if state.cwd != before:
            state.cwd = None

    def group(self, node: syntax.Group, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        redirects = tuple(self.redirect(r, expander) for r in node.redirects)
        if redirects and not isinstance(
            node.body, syntax.Simple | syntax.Seq | syntax.Pipe | syntax.Group
        ):
            self.emit_redirects(redirects, state, frame)
        inside = replace(
            frame,
            redirects=frame.redirects + redirects,
            fed=input_text(redirects, frame.fed),
        )
        self.run(node.body, state.copy() if node.subshell else state, inside)

    def emit_redirects(self, redirects: tuple[Redirect, ...], state: State, frame: Frame) -> None:
        """Redirects of a compound command take effect even if no command inside it runs."""
        self.emit((), state, frame, redirects=redirects)

    def branches(self, node: syntax.Branches, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        for word in node.words:
            expander.look_inside(word)
        before = state.cwd
        rest = frame.without_input()
        for position, condition in enumerate(node.conditions):
            if position == 0:
                self.run(condition, state, frame)
            else:
                self.maybe(condition, state, rest)
        outcomes: list[str | None] = [state.cwd]
        for position, body in enumerate(node.bodies):
            if position == 1 and state.cwd != before:
                state.cwd = None  # the first condition failed, perhaps because of its `cd`
            outcomes.append(self.maybe(body, state, rest))
        if len(set(outcomes)) > 1:
            state.cwd = None

    def maybe(self, node: syntax.Node, state: State, frame: Frame) -> str | None:
        """A body that may or may not run: afterwards what it assigns is not known. Returns the
        folder it would leave the script in."""
        inside = state.copy()
        self.run(node, inside, frame)
        state.forget_values(self.changes(node, state))
        state.learn(inside)
        return inside.cwd

    def function(self, node: syntax.Function, state: State, frame: Frame) -> None:
        """Its body is listed once, as if called when nothing is certain any more."""
        inside = replace(
            frame,
            position=0,
            fed=None,
            input_plain=0,
            defining=(*frame.defining, node.name),
        )
        body = state.later()
        body.in_function = True
        state.define(node.name, self.changes(node.body, state))
        self.run(node.body, body, inside)
        state.learn(body)

    def loop(self, node: syntax.Loop, state: State, frame: Frame) -> None:
        values = self.loop_values(node, state, frame)
        changed = self.changes(node.body, state)
        known: set[str] | None = None
        while known is None or not changed.names.isdisjoint(state.outside.names - known):
            # In the next round of the loop these variables hold unknown values.
            known = state.outside.names.copy()
            self.rounds(node, values, changed, state, frame.without_input())

    def rounds(
        self, node: syntax.Loop, values: list[Word], changed: Changes, state: State, frame: Frame
    ) -> None:
        state.forget(changed)  # the second time round, all of it has happened
        if node.condition is not None:
            self.head(node.condition, changed, state, frame)
        for value in values:
            inside = state.copy()
            inside.in_loop = True
            if node.variable:
                inside.assign(node.variable, value)
            self.run(node.body, inside, frame)
            state.learn(inside)
        state.forget(changed)
        if node.variable:
            state.forget_names(node.variable)

    def head(self, condition: syntax.Node, changed: Changes, state: State, frame: Frame) -> None:
        self.run(condition, state, frame)
        state.forget(self.changes(condition, state))
        if isinstance(condition, syntax.Simple) and self.commands:
            keep_plain(self.commands[-1], state, frame)
        if isinstance(condition, syntax.Evaluation) and condition.kind == "for":
            counters = changed_names(condition.raw)
            if counters & (changed.names - changed.counted) or changed.anything:
                self.gap("a counter is changed inside its loop")
            for name in counters:
                state.count(name)

    def loop_values(self, node: syntax.Loop, state: State, frame: Frame) -> list[Word]:
        if node.words is None:
            return [DERIVED_VALUE if node.condition is not None else Word(HOLE, Origin.UNKNOWN)]
        expander = self.expander(state, frame)
        words = [word for parts in node.words for word in expander.words(parts)]
        given = tuple(Assignment(node.variable, word) for word in words)
        self.emit((), state, frame, assignments=given)
        return [replace(word, splits=False) for word in dict.fromkeys(words)]

    def evaluation(self, node: syntax.Evaluation, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        if node.kind == "[[":
            expander.evaluate(node.raw, node.inner, conditional_hazard)
        else:
            expander.evaluate(node.raw.replace(";", " "), node.inner, arithmetic_hazard)
        if node.kind != "[[":
            for name in changed_names(node.raw):
                state.count(name)
        if frame.redirects:
            self.emit_redirects((), state, frame)


_LEAVING = frozenset("exit return break continue".split())


class Failures:
    """Where an and-or list would be had a `cd` in it failed, while what runs needs it to have
    succeeded: `cd x && a` needs it, `cd x && a; b` no longer does for `b`."""

    def __init__(self) -> None:
        self.aside: list[Elsewhere] = []
        self.last: syntax.Node | None = None
        self.guarded = True  # nothing but `&&` so far

    def before(self, link: str, item: syntax.Node, state: State) -> None:
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


def _program(node: syntax.Node | None) -> str:
    first = node.words[0] if isinstance(node, syntax.Simple) and node.words else ()
    return first[0].value if len(first) == 1 and isinstance(first[0], syntax.Text) else ""


def leaves(node: syntax.Node, state: State) -> bool:
    """`cd x || exit 1`: what comes after it runs only where it did not. Outside of functions and
    loops, and with words it does not take, leaving fails."""
    name, words = _program(node), node.words[1:] if isinstance(node, syntax.Simple) else ()
    usual = not words or (
        len(words) == 1 and all(isinstance(part, syntax.Text) for part in words[0])
    )
    here = name == "exit" or (state.in_function if name == "return" else state.in_loop)
    return name in _LEAVING and here and usual and name not in state.functions | state.perhaps


def goes(node: syntax.Node, state: State) -> bool:
    """Whether this is a plain `cd`: where it fails, it has gone nowhere."""
    return _program(node) == "cd" and "cd" not in state.functions | state.perhaps


def folder_after(folders: list[str | None], now: str | None) -> str | None:
    """The folder after an and-or list. Its first item surely ran, and a `cd` is taken to succeed;
    a `cd` behind anything else may not have run."""
    for start in folders[1:]:
        if start != now:
            return None
    return now
