"""Code given on a command line or on standard input, as the commands it amounts to."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from automode.core.paths import normal
from automode.core.workspace import Workspace
from automode.programs.inline_effects import Effects
from automode.programs.inline_javascript import javascript_effects
from automode.programs.inline_python import python_effects
from automode.shell.script import HOLE, Command, Script, Word

CODE_LIMIT_CHARACTERS = 60_000
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
    name = command.name
    if name in _WITH_CODE or name.startswith(_PYTHONS):
        return _inside(name, command, workspace)
    return iter(())  # nearly all commands


def _inside(name: str, command: Command, workspace: Workspace) -> Iterator[Script | str]:
    if name.startswith(_PYTHONS):
        code = _code(command, "python")
        effects = python_effects(code, workspace.home) if code else None
    elif name in _JAVASCRIPT:
        code = _code(command, "javascript")
        effects = javascript_effects(code, workspace.home) if code else None
    elif name in _POWERSHELL or name == "cmd":
        yield from _windows(command, workspace)
        return
    else:
        yield from _texts(name, command)
        return
    if effects is not None:
        yield from _scripts(effects, command)


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
    yield from _scripts(python_effects(code[:CODE_LIMIT_CHARACTERS], workspace.home), outer)


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


_SCANNED_CHARACTERS = 20_000
_CALLS = frozenset(
    """system exec popen shell_exec passthru proc_open execute spawn capture2 capture3 qx
    backticks""".split()
)
_CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


def shell_calls(code: str) -> Iterator[str]:
    """The literal scripts the code hands to a shell."""
    called = False
    for kind, text in _tokens(code[:_SCANNED_CHARACTERS]):
        if kind == "run" or (kind == "text" and called):
            yield text
        if kind == "name":
            called = text in _CALLS or (text == "script" and "do shell" in code)
        elif kind == "sign" and text not in "(, ":
            called = False


def _tokens(code: str) -> Iterator[tuple[str, str]]:
    index = 0
    while index < len(code):
        char = code[index]
        if char in "'\"`":
            text, index = _literal(code, index + 1, char)
            yield ("run" if char == "`" else "text"), text
        elif char.isalpha() or char == "_":
            start = index
            while index < len(code) and (code[index].isalnum() or code[index] == "_"):
                index += 1
            name = code[start:index]
            if name in ("qx", "x") and code[index : index + 1] in ("(", "{", "[", "/", "!", "<"):
                text, index = _literal(code, index + 1, _CLOSING.get(code[index], code[index]))
                yield "run", text
            else:
                yield "name", name
        else:
            index += 1
            if not char.isspace():
                yield "sign", char


def _literal(code: str, index: int, closing: str) -> tuple[str, int]:
    """The text up to the closing sign, escapes undone, and where it ends."""
    found: list[str] = []
    while index < len(code) and code[index] != closing:
        if code[index] == "\\" and index + 1 < len(code):
            index += 1
        found.append(code[index])
        index += 1
    return "".join(found), index + 1


_SEPARATORS = ";|&\n\r"
_REMOVERS = frozenset(
    {"remove-item", "ri", "rd", "rmdir", "del", "erase", "rm", "rni", "clear-item"}
)
_RECURSES = ("-recurse", "-r", "-rec", "/s")


def windows_script(text: str, workspace: Workspace) -> Script:
    """Each command with its words; a recursive removal is listed as `rm -r`, whatever its name."""
    commands: list[Command] = []
    for typed in _commands(text):
        words = tuple(Word(_expand(word, workspace)) for word in typed)
        commands.append(_command(words, workspace))
    return Script(tuple(commands), ("it is not bash",))


def _command(words: tuple[Word, ...], workspace: Workspace) -> Command:
    name = words[0].text.casefold()
    low = [word.text.casefold() for word in words[1:]]
    if name in _REMOVERS and any(text in _RECURSES or text.startswith("-recu") for text in low):
        # `/s` and `-Recurse` are options there, and would be paths or other options here.
        paths = tuple(w for w in words[1:] if not w.text.startswith("-") and not _switch(w.text))
        plain = tuple(Word(normal(w.text.replace("\\", "/")), w.origin) for w in paths)
        return Command((Word("rm"), Word("-r"), *plain), cwd=workspace.cwd)
    return Command(words, cwd=workspace.cwd)


def _switch(text: str) -> bool:
    return len(text) <= 3 and text.startswith("/")


def _expand(word: str, workspace: Workspace) -> str:
    low = word.casefold()
    for name in ("$env:userprofile", "$home", "%userprofile%", "~", "${home}"):
        if low.startswith(name):
            return workspace.home + word[len(name) :].replace("\\", "/")
    for name in ("$env:systemroot", "%systemroot%", "%windir%", "$env:windir"):
        if low.startswith(name):
            return "/c/windows" + word[len(name) :].replace("\\", "/")
    for name in ("$env:systemdrive", "%systemdrive%"):
        if low.startswith(name):
            return "c:" + word[len(name) :]
    return word


def _commands(text: str) -> list[list[str]]:
    """Words by blanks, quotes respected; commands by separators. Low trust."""
    found: list[list[str]] = [[]]
    word, quote, open_word = "", "", False
    for character in f"{text}\n":
        if quote:
            quote, word = ("", word) if character == quote else (quote, word + character)
        elif character in "\"'":
            quote, open_word = character, True
        elif character in _SEPARATORS or character.isspace() or character in "{}()":
            if word or open_word:
                found[-1].append(word)
            word, open_word = "", False
            if character in _SEPARATORS or character in "{}()":
                found.append([])
        else:
            word += character
    if word:
        found[-1].append(word)
    return [words for words in found if words]
