"""Walks a script's syntax and lists the commands it would run, in order.

Every command that could run is listed, whatever the branch: danger needs one of them, safety all.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from automode.shell.assigned import assigned_names
from automode.shell.builtins import apply_builtin
from automode.shell.expand import Expander
from automode.shell.launchers import LAUNCHERS, SHELLS
from automode.shell.output import printed, surely_plain
from automode.shell.parameters import arithmetic_hazard, changed_names, conditional_hazard
from automode.shell.script import HOLE, Assignment, Command, Origin, Redirect, Word
from automode.shell.state import DERIVED_VALUE, NUMBER, State
from automode.shell.syntax import (
    Assign,
    Background,
    Branches,
    Evaluation,
    Function,
    Group,
    Loop,
    Node,
    Parts,
    Pipe,
    Redir,
    Seq,
    Simple,
    Sub,
    Text,
    Unread,
)
from automode.shell.wrappers import WRAPPERS, Inner

COMMAND_LIMIT = 400
DEPTH_LIMIT = 12
LOOP_LIMIT = 16
"""Values of a `for` that are gone through one by one; the rest is one unknown value."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One reading when the parsers agree; each one's reading when they do not."""

    nodes: tuple[Node, ...]
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds a command: wrappers, redirects of groups, its pipeline."""

    via: tuple[str, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    remote: bool = False
    elevated: bool = False
    pipeline: int = 0
    position: int = 0
    fed: str | None = None
    input_plain: bool = False  # lines on standard input surely are no options
    defining: tuple[str, ...] = ()  # functions whose body this is
    depth: int = 0


@dataclass(slots=True)
class Interpreter:
    parse: Callable[[str], Parsed]
    commands: list[Command] = field(default_factory=list)
    gaps: dict[str, None] = field(default_factory=dict)  # an ordered set
    pipelines: int = 0

    def gap(self, why: str) -> None:
        self.gaps.setdefault(why)

    def read(self, text: str, state: State, frame: Frame) -> None:
        """A script given as text."""
        if frame.depth > DEPTH_LIMIT:
            self.gap("scripts are nested too deeply")
            return
        parsed = self.parse(text)
        if parsed.gap:
            self.gap(parsed.gap)
        for node in parsed.nodes[1:]:
            self.run(node, state.copy(), frame)
        self.run(parsed.nodes[0], state, frame)

    def run(self, node: Node, state: State, frame: Frame) -> None:  # noqa: C901 - a case per kind
        if len(self.commands) > COMMAND_LIMIT:
            self.gap("too many commands")
            return
        match node:
            case Simple():
                self.simple(node, state, frame)
            case Pipe():
                self.pipe(node, state, frame)
            case Seq():
                self.sequence(node, state, frame)
            case Background():
                self.run(node.body, state.copy(), frame)
            case Group():
                self.group(node, state, frame)
            case Branches():
                self.branches(node, state, frame)
            case Loop():
                self.loop(node, state, frame)
            case Function():
                inside = replace(frame, fed=None, defining=(*frame.defining, node.name))
                self.maybe(node.body, state, inside)
                state.functions.add(node.name)
            case Evaluation():
                self.evaluation(node, state, frame)
            case Unread():
                self.gap(node.why)

    # Compound commands

    def sequence(self, node: Seq, state: State, frame: Frame) -> None:
        """What `a && X=1` assigns is certain for what follows by `&&`, and for nothing else."""
        before = state.cwd
        perhaps: list[Node] = []
        for link, item in zip(node.links, node.items, strict=True):
            if link != "&&":
                _doubt(perhaps, state)
                perhaps = []
            cwd = state.cwd
            if link == "||" and state.cwd != before:
                state.cwd = before  # runs because what came before it failed
                self.run(item, state, frame)
                state.cwd = cwd if state.cwd == before else state.cwd
            else:
                self.run(item, state, frame)
            if link != ";":
                perhaps.append(item)
            before = cwd
        _doubt(perhaps, state)

    def pipe(self, node: Pipe, state: State, frame: Frame) -> None:
        self.pipelines += 1
        number, fed, plain = self.pipelines, frame.fed, frame.input_plain
        for position, stage in enumerate(node.stages):
            first = len(self.commands)
            inside = replace(frame, pipeline=number, position=position, fed=fed, input_plain=plain)
            self.run(stage, state.copy(), inside)
            written = tuple(self.commands[first:])
            fed = printed(written, fed) if isinstance(stage, Simple | Group) else None
            plain = surely_plain(written, input_plain=plain if position else False)

    def group(self, node: Group, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        redirects = tuple(self.redirect(r, expander) for r in node.redirects)
        if redirects and not isinstance(node.body, Simple | Seq | Pipe | Group):
            self.emit_redirects(redirects, state, frame)
        inside = replace(
            frame,
            redirects=frame.redirects + redirects,
            fed=_fed(redirects, frame.fed),
        )
        self.run(node.body, state.copy() if node.subshell else state, inside)

    def emit_redirects(self, redirects: tuple[Redirect, ...], state: State, frame: Frame) -> None:
        """Redirects of a compound command take effect even if no command inside it runs."""
        self.emit(Command((), redirects=redirects), state, frame)

    def branches(self, node: Branches, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        for word in node.words:
            expander.look_inside(word)
        for position, condition in enumerate(node.conditions):
            (self.run if position == 0 else self.maybe)(condition, state, frame)
        outcomes: list[str | None] = [state.cwd]
        for body in node.bodies:
            outcomes.append(self.maybe(body, state, frame))
        if len(set(outcomes)) > 1:
            state.cwd = None

    def maybe(self, node: Node, state: State, frame: Frame) -> str | None:
        """A body that may or may not run: afterwards what it assigns is not known. Returns the
        folder it would leave the script in."""
        inside = state.copy()
        self.run(node, inside, frame)
        state.forget(assigned_names(node))
        state.exported.update(inside.exported)
        return inside.cwd

    def loop(self, node: Loop, state: State, frame: Frame) -> None:
        changed = assigned_names(node.body)
        if node.condition is not None:
            state.forget(changed)
            self.run(node.condition, state, frame)
            changed |= assigned_names(node.condition)
        values = self.loop_values(node, state, frame)
        for value in values:
            inside = state.copy()
            inside.forget(changed - _numbers_of(node))
            if node.variable:
                inside.assign(node.variable, value)
            self.run(node.body, inside, frame)
            if inside.cwd != state.cwd:
                state.cwd = None
            state.exported.update(inside.exported)
        state.forget(changed)
        if node.variable:
            state.assign(node.variable, DERIVED_VALUE)

    def loop_values(self, node: Loop, state: State, frame: Frame) -> list[Word]:
        if node.words is None:
            return [DERIVED_VALUE if node.condition is not None else Word(HOLE, Origin.UNKNOWN)]
        expander = self.expander(state, frame)
        words = [word for parts in node.words for word in expander.words(parts)]
        if len(words) > LOOP_LIMIT:
            plain = all(not word.could_be_flag for word in words)
            origin = max(Origin.DERIVED, *(word.origin for word in words))
            return [*words[:LOOP_LIMIT], Word(HOLE, origin, plain=plain)]
        return [replace(word, splits=False) for word in words]

    def evaluation(self, node: Evaluation, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        if node.kind == "[[":
            hazard = conditional_hazard(node.raw, node.inner, state.numbers)
        else:
            hazard = arithmetic_hazard(node.raw.replace(";", " "), node.inner, state.numbers)
        expander.look_inside(node.inner)
        if hazard:
            self.gap(hazard)
        if node.kind != "[[":
            for name in changed_names(node.raw):
                state.assign(name, NUMBER)
                state.mark_number(name)
        if frame.redirects:
            self.emit_redirects((), state, frame)

    # Simple commands

    def expander(self, state: State, frame: Frame) -> Expander:
        return Expander(state, lambda part: self.substitution(part, state, frame), self.gap)

    def substitution(self, part: Sub, state: State, frame: Frame) -> Word:
        if frame.depth > DEPTH_LIMIT * 4:
            self.gap("substitutions are nested too deeply")
            return DERIVED_VALUE
        first = len(self.commands)
        self.pipelines += 1
        inside = Frame(
            via=frame.via,
            remote=frame.remote,
            elevated=frame.elevated,
            pipeline=self.pipelines,
            depth=frame.depth + 1,
        )
        self.run(part.body, state.copy(), inside)
        if part.kind != "$(":
            return Word("/dev/fd/63", Origin.DERIVED)
        written = tuple(self.commands[first:])
        text = printed(written, None) if isinstance(part.body, Simple) else None
        if text is not None:
            return Word(text.rstrip("\n"))
        return Word(HOLE, Origin.DERIVED, plain=surely_plain(written, input_plain=False))

    def redirect(self, redir: Redir, expander: Expander) -> Redirect:
        literal = redir.op in ("<<", "<<<")
        target = expander.word(redir.target, literal=literal)
        if redir.fd.startswith("{"):
            self.gap("a redirect into a new descriptor")
        return Redirect(redir.op, target, redir.fd)

    def assignment(self, assign: Assign, expander: Expander) -> Assignment:
        value = expander.word(assign.value, literal=True)
        if assign.index and not _is_number(assign.index):
            expander.look_inside(assign.index)
            self.gap("a subscript is evaluated")
        return Assignment(assign.name, value, assign.appends, assign.array)

    def simple(self, node: Simple, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        assignments = tuple(self.assignment(a, expander) for a in node.assigns)
        words = tuple(word for parts in node.words for word in expander.words(parts))
        redirects = tuple(self.redirect(r, expander) for r in node.redirects)
        if node.words and any(not isinstance(part, Text) for part in node.words[0]):
            self.gap("the name of a program is computed")
        if not words:
            for assigned in assignments:
                value = DERIVED_VALUE if assigned.array else assigned.value
                state.assign(assigned.name, value, appends=assigned.appends)
                if assigned.name in state.exported:
                    state.exported[assigned.name] = assigned
        command = Command(words, assignments, redirects)
        self.emit(command, state, frame)

    def emit(self, command: Command, state: State, frame: Frame) -> None:
        """Lists a command, looks into it, and lets it change what is known."""
        command = replace(
            command,
            assignments=frame.assignments + command.assignments,
            redirects=frame.redirects + command.redirects,
            cwd=state.cwd,
            via=frame.via,
            remote=frame.remote,
            elevated=frame.elevated,
            environment=tuple(state.exported.values()),
            pipeline=frame.pipeline,
            position=frame.position,
            fed=_fed(command.redirects, frame.fed),
        )
        index = len(self.commands)
        self.commands.append(command)
        name = command.program
        if name == "coproc":
            self.gap("a coprocess")
            self.emit(Command(command.words[1:]), state, replace(frame, via=(*frame.via, name)))
            return
        if name in frame.defining:
            self.gap("a function calls itself")
        if name in state.functions:
            self.commands[index] = replace(command, transparent=True)
            return
        transparent = self.open(command, state, frame)
        if transparent:
            self.commands[index] = replace(command, transparent=True)
        for why in apply_builtin(command, state):
            self.gap(why)

    def open(self, command: Command, state: State, frame: Frame) -> bool:
        """Looks into a wrapper. Returns whether its whole effect is what was found inside."""
        name = command.program
        opener = LAUNCHERS.get(name) or WRAPPERS.get(name)
        opened = opener(command) if opener else None
        if opened is None:
            if name in SHELLS and _reads_script(command):
                self.gap("a shell reads a script that cannot be seen")
            return False
        if frame.depth > DEPTH_LIMIT:
            self.gap("wrappers are nested too deeply")
            return False
        for inner in opened.inner:
            self.enter(inner, command, state, frame)
        return opened.harmless

    def enter(self, inner: Inner, command: Command, state: State, frame: Frame) -> None:
        name = command.program
        inside = replace(
            frame,
            via=(*frame.via, name),
            redirects=command.redirects,
            assignments=command.assignments + inner.assignments,
            remote=frame.remote or inner.remote,
            elevated=frame.elevated or inner.elevated,
            fed=None if inner.script is not None else command.fed,
            depth=frame.depth + 1,
        )
        # `eval` and `trap` work in this very shell, everything else in a process of its own.
        place = state if name in ("eval", "command", "builtin", "time") else state.copy()
        if inner.remote:
            place.cwd = None
        if inner.moves is not None:
            place.cwd = None if inner.moves.value is None else inner.moves.value
        if inner.script is not None:
            self.script(inner, place, inside)
        else:
            words = tuple(_known_input(word, plain=frame.input_plain) for word in inner.words)
            self.emit(Command(words), place, replace(inside, redirects=command.redirects))

    def script(self, inner: Inner, state: State, frame: Frame) -> None:
        script = inner.script
        if script is None or script.value is None:
            self.gap("a script is put together at run time")
            if script is None or not script.text.replace(HOLE, "").strip():
                return
        for position, word in enumerate(inner.arguments):
            state.variables[str(position)] = word
        # An unknown part becomes a variable nobody has set: it stays unknown in the inner reading.
        self.read(script.text.replace(HOLE, "${__unknown}"), state, frame)


def _doubt(nodes: list[Node], state: State) -> None:
    """These may not have run: what they assign or define is no longer certain."""
    for node in nodes:
        state.forget(assigned_names(node))
        if isinstance(node, Function):
            state.functions.discard(node.name)


def _known_input(word: Word, *, plain: bool) -> Word:
    """A word from standard input is surely no option where the writer's lines surely are none."""
    return replace(word, plain=True) if plain and word.text.startswith(HOLE) else word


def _fed(redirects: tuple[Redirect, ...], before: str | None) -> str | None:
    for redirect in reversed(redirects):
        if redirect.feeds:
            text = redirect.target.value
            return f"{text}\n" if text is not None and redirect.op == "<<<" else text
        if redirect.op in ("<", "<&", "<>") and redirect.fd in ("", "0"):
            return None
    return before


def _reads_script(command: Command) -> bool:
    """A shell without a script file: it runs what comes on its standard input."""
    names = [word for word in command.args if not word.text.startswith("-")]
    if any(word.text in ("--version", "--help") for word in command.args):
        return False
    stdin = any(word.text in ("/dev/stdin", "-", "/dev/fd/0") for word in command.args)
    fed = command.position > 0 or any(r.op in ("<", "<<", "<<<") for r in command.redirects)
    return (not names or stdin) and (fed or stdin)


def _is_number(parts: Parts) -> bool:
    return all(getattr(part, "value", "x").isdigit() for part in parts)


def _numbers_of(node: Loop) -> frozenset[str]:
    """Counters of a C-style loop hold numbers all through it."""
    head = node.condition
    if isinstance(head, Evaluation) and head.kind == "for":
        return changed_names(head.raw)
    return frozenset()
