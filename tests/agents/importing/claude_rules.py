"""A second, small matcher for Claude Code's permission rules, after its documentation: what the
import is held against. It knows nothing of ours."""

import re
import shlex
from urllib.parse import urlsplit

_OPERATORS = ("&&", "||", ";", "|", "&")
_WRAPPERS = ("timeout", "nice", "nohup", "time")


def commands_in(script: str) -> list[str]:
    """The commands of a script, each as its words with one blank between."""
    words = list(shlex.shlex(script, posix=True, punctuation_chars=True))
    lines: list[list[str]] = [[]]
    for word in words:
        if word in _OPERATORS:
            lines.append([])
        else:
            lines[-1].append(word)
    return [_text(line) for line in lines if line]


def _text(words: list[str]) -> str:
    while words and words[0] in _WRAPPERS:
        words = words[2:] if words[0] == "timeout" else words[1:]
    return " ".join(shlex.quote(word) if " " in word else word for word in words)


def command_fits(specifier: str, command: str) -> bool:
    """`*` is anything; a blank or a colon before one at the end is the end of a word."""
    text = re.sub(r":\*$", " *", specifier)
    starred = text.endswith(" *") and text.count("*") == 1
    glob = text[:-2] if starred else text
    pattern = ".*".join(map(re.escape, glob.split("*"))) + ("( .*)?" if starred else "")
    return re.fullmatch(pattern, command, re.DOTALL) is not None


def path_fits(specifier: str, path: str, *, cwd: str, home: str, root: str) -> bool:
    """As in `.gitignore`: a folder stands for all below it, a bare name for any depth."""
    if specifier.startswith("//"):
        base, glob, anchored = "", specifier[1:], True
    elif specifier.startswith("~/"):
        base, glob, anchored = home, specifier[1:], True
    elif specifier.startswith("/"):
        base, glob, anchored = root, specifier, True
    else:
        glob = specifier.removeprefix("./")
        anchored = specifier.startswith("./") or "/" in glob.rstrip("/")
        base, glob = cwd, f"/{glob}"
    expression = _glob(glob.rstrip("/"))
    prefix = re.escape(base) + ("" if anchored else "(?:/.*)?")
    return re.fullmatch(f"{prefix}{expression}(?:/.*)?", path) is not None


def _glob(glob: str) -> str:
    while "/**/**" in glob:
        glob = glob.replace("/**/**", "/**")
    text = re.escape(glob).replace(r"/\*\*/", "/(?:.*/)?").replace(r"/\*\*", "/.*")
    return text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def host_fits(specifier: str, url: str) -> bool:
    return urlsplit(url).hostname == specifier.removeprefix("domain:")


def tool_fits(rule: str, tool: str) -> bool:
    return tool == rule or tool.startswith(f"{rule}__") or rule == f"{tool.rpartition('__')[0]}__*"
