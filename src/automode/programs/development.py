"""What developers run all day in their own project: tests, builds, linters, package scripts.

Such a command runs code, so it never only reads. It is ordinary as long as the code and the
configuration come from the workspace and nobody points it elsewhere.
"""

import re
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from automode.core.paths import absolute, locate, within
from automode.programs.use import Effect, Invocation, Use
from automode.shell.options import may_split
from automode.shell.script import Origin, Word

ORDINARY = "an ordinary step of development, which runs the project's own code"
FOREIGN = "it runs code or configuration that may not be the project's own"


def inside(invocation: Invocation, path: str) -> bool:
    """Whether `path`, as the command sees it, lies in the workspace by name and by link."""
    workspace, cwd = invocation.workspace, invocation.command.cwd
    if cwd is None or path.startswith("~"):
        return False
    place = locate(path, cwd, workspace.files)
    real = workspace.files.resolve(place)
    return real is not None and any(
        within(place, folder) and within(real, workspace.files.resolve(folder) or folder)
        for folder in workspace.folders
    )


def _points_elsewhere(invocation: Invocation, text: str) -> bool:
    """Whether an operand or an option's value names something outside the workspace."""
    value = text.partition("=")[2] if text.startswith("-") and "=" in text else text
    if "://" in value or value.startswith(("git+", "git@", "github:", "file:")):
        return True
    if invocation.name.startswith(("bazel", "buck")) and value.startswith("//"):
        return False  # a label of bazel, counted from the workspace
    looks_outside = value.startswith(("/", "~")) or ".." in value.split("/")
    return looks_outside and not inside(invocation, value)


def _is_option(text: str, options: Collection[str]) -> bool:
    """Whether `text` is one of `options`, with or without a glued value."""
    name = text.partition("=")[0]
    if name in options:
        return True
    # A short option carries its value glued on: `-pplugin`, `-C../other`.
    return text[:1] == "-" and text[1:2] != "-" and text[:2] in options


def ordinary(invocation: Invocation, foreign: Collection[str] = ()) -> bool:
    """Whether the command stays with the project's own code and configuration."""
    command = invocation.command
    if command.elevated or command.cwd is None or not inside(invocation, command.cwd):
        return False
    args = _without_excepted(invocation.args, foreign)
    return all(_harmless(invocation, word, foreign) for word in args)


def _without_excepted(args: Sequence[Word], options: Collection[str]) -> Sequence[Word]:
    """The words without options whose value brings in nothing: `-p=no:*` excepts `-p no:cov`."""
    excepted = [one for one in options if "=" in one]
    if not excepted:
        return args
    found: list[Word] = []
    rest = iter(pairwise((*args, Word(""))))
    for word, following in rest:
        if following.value and any(
            fnmatchcase(f"{word.text}={following.text}", x) for x in excepted
        ):
            next(rest, None)
        else:
            found.append(word)
    return found


def _harmless(invocation: Invocation, word: Word, foreign: Collection[str]) -> bool:
    if may_split(word) or (word.value is None and word.could_be_flag):
        return False
    if word.origin > Origin.GLOB and ("/" in word.text or "=" in word.text):
        return False
    return not _is_option(word.text, foreign) and not _points_elsewhere(invocation, word.text)


def development_use(invocation: Invocation, foreign: Collection[str] = ()) -> Use:
    """Of a command that runs the project's code. `foreign` lists options that bring in code or
    settings from elsewhere."""
    if ordinary(invocation, foreign):
        return Use(Effect.DEVELOPMENT | Effect.RUNS, ORDINARY)
    return Use(Effect.RUNS, FOREIGN)


def script_file(invocation: Invocation) -> Use:
    """Running a script of the workspace is ordinary; any other code is just run."""
    first = invocation.args[0] if invocation.args else None
    blurred = any(may_split(word) for word in invocation.args)
    if first is None or first.value is None or blurred or first.text[:1] == "-":
        return Use(Effect.RUNS, "it runs code")
    if "://" in first.text or not inside(invocation, first.text) or invocation.command.elevated:
        return Use(Effect.RUNS, "it runs a script that is not known to be the project's own")
    return Use(Effect.DEVELOPMENT | Effect.RUNS, ORDINARY)


def project_code(invocation: Invocation, use: Use, why: str) -> Use:
    """A read that turns out to start code of the project: as ordinary as running its tests."""
    if use.effect & ~Effect.REMOTE_READ:
        return use
    return Use(use.effect | development_use(invocation).effect, why)


def install_use(invocation: Invocation, foreign: Collection[str] = ()) -> Use:
    """Fetching what the project already declares is ordinary; naming a new package is not."""
    effect = Effect.RUNS | Effect.WRITES | Effect.NETWORK
    named = any(word.value is None or word.text[:1] != "-" for word in invocation.args)
    if not named and ordinary(invocation, foreign):
        return Use(Effect.DEVELOPMENT | effect, ORDINARY)
    return Use(effect, "it installs packages, which may run their scripts")


SECRET_NAME = re.compile(
    r"secret|credential|token|passw|auth|account|private|key|vault|cookie|login|wallet|tfstate|tfvars"
    r"|client_|[-_]sa\.|htpasswd|\.(pem|p12|pfx|kdbx|jks|env)$|id_",
    re.IGNORECASE,
)
"""What the name of a file may say that holds a credential. Any doubt counts."""


def plain_file(invocation: Invocation, file: str) -> bool:
    """A file of the workspace, no link, that nobody would keep a credential in."""
    files, cwd = invocation.workspace.files, invocation.command.cwd
    folder = None if cwd is None else files.resolve(cwd)
    if folder is None or cwd is None or SECRET_NAME.search(file) or not inside(invocation, file):
        return False
    hidden = any(part.startswith(".") and part not in (".", "..") for part in file.split("/"))
    return not hidden and files.resolve(absolute(file, cwd)) == absolute(file, folder)
