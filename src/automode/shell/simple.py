"""Simple commands: expands their words, lists them, looks into wrappers, applies builtins."""

import re
from abc import abstractmethod
from dataclasses import replace

from automode.shell.builtins import (
    BUILTINS,
    DECLARES,
    UNKNOWN_PART,
    SecondLook,
    apply_builtin,
    assigned_words,
    prints_unknown,
    sets_up,
)
from automode.shell.expand import Expander
from automode.shell.output import (
    EVERY,
    lists_names,
    makes_temporary,
    output_of,
    plain_words,
    surely_number,
    zsh_prints_otherwise,
)
from automode.shell.script import HOLE, MADE, PIPED, Assignment, Command, Origin, Redirect, Word
from automode.shell.state import DEPTH_LIMIT, DERIVED_VALUE, UNKNOWN_VALUE, Frame, State
from automode.shell.syntax import Assign, Node, Parts, Pipe, Redir, Simple, Sub, Text
from automode.shell.variables import evaluated_name, harmless_assignment, shells_own
from automode.shell.wrappers import (
    INPUT_WORD,
    INPUT_WORDS,
    SHELLS,
    Inner,
    reads_script,
    takes_words_of_input,
    traces,
    usual_place,
    wrapper,
)

_SAME_SHELL = frozenset({"eval", "command", "builtin", "time", "jobs", "noglob"})
"""Wrappers whose command runs in this very shell; every other one starts a process."""

_NOT_FED = frozenset("xargs gxargs parallel find gfind fd fdfind ssh".split())
"""Programs that keep standard input for themselves, or run their command several times."""

_BASH_ONLY = re.compile(
    r"""\$['"]|\[\[|(?<!\$)\(\(|&>|>&\s*[^\s\d-]|[<>]\(|\|&|<<<|;;?&|=\(|=\S*~|\{[^\s{}]*(,|\.\.)"""
    r"""|\b(function|coproc|time|select|source)\b"""
)
"""What bash and a plain POSIX shell read differently: `[[ 1 > f ]]` writes a file there."""


class SimpleCommands(SecondLook):
    """The half of the walk that deals with simple commands."""

    @abstractmethod
    def run(self, node: Node, state: State, frame: Frame) -> None:
        """Walks any node: words nest scripts."""

    def expander(self, state: State, frame: Frame) -> Expander:
        return Expander(
            state,
            lambda part: self.substitution(part, state, frame),
            self.gap,
            lambda why, raw: self.hazard(why, raw, state, frame),
            self.spend,
            self.note_unknown,
        )

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
            defining=frame.defining,
            depth=frame.depth + 1,
        )
        self.run(part.body, state.copy(), inside)
        if part.kind != "$(":
            return Word(PIPED, Origin.DERIVED, plain=True)
        written = tuple(self.commands[first:])
        if zsh_prints_otherwise(written):
            self.gap("zsh prints another text")
        text, plain = printed(part.body, written, state, 0)
        if text is not None:
            return Word(text.rstrip("\n"))
        if makes_temporary(written) and state.rely(written) and "TMPDIR" not in state.variables:
            return Word(MADE, Origin.DERIVED, plain=True)
        if written and lists_names(written) and state.rely(written):
            return Word(f"./{HOLE}", Origin.DERIVED)
        number = surely_number(written) and state.rely(written)
        return Word(HOLE, Origin.DERIVED, plain=plain == EVERY, number=number)

    def redirect(self, redir: Redir, expander: Expander) -> Redirect:
        literal = redir.op in ("<<", "<<<")
        target = expander.word(redir.target, literal=literal)
        if redir.fd.startswith("{"):
            expander.hazard("a redirect into a new descriptor", redir.fd)
        return Redirect(redir.op, target, redir.fd)

    def assignment(self, assign: Assign, expander: Expander) -> Assignment:
        value = expander.word(assign.value, literal=True, assigned=True)
        if assign.index:
            expander.look_inside(assign.index)
            if not _is_number(assign.index):
                written = "".join(part.value for part in assign.index if isinstance(part, Text))
                expander.hazard("a subscript is evaluated", written)
        array = assign.array or bool(assign.index)
        return Assignment(assign.name, value, assign.appends, array)

    def simple(self, node: Simple, state: State, frame: Frame) -> None:
        expander = self.expander(state, frame)
        words = self.words(node, expander)
        redirects = tuple([self.redirect(r, expander) for r in node.redirects])
        assignments = tuple([self.assign_one(a, expander, keeps=not words) for a in node.assigns])
        if node.words and _is_computed(node.words[0]) and not _is_place(words):
            self.gap("the name of a program is computed", _named(words, state))
        if frame.fed is not None and _substitutes(node):
            frame = frame.without_input()  # what is substituted may have read the input
        self.emit(words, state, frame, assignments=assignments, redirects=redirects)

    def words(self, node: Simple, expander: Expander) -> tuple[Word, ...]:
        first = node.words[0] if node.words else ()
        declares = len(first) == 1 and isinstance(first[0], Text) and first[0].value in DECLARES
        expand = expander.declaration_words if declares else expander.words
        return tuple([word for parts in node.words for word in expand(parts)])

    def assign_one(self, assign: Assign, expander: Expander, *, keeps: bool) -> Assignment:
        """One assignment; `a=1 b=$a` sees its neighbour, and only without a program it stays."""
        done = self.assignment(assign, expander)
        state = expander.state
        if keeps:
            if done.array:
                state.arrays.add(done.name)
                if not harmless_assignment(done.name, None):
                    self.gap(f"`{done.name}` is no plain variable, and becomes an array")
            value = done.value
            if done.array:
                value = UNKNOWN_VALUE if value.origin is Origin.UNKNOWN else DERIVED_VALUE
            state.assign(done.name, value, appends=done.appends and not done.array)
            if done.name in state.exported:
                state.exported[done.name] = done
        return done

    def emit(
        self,
        words: tuple[Word, ...],
        state: State,
        frame: Frame,
        *,
        assignments: tuple[Assignment, ...] = (),
        redirects: tuple[Redirect, ...] = (),
        functions: bool = True,
    ) -> None:
        """Lists a command, looks into it, and lets it change what is known."""
        command = Command(
            words,
            frame.assignments + assignments,
            frame.redirects + redirects,
            state.cwd,
            frame.via,
            remote=frame.remote,
            elevated=frame.elevated,
            environment=tuple(state.exported.values()),
            pipeline=frame.pipeline,
            position=frame.position,
            fed=input_text(redirects, frame.fed),
            elsewhere=state.places,
        )
        index = self.add(command)
        self.look_for_evaluation(command, state, frame)
        self.watch_printing(traces=traces(command), unknown=prints_unknown(command, state))
        name = words[0].value if words else None
        if words and assignments:
            user = _timed(words) if name == "time" else name
            own = user is None or user in BUILTINS or user in state.functions | state.perhaps
            self.lend(user, assignments, own=own)
        if name == "coproc":
            self.gap("a coprocess")
        if name == "exec" and redirects:
            self.gap("`exec` redirects the rest of the script")
        if name in frame.defining:
            self.gap("a function calls itself")
        if functions and name in state.functions:
            self.commands[index] = replace(command, transparent=True)
            state.forget(state.calls)
            return
        if name in state.perhaps:
            state.forget(state.calls)
        if self.open(command, state, frame):
            self.commands[index] = replace(command, transparent=True)
        for why in apply_builtin(command, state):
            if name in DECLARES:
                self.hazard(why, command.text, state, frame)
            self.gap(why, Command(()) if sets_up(command) else None)

    def lend(self, name: str | None, assignments: tuple[Assignment, ...], *, own: bool) -> None:
        """What stands before a builtin or a function holds in this very shell while it runs. What
        is added to a number (`OPTIND+=x ls`) is evaluated whatever runs, in zsh also what a number
        is set to."""
        for given in assignments:
            splits = given.name == "IFS" and name in ("read", "mapfile", "readarray")
            here = own or given.appends or evaluated_name(given.name)
            if here and not splits and not harmless_assignment(given.name, given.value.value):
                why = f"`{given.name}` is no plain variable, and holds in this shell"
                self.gap(why, None if shells_own(given.name) else Command((), (given,)))

    def open(self, command: Command, state: State, frame: Frame) -> bool:
        """Looks into a wrapper. Returns whether its whole effect is what was found inside."""
        name = command.program
        opener = wrapper(name)
        opened = opener(command) if opener else None
        if name == "coproc":
            self.emit(command.words[1:], state.copy(), replace(frame, via=(name,)))
        if opened is None:
            if name in SHELLS and reads_script(command):
                self.gap("a shell reads a script that cannot be seen")
            return False
        if frame.depth > DEPTH_LIMIT:
            self.gap("wrappers are nested too deeply")
            return False
        for inner in opened.inner:
            self.enter(inner, command, state, frame)
        return opened.harmless and usual_place(command.words[0])

    def enter(self, inner: Inner, command: Command, state: State, frame: Frame) -> None:
        name = command.program
        inside = replace(
            frame,
            via=(*frame.via, name),
            redirects=command.redirects,
            assignments=command.assignments + inner.assignments,
            remote=frame.remote or inner.remote,
            elevated=frame.elevated or inner.elevated,
            fed=None if inner.script is not None or name in _NOT_FED else command.fed,
            depth=frame.depth + 1,
        )
        place = self.place(inner, command, state)
        if inner.script is not None:
            self.script(inner, place, inside)
        else:
            plain = frame.input_plain == EVERY and takes_words_of_input(command)
            words = tuple([_known_input(word, plain=plain) for word in inner.words])
            self.emit(words, place, inside, functions=False)
        if name == "time":
            state.merge(place)

    def place(self, inner: Inner, command: Command, state: State) -> State:
        """What is known inside: this shell's variables, or those a process is given."""
        name = command.words[0].value
        if name == "trap":
            return state.later()
        if name in _SAME_SHELL and not inner.remote:
            if command.assignments and name == "eval":
                self.gap("variables that hold for one `eval` only")
            return state.copy() if name == "time" else state
        place = state.process((*command.assignments, *inner.assignments))
        if inner.remote:
            place.cwd, place.elsewhere = None, ()
        if inner.moves is not None:
            place.cwd = _folder_from(inner.moves.value, state.cwd)
            place.elsewhere = tuple(
                replace(one, folder=_folder_from(inner.moves.value, one.folder))
                for one in state.places
            )
        return place

    def script(self, inner: Inner, state: State, frame: Frame) -> None:
        script = inner.script
        if script is None or script.value is None:
            self.gap("a script is put together at run time")
            if script is None or not script.text.replace(HOLE, "").strip():
                return
        if inner.dialect not in ("bash", "rbash") and _BASH_ONLY.search(script.text):
            self.gap("shells other than bash read it differently")
        several = False
        for position, word in enumerate(inner.arguments):
            several = several or word.splits or word.origin is Origin.GLOB
            state.keep(str(position), UNKNOWN_VALUE if several else word)
        self.spend(scripts=1)
        self.read(script.text.replace(HOLE, UNKNOWN_PART), state, frame)


def printed(
    node: Node, written: tuple[Command, ...], state: State, given: int
) -> tuple[str | None, int]:
    """What these commands print, where that is known, and how many words of each line are surely
    no options."""
    text = output_of(written) if isinstance(node, Simple) else None
    stages = node.stages if isinstance(node, Pipe) else (node,)
    if written and all(isinstance(stage, Simple) for stage in stages):
        # What is substituted in its words prints into them.
        own = tuple(one for one in written if one.pipeline == written[-1].pipeline)
        plain = plain_words(own, given)
    else:
        plain = 0
    if (text is not None or plain) and not state.rely(written):
        state.warn("a function may stand for a program whose output is known", None)
        plain = 0
    return text, plain


def keep_plain(command: Command, state: State, frame: Frame) -> None:
    """What `read` has read of plain lines is plain, unless it cut them elsewhere than at blanks."""
    names, unclear = assigned_words(command)
    options = {word.text for word in command.args if word.text[:1] == "-"}
    if command.program != "read" or command.redirects or unclear or not options <= {"-r"}:
        return
    # The last one gets all that is left of a line, and with `IFS=` the first one does.
    first = 0 if command.assignments else min(frame.input_plain, len(names) - 1)
    whole = frame.input_plain == EVERY and all(one.value.value == "" for one in command.assignments)
    for word in names if whole else names[:first]:
        if word.value is not None:
            state.keep(word.value, Word(HOLE, Origin.DERIVED, plain=True))


def input_text(redirects: tuple[Redirect, ...], before: str | None) -> str | None:
    """The text on standard input once these redirects are made."""
    for redirect in reversed(redirects):
        if redirect.fd not in ("", "0") or redirect.op not in ("<", "<&", "<>", "<<", "<<<"):
            continue
        text = redirect.target.value if redirect.feeds else None
        return f"{text}\n" if text is not None and redirect.op == "<<<" else text
    return before


def _folder_from(folder: str | None, base: str | None) -> str | None:
    """The folder a program goes to; `..` stays, because a link before it is followed first."""
    if folder is None or folder.startswith("/"):
        return folder
    return None if base is None else f"{base.rstrip('/')}/{folder}"


def _is_computed(name: Parts) -> bool:
    """Whether a program's name is more than what is written."""
    return any(not isinstance(part, Text) for part in name)


def _named(words: tuple[Word, ...], state: State) -> Command | None:
    """The command, where its program is known all the same, and is neither function nor builtin."""
    name = words[0].value if words else None
    own = name is None or name in BUILTINS or name in state.functions | state.perhaps
    return None if own else Command(words)


def _timed(words: tuple[Word, ...]) -> str | None:
    """What `time` runs; None where that is not known."""
    return next((word.value for word in words[1:] if word.text[:1] != "-"), None)


def _is_place(words: tuple[Word, ...]) -> bool:
    """Whether the program is known, and a path: no keyword, builtin or alias."""
    return words[:1] != () and words[0].value is not None and "/" in words[0].text


def _substitutes(node: Simple) -> bool:
    words = (*node.words, *(assign.value for assign in node.assigns))
    targets = (redirect.target for redirect in node.redirects)
    return any(isinstance(part, Sub) or _nests(part) for w in (*words, *targets) for part in w)


def _nests(part: object) -> bool:
    return bool(getattr(part, "inner", ()))


def _known_input(word: Word, *, plain: bool) -> Word:
    """A word from standard input is surely no option where the writer's lines surely are none."""
    added = word is INPUT_WORD or word is INPUT_WORDS
    return replace(word, plain=True) if plain and added else word


def _is_number(parts: Parts) -> bool:
    return all(isinstance(part, Text) and part.value.isdigit() for part in parts)
