"""How builtins change what is known further down the script: `cd`, `export`, `read` and kin."""

from collections.abc import Callable, Iterator, Mapping

from automode.shell.assigned import Changes
from automode.shell.evaluated import assigned_words
from automode.shell.parameters import changed_names
from automode.shell.script import HOLE, Assignment, Command, Word
from automode.shell.state import DERIVED_VALUE, UNKNOWN_VALUE, State

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
    return effect(command, state) if effect is not None else iter(())


def _source(command: Command, state: State) -> Iterator[str]:
    state.forget(Changes(moves=True, anything=True))
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
    if unclear or any(word.value is None for word in names):
        state.forget(Changes(anything=True))
    return iter(())


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
