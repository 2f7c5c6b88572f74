"""Which deeds a command of a script is: a table of programs and the words after them."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from automode.core.paths import absolute, exactly_within, within
from automode.core.workspace import Workspace
from automode.judge.code_deeds import INLINE, STEERS, acts
from automode.shell.script import HOLE, Command, Redirect

_VALUED = frozenset(
    "-C -c --git-dir --work-tree --filter -F --prefix -w --workspace --context -n --namespace"
    " --profile --region -f --file --project-directory -p --project-name --cwd --dir --host -H"
    " --repo -R --kubeconfig --package -q --quiet-level".split()
)
# Between the plain words and the options of a command, as the table sees it.
_MARK = " ¦ "
_OPTION = r".* ¦.* "


@dataclass(frozen=True, slots=True)
class Table:
    """`programs`: each with the deeds that its words may be. `always`: what a program is in any
    case. `text`: for scripts that are not read."""

    programs: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]]
    always: Mapping[str, tuple[str, ...]]
    text: tuple[tuple[str, re.Pattern[str]], ...]


@lru_cache(maxsize=1)
def table() -> Table:
    given = tomllib.loads(files("automode.judge").joinpath("shell_deeds.toml").read_text("utf-8"))
    always: dict[str, tuple[str, ...]] = {}
    for deed, names in given["always"].items():
        for name in names.split():
            always[name] = (*always.get(name, ()), deed)
    return Table(
        {name: _rows(one["rows"]) for one in given["table"] for name in one["programs"].split()},
        always,
        _rows(given["text"]["rows"]),
    )


def _rows(text: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """One row per line: the deed, then a pattern for what follows the program."""
    found = (line.split(None, 1) for line in text.replace("{option}", _OPTION).splitlines() if line)
    return tuple((deed, re.compile(pattern)) for deed, pattern in found)


_DELETERS = frozenset("rm rmdir unlink shred srm trash trash-put rimraf del-cli wipe".split())
_WRITERS = frozenset(
    "cp mkdir touch ln tee install truncate rsync tar unzip patch dd ditto".split()
)
_INTERPRETERS = frozenset(
    "python python3 python2 node deno bun ruby perl php lua osascript pwsh powershell Rscript"
    " tsx ts-node py".split()
)
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|out|target|coverage|\.next|\.nuxt|\.turbo|\.cache|cache|"
    r"__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.venv|venv|tmp|temp|\.tmp|"
    r"test-results|playwright-report|obj|\.parcel-cache|htmlcov|\.eggs|[^/]*\.egg-info|"
    r"storybook-static|scratch\w*)(?:/|$)|"
    r"\.(?:log|tmp|pyc|o|out|bak|orig|rej|swp|lock|pid|test|prof|exe)$|\.DS_Store$|(?:^|/)index\.lock$"
)
_LOCAL_HOST = re.compile(
    r"(?:^|//|[@\s'\"=])(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|"
    r"\w[\w-]*\.local(?:host)?)(?=[:/\s'\"?]|$)",
    re.IGNORECASE,
)
_HTTP_CLIENTS = frozenset("curl wget http https xh httpie".split())
_SHELLS = frozenset("sh bash zsh dash ksh fish".split())
_SCRATCH = re.compile(
    r"^(?:/private)?/(?:var/)?tmp(?:/|$)|/var/folders/|/AppData/Local/Temp/|/scratchpad(?:/|$)",
    re.IGNORECASE,
)
_DEVICES = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")


LONGEST_WORD = 80
MOST_WORDS = 60


def line_of(command: Command) -> str:
    """What follows the program: its plain words, a mark, its options. Long words are cut: options
    are short, and a message of a commit must not cost more than its script."""
    plain: list[str] = []
    options: list[str] = []
    skipped = False
    for word in command.args:
        text = word.text[:LONGEST_WORD].replace(HOLE, "?").replace("¦", "?").replace("\n", " ")
        if skipped:
            skipped = False
            options.append(text)
        elif text.startswith("-") and len(text) > 1:
            options.append(text)
            skipped = not plain and text in _VALUED
        else:
            plain.append(text)
    return " ".join(plain[:MOST_WORDS]) + _MARK + " ".join(options[:MOST_WORDS])


def deeds_of(command: Command, workspace: Workspace) -> Iterator[str]:
    """Names in `DEEDS`, the same one perhaps more than once."""
    yield from (
        deed for redirect in command.redirects for deed in _redirected(redirect, command, workspace)
    )
    if command.elevated:
        yield "elevates"
    if not command.words or command.transparent:
        return
    name = command.program.removesuffix(".exe")
    line = line_of(command)
    found = (deed for deed, pattern in table().programs.get(name, ()) if pattern.search(line))
    here = name in _HTTP_CLIENTS and _only_local(line)
    yield from ("sends-here" if here and deed == "sends" else deed for deed in found)
    yield from table().always.get(name, ())
    yield from _about_files(name, command, workspace)
    yield from _about_code(name, command, line)
    if any(STEERS.fullmatch(one.name) for one in command.assignments):
        yield "computes-program"
    yield from _about_network(name, line, command)


def _only_local(line: str) -> bool:
    """Whether every address is one of this machine's own."""
    addresses = re.findall(r"https?://[^\s'\"]{1,80}", line)
    found = _LOCAL_HOST.search(line) is not None
    return found and all(_LOCAL_HOST.match(one.partition(":")[2]) for one in addresses)


def text_deeds(text: str) -> Iterator[str]:
    """For a script in a language that is not read: what its text looks like."""
    yield from (deed for deed, pattern in table().text if pattern.search(text))


def where(path: str, command: Command, workspace: Workspace) -> str:
    """`here`, `scratch`, `generated`, `near` (a project beside it) or `outside`; what cannot be
    known is outside."""
    full = absolute(path, command.cwd or workspace.cwd)
    if HOLE in path and not path.startswith((".", "/")) and path[0] != HOLE:
        return "here"
    if any(exactly_within(full, folder) for folder in workspace.folders):
        inside = full[len(workspace.root) :]
        return "generated" if _GENERATED.search(inside) else "here"
    temporary = any(within(full, folder) for folder in workspace.temporary)
    if temporary or _SCRATCH.search(full):
        return "scratch"
    return "near" if _beside(full, workspace) else "outside"


def _beside(path: str, workspace: Workspace) -> bool:
    """Whether both lie below one folder of the user's own that is not the home itself."""
    home = workspace.home.rstrip("/")
    if not (within(path, home) and within(workspace.root, home)) or home == "":
        return False
    theirs, ours = (one[len(home) + 1 :].split("/") for one in (path, workspace.root))
    return len(ours) > 1 and theirs[0].casefold() == ours[0].casefold() and theirs[0][:1] != "."


def _redirected(redirect: Redirect, command: Command, workspace: Workspace) -> Iterator[str]:
    if not redirect.writes or redirect.target.text in _DEVICES:
        return
    place = where(redirect.target.text, command, workspace) if redirect.target.text else "here"
    yield _WRITTEN[place]


_WRITTEN = {
    "here": "writes-here",
    "generated": "writes-here",
    "scratch": "writes-scratch",
    "near": "writes-near",
    "outside": "writes-outside",
}


def _about_files(name: str, command: Command, workspace: Workspace) -> Iterator[str]:
    paths = [word.text for word in command.args if word.text and not word.text.startswith("-")]
    if name in _DELETERS or (name == "find" and _finds_to_delete(command)):
        yield from _deletions(name, paths or ["."], command, workspace)
    elif name in _WRITERS:
        yield from (_WRITTEN[where(path, command, workspace)] for path in paths[-1:])
        if name == "rsync" and any(re.match(r"[^/]+:", path) for path in paths):
            yield "remote-copy"
    elif name in ("sed", "perl", "ex", "ed") and any(
        re.match(r"-[a-zA-Z]*i|--in-place", word.text) for word in command.args
    ):
        yield from (_WRITTEN[where(path, command, workspace)] for path in paths[1:][-1:])
    elif name == "mv":
        places = {where(path, command, workspace) for path in paths[:-1]}
        yield from (f"deletes-{place}" for place in places if place in ("near", "outside"))


def _finds_to_delete(command: Command) -> bool:
    words = [word.text for word in command.args]
    return "-delete" in words or ("-exec" in words and "rm" in words)


def _deletions(
    name: str, paths: list[str], command: Command, workspace: Workspace
) -> Iterator[str]:
    much = name == "find" or any(
        re.match(r"-[a-zA-Z]*[rR]|--recursive", word.text) for word in command.args
    )
    for path in paths[:1] if name == "find" else paths:
        place = where(path, command, workspace)
        if place in ("scratch", "generated"):
            yield "deletes-scratch"
        elif place in ("outside", "near"):
            yield f"deletes-{place}"
        else:
            yield "deletes-much" if much or set("*?[") & set(path) else "deletes"


def _about_code(name: str, command: Command, line: str) -> Iterator[str]:
    first = command.words[0].text
    if HOLE in first:
        yield "computes-program"
    elif name in ("source", "."):
        yield "runs-own" if command.args and command.args[0].value else "computes-program"
    elif "/" in first:
        if _SCRATCH.search(first):
            yield "runs-scratch"
        elif not first.startswith(("/usr/", "/bin/", "/sbin/", "/opt/homebrew/")):
            yield "runs-own"
    if name in _INTERPRETERS:
        inline = command.fed is not None or INLINE.search(line)
        yield "runs-code" if inline else "runs-own"
        if inline and acts(command.fed or "", *(word.text for word in command.args)):
            yield "code-acts"
    if name in _SHELLS and (command.position or any("<(" in w.text for w in command.args)):
        yield "runs-fetched"
    if command.remote:
        yield "remote-shell"


def _about_network(name: str, line: str, command: Command) -> Iterator[str]:
    if name in _HTTP_CLIENTS:
        yield "sends-here" if _only_local(line) else "fetches"
    elif any(word.text.startswith("/dev/tcp/") for word in command.args):
        yield "listens"
