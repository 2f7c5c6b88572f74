"""Text that bash evaluates although it is written as text, and the builtins that do so.

`test -v 'a[$(cmd)]'` runs the command: the name's subscript is arithmetic, and arithmetic expands
what is in it. Rows may be generous here: what they name is only ever looked at for danger, and
makes a reading incomplete.
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from automode.core.word_lists import word_sets
from automode.shell.options import Spec, arguments
from automode.shell.script import HOLE, Assignment, Command, Word
from automode.shell.state import DEPTH_LIMIT, DERIVED_VALUE, UNKNOWN_VALUE, Frame, Listing, State
from automode.shell.variables import NO_CHANGES, Changes, changed_names, evaluated_name, plain_name

WORDS = word_sets("automode.shell")

READ = Spec(flags="rse", values="pntdNuia")
MAPFILE = Spec(flags="t", values="dnOsuCc")
WAIT = Spec(flags="fn", values="p")

_MARKS = re.compile(r"\$\(|`|[<>]\(|\(\(|\[")
_RUNS = re.compile(r"\$\(|`|[<>]\(")
_SUBSCRIPT = re.compile(r"[A-Za-z_]\w*\[[^\n]*?(\$\(|`)")
_DECLARING = frozenset("declare typeset local export readonly integer float".split())
_TEXT = WORDS["text-builtins"]

_OTHERS = WORDS["other-builtins"]
_LATER = frozenset({"PROMPT_COMMAND", "precmd_functions"})
BUILTINS = _DECLARING | _TEXT | _OTHERS


def runs_something(text: str) -> bool:
    """Whether evaluating the text may run a command that is written in it."""
    return _RUNS.search(text) is not None


def has_subscript(text: str) -> bool:
    """Whether the text is one that arithmetic runs a command of."""
    return len(text) < 2_000 and _SUBSCRIPT.search(text) is not None


def assigned_words(command: Command) -> tuple[tuple[Word, ...], bool]:
    """The words of `read`, `mapfile`, `getopts` or `wait` that name the variables it fills, and
    whether there may be others."""
    name = command.program
    if name == "getopts":
        return (*command.args[1:2], Word("OPTARG")), False
    spec = {"read": READ, "wait": WAIT}.get(name, MAPFILE)
    given = arguments(command.args, spec)
    if name == "wait":
        named = given.value("-p")
        return ((named,) if named else ()), bool(given.unclear)
    array = given.value("-a")
    usual = (Word("REPLY" if name == "read" else "MAPFILE"),)
    names = (*given.operands, *((array,) if array else ())) or usual
    return names, bool(given.unclear)


def evaluated_texts(command: Command) -> Iterator[str]:
    """Texts of this command that bash may evaluate, where there is something in them to run or to
    count; the literal ones of builtins, and values of variables that are not plain."""
    for assignment in command.assignments:
        yield from _texts_assigned(assignment)
    name = command.words[0].value if command.words else None
    if name in BUILTINS:
        for text in _SOME_WORDS.get(name, _words_of if name in _OTHERS else _none)(command):
            if _MARKS.search(text):
                yield text


def later_scripts(command: Command) -> Iterator[Word]:
    """Scripts that are kept in a variable and run by the shell itself."""
    for assignment in command.assignments:
        if assignment.name in _LATER:
            yield assignment.value
    if command.program in _DECLARING:
        for word in command.args:
            name, equals, value = word.text.partition("=")
            if equals and name in _LATER:
                yield Word(value, word.origin)


def _texts_assigned(assignment: Assignment) -> Iterator[str]:
    text = assignment.value.text
    if not plain_name(assignment.name) and runs_something(text):
        yield text
    if evaluated_name(assignment.name) and "[" in text:
        yield text


def _none(command: Command) -> Iterator[str]:
    return iter(())


def _words_of(command: Command) -> Iterator[str]:
    return (word.text for word in command.args)


def _declared_texts(command: Command) -> Iterator[str]:
    """Names always, values where an attribute or the name itself makes bash evaluate them."""
    options = [word.text for word in command.args if word.text[:1] in ("-", "+")]
    attributes = any(set(text) & set("aAinlugT") for text in options)
    for word in command.args:
        name, _, value = word.text.partition("=")
        if "[" in name:
            yield word.text
        elif attributes or not plain_name(name.removesuffix("+")) or value[:1] == "(":
            yield value


def _tested_names(command: Command) -> Iterator[str]:
    return (two.text for one, two in pairwise(command.args) if one.text in ("-v", "-R", "-t"))


def _printed_names(command: Command) -> Iterator[str]:
    first = command.args[0].text if command.args else ""
    if first.startswith("-v"):
        name = first[2:] or "".join(word.text for word in command.args[1:2])
        yield f"{name}[" if evaluated_name(name) else name


def _filled_names(command: Command) -> Iterator[str]:
    """A variable that the shell evaluates counts as marked, whatever is read into it."""
    for word in assigned_words(command)[0]:
        yield f"{word.text}[" if evaluated_name(word.text) else word.text
    yield from (word.text for word in command.args if runs_something(word.text))


_SOME_WORDS: Mapping[str, Callable[[Command], Iterable[str]]] = {
    **dict.fromkeys(_DECLARING, _declared_texts),
    **dict.fromkeys(("test", "["), _tested_names),
    **dict.fromkeys(("read", "getopts"), _filled_names),
    **dict.fromkeys(("mapfile", "readarray", "wait"), lambda c: (*_filled_names(c), *_words_of(c))),
    "printf": _printed_names,
}


UNKNOWN_PART = "${__unknown}"
"""A variable nobody has set: a part that is not known stays unknown in the inner reading."""

_MARKER = "END_OF_TEXT"


class SecondLook(Listing):
    """The part of the walk that lists what text would run. It proves danger and nothing else."""

    @abstractmethod
    def read(self, text: str, state: State, frame: Frame) -> None:
        """Walks a script given as text."""

    def hazard(self, why: str, text: str, state: State, frame: Frame) -> None:
        """Bash evaluates `text` and the variables it names: whatever the script holds that would
        run a command then is looked into."""
        self.gap(why)
        self.evaluates = True
        for one in (text, *self.held):
            self.again(one, state, frame)

    def again(self, text: str, state: State, frame: Frame) -> None:
        """Lists the commands that run when bash expands `text` a second time."""
        if text in self.looked or not runs_something(text):
            return
        self.looked.add(text)
        if frame.depth > DEPTH_LIMIT:
            self.gap("texts are nested too deeply")
            return
        inside = Frame(via=frame.via, remote=frame.remote, elevated=frame.elevated,
                       depth=frame.depth + 1)  # fmt: skip
        # Between the lines of a here-document quotes are text, but for those inside `${…}`.
        for body in dict.fromkeys((text, text.replace("'", " "))):
            self.spend(scripts=1)
            self.read(_expanding_script(body), state.copy(), inside)

    def look_for_evaluation(self, command: Command, state: State, frame: Frame) -> None:
        """What of a command is evaluated although it is written as text."""
        fed_texts = [redirect.target for redirect in command.redirects if redirect.feeds]
        values = [assignment.value for assignment in command.assignments]
        for word in (*command.args, *values, *fed_texts):
            if has_subscript(word.text):
                self.held.setdefault(word.text)
                if self.evaluates:
                    self.again(word.text, state, frame)
        for text in evaluated_texts(command):
            self.hazard("text is evaluated by the shell a second time", text, state, frame)
        for script in later_scripts(command):
            self.gap("text is kept to be run as a script later")
            self.spend(scripts=1)
            text = script.text.replace(HOLE, UNKNOWN_PART)
            self.read(text, state.copy(), replace(frame, depth=frame.depth + 1))


def _expanding_script(text: str) -> str:
    """A script that expands the text, and runs what is substituted in it."""
    body = text.replace("<(", "$(").replace(">(", "$(").replace(_MARKER, "")
    return f": <<{_MARKER}\n{body.replace(HOLE, UNKNOWN_PART)}\n{_MARKER}\n"


DECLARES = frozenset({"export", "declare", "typeset", "local", "readonly"})
_TRAPPED = frozenset("EXIT INT TERM HUP QUIT 0 1 2 3 15".split())
_SET_LETTERS = frozenset("euxvnfETCh")
_SET_NAMES = frozenset(
    "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace noexec".split()
)
_SHOPT_NAMES = frozenset(
    "globstar nullglob dotglob extglob nocaseglob nocasematch failglob inherit_errexit "
    "globasciiranges globskipdots checkwinsize".split()
)


def apply_builtin(command: Command, state: State) -> Iterator[str]:
    """Changes `state` as the builtin would; yields what can no longer be known."""
    name = command.words[0].value if command.words else None
    effect = _EFFECTS.get(name) if name is not None else None
    if name is None or effect is None:
        return iter(())
    state.outside.relied.add(name)
    return effect(command, state)


_SETS_UP = re.compile(r"(?:^|/)(?:(?:bin|Scripts)/activate|\.nvm/nvm\.sh|\.cargo/env)$")


def sets_up(command: Command) -> bool:
    """Whether it reads in a script that only sets variables and functions of its own, by its name:
    that of an environment of Python, of nvm or of Rust."""
    path = command.args[0].value if command.args else None
    alone = command.program in ("source", ".") and len(command.args) == 1
    return alone and bool(path and _SETS_UP.search(path))


def _source(command: Command, state: State) -> Iterator[str]:
    if not sets_up(command):
        state.forget(Changes(moves=True, anything=True))
    elif command.args[0].text.endswith("activate"):
        state.define("deactivate", NO_CHANGES)
    yield "another script is read into this one"


def _let(command: Command, state: State) -> Iterator[str]:
    for word in command.args:
        for name in changed_names(word.text):
            state.assign(name, DERIVED_VALUE)
    return iter(())


def _shift(command: Command, state: State) -> Iterator[str]:
    state.forget_arguments()
    return iter(())


def _trap(command: Command, state: State) -> Iterator[str]:
    if any(word.text.removeprefix("SIG") not in _TRAPPED for word in command.args[1:]):
        yield "a trap may run after any command"


def _alias(command: Command, state: State) -> Iterator[str]:
    if command.args:
        yield "an alias changes what later words mean"


def _set(command: Command, state: State) -> Iterator[str]:
    """Options that change how the rest is read, and the positional parameters."""
    words = [word.value for word in command.args]
    while words and words[0] is not None and words[0][:1] in ("-", "+") and words[0] != "--":
        letters = set((words.pop(0) or "")[1:])
        if "o" in letters and (words.pop(0) if words else "") not in _SET_NAMES:
            yield "a shell option changes how the rest is read"
        if letters - _SET_LETTERS - {"o"}:
            yield "a shell option changes how the rest is read"
    if None in words[:1]:
        yield "it is not known which shell options are set"
    if words:
        state.forget_arguments()


def _shopt(command: Command, state: State) -> Iterator[str]:
    words = [word.value for word in command.args]
    changes = any(word is None or word[:2] in ("-s", "-u", "-o", "-q") for word in words)
    names = {word for word in words if word is None or not word.startswith("-")}
    if changes and not names <= _SHOPT_NAMES:
        yield "a shell option changes how the rest is read"


def _unset(command: Command, state: State) -> Iterator[str]:
    if any(word.value is None for word in command.args):
        yield "it is not known what is unset"
    for word in command.args:
        state.assign(word.text, UNKNOWN_VALUE)
        state.functions.discard(word.text)


def _change_folder(command: Command, state: State) -> Iterator[str]:
    name = command.program
    targets = [
        word for word in command.args if word.text not in ("-P", "-L", "-e", "-@", "--", "-n")
    ]
    physical = any(word.text == "-P" for word in command.args)  # a link's own `..` from here on
    if name in ("popd", "chdir") or len(targets) > 1 or physical:
        state.move(None)
    elif not targets:
        state.move(state.value("HOME").value if name == "cd" else None)
    else:
        target = targets[0].value
        known = target is not None and not target.startswith(("+", "-"))
        state.move(target if known else None)
    return iter(())


def prints_unknown(command: Command, state: State) -> bool:
    """`declare -p NAME` prints what the variable holds."""
    options = [word.text for word in command.args if word.text[:1] == "-"]
    if command.program not in DECLARES or not any("p" in text for text in options):
        return False
    names = [word.text for word in command.args if word.text[:1] != "-"]
    return any(state.value(name).value is None for name in names)


def _declare(command: Command, state: State) -> Iterator[str]:
    flags = "".join(word.text[1:] for word in command.args if word.text[:1] in ("-", "+"))
    if set(flags) & set("inlucg"):
        yield "a variable is declared to change what is assigned to it"
    for word in command.args:
        variable, _, text = word.text.partition("=")
        variable = variable.removesuffix("+")
        if not variable.isidentifier():
            continue
        if set(flags) & set("aA"):
            state.arrays.add(variable)
        if state.may_be_array(variable) and text[:1] in ("(", HOLE):
            yield "a value that an array is made of is evaluated"
        _declare_one(command.program, flags, word, state)


def _declare_one(builtin: str, flags: str, word: Word, state: State) -> None:
    variable, equals, text = word.text.partition("=")
    appends, variable = variable.endswith("+"), variable.removesuffix("+")
    exports = builtin == "export" or "x" in flags
    if builtin == "local" and not state.in_function:
        state.assign(variable, UNKNOWN_VALUE)
    elif equals:
        state.assign(variable, Word(text, word.origin), appends=appends)
    elif builtin != "readonly" and not exports:
        state.forget_names(variable)  # `local x` hides the `x` outside
    if exports:
        state.exported[variable] = Assignment(variable, state.value(variable))
    if builtin == "readonly" or "r" in flags:
        state.fixed.add(variable)


def _printf(command: Command, state: State) -> Iterator[str]:
    first = command.args[0].text if command.args else ""
    if first.startswith("-v"):
        for name in (first[2:], *(word.text for word in command.args[1:2])):
            if name:
                state.assign(name, DERIVED_VALUE)
                break
    elif HOLE in first:
        state.forget(Changes(anything=True))
    return iter(())


def _read(command: Command, state: State) -> Iterator[str]:
    """`read`, `mapfile`, `getopts` and `wait` fill the variables they name."""
    names, unclear = assigned_words(command)
    for word in names:
        if word.value is not None:
            state.assign(word.value, DERIVED_VALUE)
    if command.program in ("mapfile", "readarray") or _has_letter(command, "a"):
        state.arrays.update(word.text for word in names)
    unnamed = any(word.value is None for word in names)
    if unclear or unnamed:
        state.forget(Changes(anything=True))
    if unnamed:
        yield "it is not known which variable is read"


def _has_letter(command: Command, letter: str) -> bool:
    return any(word.text[:1] == "-" and letter in word.text for word in command.args)


_EFFECTS: Mapping[str, Callable[[Command, State], Iterator[str]]] = {
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _change_folder),
    **dict.fromkeys(DECLARES, _declare),
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts", "wait"), _read),
    **dict.fromkeys(("source", "."), _source),
    "printf": _printf,
    "unset": _unset,
    "let": _let,
    "set": _set,
    "shift": _shift,
    "shopt": _shopt,
    "trap": _trap,
    "alias": _alias,
}
