"""Code given on a command line or on standard input, as the commands it amounts to."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from automode.core.workspace import Workspace
from automode.guards.effects import Effects
from automode.guards.guard import bare_name
from automode.guards.javascript_effects import javascript_effects
from automode.guards.python_effects import python_effects
from automode.guards.shell_calls import shell_calls
from automode.guards.windows import windows_script
from automode.shell.script import HOLE, Command, Script, Word

CODE_LIMIT_CHARACTERS = 60_000
KEPT_CODES = 512
LONGEST_KEPT = 1_024  # characters: too few to nest so deeply that it mattered who asks
_JAVASCRIPT = frozenset({"node", "nodejs", "bun", "deno", "tsx", "ts-node"})
_POWERSHELL = frozenset({"powershell", "pwsh"})
_SHELL_CALLERS = frozenset("perl ruby php lua luajit awk gawk mawk nawk osascript".split())
_TERMINALS = frozenset("tmux screen kitty kitten wezterm zellij".split())
_EDITOR_ESCAPES = (":!", "!", ":silent !", ":r !")
_ESCAPES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "ed"), _EDITOR_ESCAPES),
    "sqlite3": (".shell ", ".system "),
    "psql": ("\\! ", "\\!"),
    "mysql": ("\\! ", "system "),
    "gdb": ("shell ", "!"),
}
"""How a line for such a program hands the rest of itself to a shell."""

_PYTHONS = ("python", "pypy")
_WITH_CODE = frozenset(
    {"cmd", "parallel", *_JAVASCRIPT, *_POWERSHELL, *_SHELL_CALLERS, *_TERMINALS, *_ESCAPES}
)
_CODE_OPTIONS = {"python": ("c",), "javascript": ("e", "p")}
_LONG = ("--eval", "--print")


def inside(command: Command, workspace: Workspace) -> Iterator[Script | str]:
    """What the command's inline code would do: scripts, or texts that a shell would read."""
    name = bare_name(command)
    if name in _WITH_CODE or name.startswith(_PYTHONS):
        return _inside(name, command, workspace)
    return iter(())  # nearly all commands


def _inside(name: str, command: Command, workspace: Workspace) -> Iterator[Script | str]:
    if name.startswith(_PYTHONS):
        code = _code(command, "python")
        effects = _of_python(code, workspace.home) if code else None
    elif name in _JAVASCRIPT:
        code = _code(command, "javascript")
        effects = _of_javascript(code, workspace.home) if code else None
    elif name in _POWERSHELL or name == "cmd":
        yield from _windows(command, workspace)
        return
    else:
        yield from _texts(name, command)
        return
    if effects is not None:
        yield from _scripts(effects, command)


# Several layers ask in one walk, and what code does depends on nothing but its text.
_kept_python = lru_cache(maxsize=KEPT_CODES)(python_effects)
_kept_javascript = lru_cache(maxsize=KEPT_CODES)(javascript_effects)


def _of_python(code: str, home: str) -> Effects:
    return (_kept_python if len(code) <= LONGEST_KEPT else python_effects)(code, home)


def _of_javascript(code: str, home: str) -> Effects:
    return (_kept_javascript if len(code) <= LONGEST_KEPT else javascript_effects)(code, home)


def _texts(name: str, command: Command) -> Iterator[str]:
    """Texts for a shell inside the arguments of programs whose language has no parser here."""
    if name == "parallel":
        yield from _parallel(command)
    elif name in _TERMINALS:
        yield from (word.text for word in command.args if " " in word.text.strip())
    elif name in _SHELL_CALLERS:
        for text in (*(word.text for word in command.args), command.fed or ""):
            yield from shell_calls(text)
    elif name in _ESCAPES:
        for text in (*(word.text for word in command.args), *(command.fed or "").split("\n")):
            mark = next((m for m in _ESCAPES[name] if text.lstrip().startswith(m)), None)
            if mark is not None:
                yield text.lstrip().removeprefix(mark)


def code_of_tool(code: str, workspace: Workspace) -> Iterator[Script | str]:
    """What Python code given to a tool would do."""
    outer = Command((Word("python"),), cwd=workspace.cwd)
    yield from _scripts(_of_python(code[:CODE_LIMIT_CHARACTERS], workspace.home), outer)


def _scripts(effects: Effects, outer: Command) -> Iterator[Script | str]:
    yield from effects.texts
    found = tuple(
        replace(
            command,
            cwd=outer.cwd,
            via=(*outer.via, outer.program),
            elevated=outer.elevated,
            pipeline=-1,
        )
        for command in effects.commands
    )
    if found:
        yield Script(found)


def _code(command: Command, language: str) -> str | None:
    args = command.args
    for index, word in enumerate(args):
        text = word.text
        if text in _LONG or _is_code_option(text, _CODE_OPTIONS[language]):
            code = args[index + 1].text if index + 1 < len(args) else ""
            return code if len(code) <= CODE_LIMIT_CHARACTERS else None
        if text == "eval" and language == "javascript" and index == 0 and len(args) > 1:
            return args[1].text
        if not text.startswith("-") or text == "-":
            break
    plain = all(word.text.startswith("-") for word in args)
    if plain and command.fed is not None and len(command.fed) <= CODE_LIMIT_CHARACTERS:
        return command.fed
    return None


def _is_code_option(text: str, letters: tuple[str, ...]) -> bool:
    """`-c`, also at the end of a bundle: `-Bc`."""
    return len(text) > 1 and text[0] == "-" and text[1] != "-" and text[-1] in letters


def _parallel(command: Command) -> Iterator[str]:
    """`parallel CMD ::: ARG…` and `… | parallel CMD`: each argument makes a command line."""
    texts = [word.text for word in command.args]
    end = next((i for i, text in enumerate(texts) if text.startswith(":::")), len(texts))
    start = next((i for i, text in enumerate(texts) if not text.startswith("-")), end)
    given = texts[end + 1 :] or (command.fed or "").split("\n")
    for argument in given[:32]:
        line = " ".join(texts[start:end])
        if argument and HOLE not in line + argument:
            quoted = shlex.quote(argument)
            yield line.replace("{}", quoted) if "{}" in line else f"{line} {quoted}"


def _windows(command: Command, workspace: Workspace) -> Iterator[Script]:
    args = [word.text for word in command.args]
    for index, text in enumerate(args):
        low = text.casefold().replace("//", "/")
        if low in ("/c", "/k", "-c", "-command", "-com"):
            rest = " ".join(args[index + 1 :])
            if rest and HOLE not in rest:
                yield windows_script(rest, workspace)
            return
