"""Deny and ask patterns against a shell script: each command it would run, however spelled."""

import re
from collections.abc import Iterable, Iterator

from automode.core.call import Shell
from automode.core.workspace import Workspace
from automode.rules.path_match import inside
from automode.rules.pattern import Match, Pattern
from automode.rules.shell_texts import definitely, possibly, script_texts, single_spaced
from automode.shell.script import HOLE, Command, Script, Word

SCRIPT_LIMIT = 1_048_576
"""Characters past which no fast path allows a script."""


def shell_match(
    patterns: Iterable[Pattern], script: Script, raw: str, workspace: Workspace
) -> tuple[Match, Pattern | None]:
    """The surest match of any of the patterns, and which one it is.

    Where the reading has gaps, what stands in them is not known, so every pattern could match."""
    scoped = [pattern for pattern in patterns if pattern.argument is not None]
    texts = tuple(dict.fromkeys(script_texts(script, raw, workspace)))
    for pattern in scoped:
        if any(definitely(pattern.argument or "", text) for text in texts):
            return Match.YES, pattern
    unknown = [text for text in texts if HOLE in text]
    for pattern in scoped:
        if not script.complete or any(possibly(pattern.argument or "", text) for text in unknown):
            return Match.COULD, pattern
    return Match.NO, None


_OBFUSCATED = ("`", "^", "&(", "& (", "& $", ".(", ". (", "iex", "invoke-expression", "frombase64")
_OBFUSCATED_IN = {"powershell": (*_OBFUSCATED, "-enc", " -e "), "cmd": (*_OBFUSCATED, "%", "!")}


def raw_match(patterns: Iterable[Pattern], action: Shell) -> tuple[Match, Pattern | None]:
    """For shells whose language is not read here: the whole text and each of its parts, without
    case. Where a command may be put together while it runs, it could be any."""
    text = action.command.casefold()
    parted = text
    for mark in (";", "|", "&", "\n", "{", "}", "(", ")"):
        parted = parted.replace(mark, "\n")
    parts = (text, *parted.splitlines())
    texts = tuple(dict.fromkeys(single_spaced(part) for part in parts if part.strip()))
    scoped = list(patterns)
    for pattern in scoped:
        if any(definitely((pattern.argument or "").casefold(), one) for one in texts):
            return Match.YES, pattern
    if any(mark in text for mark in _OBFUSCATED_IN.get(action.dialect, _OBFUSCATED)):
        return Match.COULD, scoped[0]
    return Match.NO, None


_WILDCARD = re.compile(r"[*?]")
_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LOCAL = re.compile(r"file:/+", re.IGNORECASE)
_HELPERS = ("ext::", "fd::")  # "addresses" that are programs
_NOWHERE = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")


def spells_escapes(glob: str, command: Command) -> bool:
    """Options that start another program must stand in the pattern itself: `git *` is no
    `git -c core.pager=… log`."""
    spelled = glob.split(" ")
    for words, escapes in (
        (command.args, ESCAPES.get(command.program, ())),
        (_leading(command.args), LEADING_ESCAPES.get(command.program, ())),
    ):
        for word in words:
            option = word.text.partition("=")[0]
            risky = [one for one in escapes if option == one or _glued(option, one)]
            if risky and not any(part.startswith(one) for one in risky for part in spelled):
                return False
    return not any(text not in spelled for text in _under_subcommand(command))


def _under_subcommand(command: Command) -> Iterator[str]:
    """Words that start a program under one sub-command only, alone or among other letters."""
    texts = [word.text for word in command.args]
    for (program, subcommand), letters in SUBCOMMAND_ESCAPES.items():
        if program == command.program and subcommand in texts:
            for text in texts:
                if text[:1] == "-" != text[1:2] and any(letter in text for letter in letters):
                    yield text
    if command.program == "git":
        yield from (text for text in texts if text.startswith(_HELPERS))


def _leading(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Words before the sub-command; `-C` is followed by its value."""
    for at, word in enumerate(words):
        if not word.text.startswith("-") and (at == 0 or words[at - 1].text != "-C"):
            return words[:at]
    return words


def _glued(option: str, escape: str) -> bool:
    """`-ccore.pager=x` is `-c`; `--upload` abbreviates `--upload-pack`."""
    if escape.startswith("--"):
        return len(option) > 3 and escape.startswith(option)
    return len(escape) == 2 and option.startswith(escape)


def spells_paths(glob: str, command: Command, workspace: Workspace) -> bool:
    """Paths that lead away (`..`, absolute, from home) must stand in the pattern, up to a wildcard
    at the end: `rm build/*` is no `rm build/../../x`. An absolute path in the workspace is as good
    as a relative one, unless the pattern itself keeps to a folder."""
    parts = [part for word in glob.split(" ") for part in _parts(word.strip("'\""))]
    heads = [_WILDCARD.split(part, maxsplit=1)[0] for part in parts]
    kept = any("/" in part and _WILDCARD.search(part) for part in parts)
    for word in command.args:
        for part in _parts(word.text):
            if _leads_away(part) and not _spelled(part, heads):
                at_home = part.startswith("/") and ".." not in part.split("/") and not kept
                if not (at_home and inside(part, workspace)):
                    return False
    return True


def _parts(text: str) -> Iterator[str]:
    """The paths a word may hold: itself, `--file=path`, `host:path`, `-Cpath`."""
    if _ADDRESS.match(text):
        return
    yield text
    local = _LOCAL.search(text)
    if local:
        yield "/" + text[local.end() :]
    if "=" in text or ":" in text:
        yield from (part for part in re.split(r"[=:]", text) if not part.startswith("//"))
    if text[:1] == "-" and text[2:3] in ("/", "~", "."):
        yield text[2:]


def _leads_away(part: str) -> bool:
    if part in _NOWHERE:
        return False
    return part.startswith(("/", "~")) or ".." in part.split("/")


def _spelled(part: str, heads: list[str]) -> bool:
    """Whether the pattern has it, at least as far as it leads away."""
    ups = part.split("/").count("..")
    return any(
        _leads_away(head) and part.startswith(head) and head.split("/").count("..") == ups
        for head in heads
    )


CHATTER = frozenset(("DEBUG", "TEST", "VITEST", "PYTEST_TIMEOUT", "PIP_NO_INPUT"))
"""Variables that a person who allows a command need not spell out, whatever their value."""

RUNS_AS_GIVEN = frozenset(
    (
        *("bash", "sh", "zsh", "dash", "env", "command", "builtin", "time", "timeout", "nice"),
        *("nohup", "stdbuf", "ionice", "setsid", "eval"),
    )
)
"""Wrappers that run exactly the words they are given. `xargs` adds some, `ssh` runs elsewhere."""

PLAIN_READERS = frozenset(
    (
        *("cat", "head", "tail", "less", "more", "wc", "grep", "rg", "ls", "stat", "file", "diff"),
        *("cmp", "md5sum", "sha1sum", "sha256sum", "du", "test", "[", "realpath", "readlink"),
        *("basename", "dirname", "nl", "od", "strings", "echo", "printf", "true", "false"),
    )
)
"""Programs that show what they are given and change nothing."""

ESCAPES: dict[str, tuple[str, ...]] = {
    "git": (
        *("--config-env", "--exec-path", "--upload-pack", "--receive-pack", "--ext-diff"),
        *("--exec", "foreach", "filter-branch", "bisect", "config", "difftool", "mergetool"),
        *("--extcmd", "--open-files-in-pager", "--template", "send-email", "instaweb"),
    ),
    "tar": ("-I", "--to-command", "--checkpoint-action", "--use-compress-program", "-F"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-o", "-S", "-F"),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("--compress-program",),
    "go": ("-exec", "-toolexec", "-overlay"),
    "cargo": ("--config",),
    "npm": ("--script-shell", "--node-options", "--prefix"),
    "pytest": ("-p", "-c", "--rootdir", "--override-ini", "-o"),
    "curl": ("-K", "--config"),
    "find": ("-delete", "-fprint", "-fprintf", "-fls", "-fprint0"),
    "hg": ("--config",),
    "man": ("-P", "-H", "--pager", "--html"),
}
"""Words through which a program starts another one, or is set up to."""

LEADING_ESCAPES: dict[str, tuple[str, ...]] = {"git": ("-c",)}
"""The same where only the place before the sub-command counts: `git switch -c` makes a branch."""

SUBCOMMAND_ESCAPES: dict[tuple[str, str], str] = {
    ("git", "rebase"): "x",
    ("git", "difftool"): "x",
    ("git", "grep"): "O",
    ("git", "clone"): "uc",
}
"""Letters of short options that do so under one sub-command: `git cherry-pick -x` does not."""
