"""What commands print, where that can be known without running them."""

import base64
import binascii
import re

from automode.shell import quoting
from automode.shell.script import Command

_FORMAT = re.compile(r"%(?:%|-?\d*s|-?\d*d|b)")
_KEEPS_LINES = frozenset("grep egrep fgrep rg head tail sort uniq tac cat shuf".split())
_GIT_NAMES = frozenset(
    "HEAD --short --show-toplevel --abbrev-ref --git-dir --verify --quiet".split()
)
_PLAIN_PRINTERS = frozenset(
    "pwd nproc whoami hostname uname arch wc mktemp which realpath id tty logname getconf".split()
)


def printed(commands: tuple[Command, ...], fed: str | None) -> str | None:
    """The text that a single command writes; None when it is not known."""
    visible = [command for command in commands if not command.transparent]
    if len(visible) != 1 or any(r.writes for r in visible[0].redirects):
        return None
    command = visible[0]
    words = [word.value for word in command.args]
    if any(word is None for word in words):
        return None
    return _output(command, [word for word in words if word is not None], fed)


def _output(command: Command, words: list[str], fed: str | None) -> str | None:
    name, source = command.program, command.fed if command.fed is not None else fed
    if name == "echo":
        return _echo(words)
    if name == "printf" and words:
        return _printf(words[0], words[1:])
    if name == "pwd" and not words:
        return command.cwd
    if name == "cat" and not [word for word in words if word != "-"]:
        return source
    if source is not None and name in ("base64", "base32", "xxd", "rev"):
        return _decoded(name, words, source)
    return None


def _echo(words: list[str]) -> str | None:
    escapes = newline = False
    newline = True
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flag = words.pop(0)
        newline = newline and "n" not in flag
        escapes = "e" in flag
    text: str | None = " ".join(words)
    if escapes and text is not None:
        text = quoting.ansi_c(text)
    if text is None:
        return None
    return text + "\n" if newline else text


def _printf(format_text: str, values: list[str]) -> str | None:
    template = quoting.ansi_c(format_text)
    if template is None or re.search(r"%(?!%|-?\d*[sd]|b)", template):
        return None
    slots = [found for found in _FORMAT.findall(template) if found != "%%"]
    rounds: list[str] = []
    remaining = list(values)
    while True:
        line = _FORMAT.sub(
            lambda found: "%" if found[0] == "%%" else (remaining.pop(0) if remaining else ""),
            template,
        )
        rounds.append(line)
        if not remaining or not slots or len(rounds) > 64:
            return "".join(rounds)


def _decoded(name: str, words: list[str], source: str) -> str | None:
    try:
        if name == "base64" and words in (["-d"], ["-D"], ["--decode"], ["-di"]):
            return base64.b64decode(source).decode()
        if name == "base32" and words in (["-d"], ["--decode"]):
            return base64.b32decode(source.strip()).decode()
        if name == "xxd" and sorted("".join(words).replace("-", "")) == ["p", "r"]:
            return bytes.fromhex("".join(source.split())).decode()
        if name == "rev" and not words:
            return "\n".join(line[::-1] for line in source.split("\n"))
    except (ValueError, binascii.Error):
        return None
    return None


def surely_plain(commands: tuple[Command, ...], *, input_plain: bool) -> bool:
    """Whether no line that these commands print can be taken for an option."""
    visible = [command for command in commands if not command.transparent]
    if not visible:
        return False
    if len({command.pipeline for command in visible}) > 1:
        return False
    return all(
        _prints_plain(command, input_plain=input_plain if index == 0 else True)
        for index, command in enumerate(visible)
    )


def _prints_plain(command: Command, *, input_plain: bool) -> bool:
    name, words = command.program, [word.text for word in command.args]
    if any(word.value is None for word in command.args) and name not in _KEEPS_LINES:
        return False
    if name in _PLAIN_PRINTERS or (name == "command" and words[:1] == ["-v"]):
        return True
    if name == "date":
        return not any(word.startswith("+-") for word in words)
    if name in ("find", "fd", "gfind"):
        return bool(words) and words[0][:1] in (".", "/") and "-printf" not in words
    if name in ("git",):
        return _git_prints_plain(words)
    if command.position > 0 and name in _KEEPS_LINES:
        options = [word for word in words if word.startswith("-")]
        cuts = name in ("grep", "egrep", "fgrep", "rg") and any("o" in word for word in options)
        return input_plain and not cuts
    return False


def _git_prints_plain(words: list[str]) -> bool:
    if words[:1] == ["rev-parse"]:
        return all(not word.startswith("-") or word in _GIT_NAMES for word in words[1:])
    if words[:1] == ["rev-list"] or words[:1] == ["merge-base"]:
        return True
    if words[:2] == ["branch", "--show-current"] or words[:1] == ["describe"]:
        return True
    return words[:1] == ["log"] and any(
        word in ("--format=%H", "--format=%h", "--pretty=%H", "--pretty=%h") for word in words
    )
