"""Code given on a command line or on standard input, as the commands it amounts to."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from automode.core.paths import normal
from automode.core.workspace import Workspace
from automode.programs.inline_javascript import javascript_effects
from automode.programs.inline_python import Effects, python_effects
from automode.programs.powershell_code import powershell_script
from automode.shell.builtins import UNKNOWN_PART
from automode.shell.script import HOLE, POWERSHELL, Command, Script, Word
from automode.shell.wrappers import wrapper

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
    if command.via[:1] == (POWERSHELL,):
        return _opened(command)
    return iter(())  # nearly all commands


def _inside(name: str, command: Command, workspace: Workspace) -> Iterator[Script | str]:
    if name.startswith(_PYTHONS):
        code = python_code(command)
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


def python_code(command: Command) -> str | None:
    """What an interpreter of Python is given on its command line, or fed."""
    return _code(command, "python") if command.name.startswith(_PYTHONS) else None


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
    """The code behind `-Command`, however abbreviated, and behind `/c`. Windows PowerShell takes
    what follows its options for code as well."""
    args = [word.text for word in command.args]
    powershell = command.name in _POWERSHELL
    read = powershell_danger if powershell else windows_script
    for index, text in enumerate(args):
        low = text.casefold().replace("//", "/")
        low = f"-{low[1:]}" if powershell and low[:1] == "/" else low
        named = len(low) > 1 and ("-command".startswith(low) or low in ("/c", "/k"))
        bare = powershell and low[:1] != "-" and " " in text.strip() and command.name != "pwsh"
        if named or bare:
            rest = " ".join(args[index + 1 if named else index :])
            if rest:
                yield read(rest.replace(HOLE, "$UNKNOWN"), workspace)
            return
    if powershell and command.fed:
        yield read(command.fed, workspace)


def _opened(command: Command) -> Iterator[Script | str]:
    """What PowerShell starts through a program that starts others: `bash -c`, `sudo`, `wsl`."""
    if command.name == "wsl":
        rest = [one for one in command.args if one.text not in ("--", "-e", "--exec")]
        if rest:
            yield Script((replace(command, words=tuple(rest)),))
        return
    opener = wrapper(command.name)
    opened = opener(command) if opener else None
    for inner in opened.inner if opened else ():
        if inner.script is not None:
            yield inner.script.text.replace(HOLE, UNKNOWN_PART)
        elif inner.words:
            yield Script((replace(command, words=inner.words, remote=inner.remote),))


_SCANNED_CHARACTERS = 20_000
_CALLS = frozenset(
    """system exec popen shell_exec passthru proc_open execute spawn capture2 capture3 qx
    backticks""".split()
)
_CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}
_TOKEN = re.compile(
    r"""(?P<text>'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?)
      | (?P<run>`(?:\\.|[^`\\])*`?|q?x(?:\((?:\\.|[^)\\])*\)?|\{(?:\\.|[^}\\])*}?
          |\[(?:\\.|[^]\\])*]?|<(?:\\.|[^>\\])*>?|/(?:\\.|[^/\\])*/?|!(?:\\.|[^!\\])*!?))
      | (?P<name>[^\W\d]\w*)|\S""",
    re.DOTALL | re.VERBOSE,
)


def shell_calls(code: str) -> Iterator[str]:
    """The literal scripts the code hands to a shell."""
    called = False
    for token in _TOKEN.finditer(code[:_SCANNED_CHARACTERS]):
        kind, text = token.lastgroup, token[0]
        if kind == "run" or (kind == "text" and called):
            inside = text.lstrip("qx") if kind == "run" else text
            closing = _CLOSING.get(inside[0], inside[0])
            yield re.sub(r"(?s)\\(.)", r"\1", inside[1:].removesuffix(closing))
        elif kind == "name":
            called = text in _CALLS or (text == "script" and "do shell" in code)
        elif kind is None and text not in "(,":
            called = False


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


def powershell_danger(text: str, workspace: Workspace) -> Script:
    """For what may only deny: what the text looks like to a shell of Windows counts as well."""
    script = powershell_script(text, workspace)
    return replace(script, commands=script.commands + windows_script(text, workspace).commands)


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
    places = {
        "$env:userprofile $home %userprofile% ~ ${home}": workspace.home,
        "$env:systemroot %systemroot% %windir% $env:windir": "/c/windows",
        "$env:systemdrive %systemdrive%": "c:",
    }
    for names, place in places.items():
        for name in names.split():
            if word.casefold().startswith(name):
                return place + word[len(name) :].replace("\\", "/")
    return word


_WINDOWS_TOKEN = re.compile(r"""(?P<word>(?:[^\s"'{}();|&]|"[^"]*"?|'[^']*'?)+)|[;|&\n\r{}()]""")


def _commands(text: str) -> list[list[str]]:
    """Words by blanks, quotes respected; commands by separators. Low trust."""
    found: list[list[str]] = [[]]
    for token in _WINDOWS_TOKEN.finditer(text):
        if token["word"] is None:
            found.append([])
        else:
            found[-1].append(re.sub(r""""([^"]*)"?|'([^']*)'?""", r"\1\2", token[0]))
    return [words for words in found if words]
