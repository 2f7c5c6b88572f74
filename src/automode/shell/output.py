"""What commands print, where that can be known without running them."""

import base64
import binascii
import re

from automode.shell.script import Command, Redirect

_SLOT = re.compile(r"%(%|s|d|b)?")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)")
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}
"""The escapes that `echo -e`, `printf` and `%b` of every shell agree on."""

TEXT_LIMIT = 65_536
_OTHER_ECHOES = frozenset("sh dash ash zsh ksh mksh csh tcsh fish busybox".split())
"""Shells whose `echo` takes options and backslashes differently."""

_KEEPS_LINES = frozenset("grep egrep fgrep rg head tail sort uniq tac cat shuf".split())
_GIT_NAMES = frozenset("--short --abbrev-ref --verify --quiet".split())
_PLAIN_PRINTERS = frozenset("nproc whoami arch tty logname".split())


def printed(commands: tuple[Command, ...]) -> str | None:
    """The text that a single command writes; None when it is not known. Anything but one plain
    command may run more often, less often or not at all."""
    if len(commands) != 1 or commands[0].transparent or not commands[0].words:
        return None
    command = commands[0]
    words = [word.value for word in command.args]
    if any(word is None for word in words) or not all(_leaves_output(r) for r in command.redirects):
        return None
    text = _output(command, [word for word in words if word is not None])
    return None if text is None or len(text) > TEXT_LIMIT else text


def _leaves_output(redirect: Redirect) -> bool:
    return redirect.feeds or redirect.fd == "2" or redirect.op in ("<", "<&")


def _output(command: Command, words: list[str]) -> str | None:
    name, source = command.words[0].value, command.fed
    if name == "echo":
        foreign = any(shell in _OTHER_ECHOES for shell in command.via)
        return _echo(words, foreign=foreign)
    if name == "printf" and words and not words[0].startswith("-"):
        return _printf(words[0], words[1:])
    if name == "pwd" and not words and command.cwd is not None:
        return f"{command.cwd}\n"
    if name == "cat" and words in ([], ["-"]):
        return source
    if name is not None and source is not None:
        return _decoded(name, words, source)
    return None


def _echo(words: list[str], *, foreign: bool) -> str | None:
    escapes, newline = False, True
    if foreign and ((words[:1] and words[0].startswith("-")) or any("\\" in w for w in words)):
        return None
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flag, words = words[0], words[1:]
        newline = newline and "n" not in flag
        escapes = "e" in flag or (escapes and "E" not in flag)
    text: str | None = " ".join(words)
    if text is not None and "\\" in text:
        text = _unescaped(text) if escapes else text
    if text is None:
        return None
    return text + "\n" if newline else text


def _unescaped(text: str) -> str | None:
    if any(found not in _PLAIN_ESCAPES for found in _ESCAPE.findall(text)):
        return None
    return _ESCAPE.sub(lambda found: _PLAIN_ESCAPES[found[1]], text)


def _printf(format_text: str, values: list[str]) -> str | None:
    template = _unescaped(format_text)
    if template is None:
        return None
    slots = [found for found in _SLOT.findall(template) if found != "%"]
    if "" in slots or (values and not slots):
        return None
    rounds = max(1, -(-len(values) // len(slots))) if slots else 1
    filled = [*values, *[""] * (rounds * len(slots) - len(values))]
    texts = [_slot(kind, value) for kind, value in zip(slots * rounds, filled, strict=True)]
    if rounds * len(template) > TEXT_LIMIT or any(text is None for text in texts):
        return None
    pieces = iter(text for text in texts if text is not None)
    return _SLOT.sub(lambda slot: "%" if slot[1] == "%" else next(pieces), template * rounds)


def _slot(kind: str, value: str) -> str | None:
    if kind == "d":
        return value if _DECIMAL.fullmatch(value) else ("0" if value == "" else None)
    return _unescaped(value) if kind == "b" else value


def _decoded(name: str, words: list[str], source: str) -> str | None:
    try:
        if name == "base64" and words in (["-d"], ["-D"], ["--decode"], ["-di"]):
            return base64.b64decode("".join(source.split("\n")), validate=True).decode()
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
    """Whether no word that these commands print can be taken for an option. Names of files can:
    split at its blanks, `./a -delete` becomes two words."""
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
    if name in _PLAIN_PRINTERS and not words:
        return True
    if name == "wc":
        return command.position > 0 and all(word.startswith("-") for word in words)
    if name == "date":
        return not any("-" in word.split("%")[0] or " -" in word for word in words)
    if name == "git":
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
