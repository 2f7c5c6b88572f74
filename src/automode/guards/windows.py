"""PowerShell and cmd scripts as plain words: enough to see a disaster, never to prove safety."""

from automode.core.paths import normal
from automode.core.workspace import Workspace
from automode.shell.script import Command, Script, Word

_SEPARATORS = ";|&\n\r"
_REMOVERS = frozenset(
    {"remove-item", "ri", "rd", "rmdir", "del", "erase", "rm", "rni", "clear-item"}
)
_RECURSES = ("-recurse", "-r", "-rec", "/s")


def windows_script(text: str, workspace: Workspace) -> Script:
    """Each command with its words; a recursive removal is listed as `rm -r`, whatever its name."""
    commands: list[Command] = []
    for typed in _commands(text):
        words = tuple(Word(_expanded(word, workspace)) for word in typed)
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


def _expanded(word: str, workspace: Workspace) -> str:
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
