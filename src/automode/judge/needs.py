"""What a command does it to that has to be named: scripts, packages, files that steer, machines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from automode.core.patches import patched_files
from automode.core.paths import absolute, exactly_within
from automode.core.workspace import Workspace
from automode.judge import file_deeds, network, tasks
from automode.judge.converting import converts
from automode.judge.file_deeds import is_product
from automode.judge.mentions import Named
from automode.judge.touching import How, redirected, touched
from automode.programs.call_facts import CommandFacts
from automode.programs.use import Effect
from automode.shell.script import HOLE, Command

STEERS, REACHES = "steers-unnamed", "reaches-unnamed"
# What credentials look like wherever they stand.
SECRET = re.compile(
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_\w{12,}|\bgithub_pat_\w{30,}|\bglpat-[\w-]{20}|"
    r"\bxox[abprs]-[\w-]{10,}|\b(?:sk|rk|pk)[-_](?:live|test|ant|proj)?[-_]?[\w-]{20,}|"
    r"\bAIza[\w-]{35}|\beyJ[\w-]{10,}\.[\w-]{10,}\.|-----BEGIN [A-Z ]*PRIVATE KEY|"
    r"\bnpm_\w{30,}|\bpypi-\w{30,}|\bya29\.[\w-]{20,}|\bSG\.[\w-]{20,}|\bdop_v1_\w{30,}|"
    r"(?i:(?<![a-z])\w{0,40}(?:passw(?:or)?d|secret|token|api_?key|access_?key|private_?key)\w*[\"']?"
    r"\s{0,2}[=:]\s{0,2}[\"']?(?=[^\s\"']*\d)(?=[^\s\"']*[a-z])(?![<$*{\[(]|x{3}|your|example|change|http)"
    r"[^\s\"'<>(){}]{8,})|\b(?i:bearer|basic)\s+(?=[\w.+/=~-]*\d)[\w.+/=~-]{16,}|"
    r"(?i:\b(?:pw|pwd|pass|auth|cred\w*|\w*key)\s?=\s?[\"']?(?=[^\s\"']*\d)(?=[^\s\"']*[a-z])(?![<$*{\[(])"
    r"[^\s\"'<>(){}]{8,})|(?i:key|token|secret|password)\W{0,3}(?:is\W{0,3})?[0-9a-f]{32,}\b|"
    r"(?<![\w/+=-])(?=[\w-]*[A-Z])(?=(?:[^\s\d]*\d+[^\s\d]+){4})[A-Za-z0-9_-]{24,}(?![\w/.-])|"
    r"\w://[^\s/:@]+:(?![<$*{\[])[^\s/@:]{4,}@|"
    r"(?<![\w/+=.-])(?=(?:[^\s\d]{0,12}\d){4})(?=(?:[^\sA-Z]*[A-Z]){6})(?=(?:[^\sa-z]*[a-z]){4})"
    r"[A-Za-z0-9+]{40,}={0,2}(?![\w/.-])|"
    r"(?<![\w/+=-])(?=[\w/+=-]{0,39}\d)(?=[\w/+=-]{0,39}[A-Z])(?=[\w/+=-]{0,39}[a-z])[A-Za-z0-9/+]{40}(?![\w/+=-])"
)
_ONLY_LOOKS = frozenset({"--check", "--stat", "--numstat", "--summary", "--dry-run", "--abort"})
LONGEST_SOUGHT = 20_000


@dataclass(frozen=True, slots=True)
class Need:
    """`deed`: what the call is where the user's words do not name the object."""

    deed: str
    name: str  # of the object
    cwd: str = ""  # where a script is looked for

    def met(self, named: Named, workspace: Workspace) -> bool:
        if self.deed in (tasks.RUNS, tasks.USUAL):
            return self.deed == tasks.USUAL or named.script(self.name)
        if self.deed == tasks.INSTALLS:
            return named.package(self.name)
        if self.deed == REACHES:
            return named.host(self.name)
        inside = any(exactly_within(self.name, one) for one in workspace.folders)
        return named.file(self.name, workspace.home, inside=inside)


def needs_of(known: CommandFacts) -> Iterator[Need]:
    command, effect, workspace = known.command, known.effect, known.workspace
    if command.remote:
        return
    at = command.cwd or workspace.cwd
    if not converts(command, workspace):
        found = tasks.unusual(known)
        yield from (Need(one.deed, one.name, at) for one in found)
    if command.program in PROJECT and Effect.RUNS in effect:
        folders = (at, *_led_to(command, at))
        yield from (Need(tasks.RUNS, one, one) for one in folders if _elsewhere(one, workspace))
    yield from (Need(REACHES, host) for host in network.reached(command, effect))
    yield from _patched(command, at, workspace)
    for touch in (*touched(command), *redirected(command)):
        full = absolute(touch.path, at)
        builds = touch.how is How.BUILDS and file_deeds.steers(full, workspace)
        if touch.path and (builds or touch.how in (How.WRITES, How.EMPTIES)):
            yield from written_needs(full, workspace)


# What they run is whatever lies in the folder.
PROJECT = frozenset(
    "make gmake just task pip pip3 npm pnpm yarn bun npx cargo pytest tox nox jest vitest mocha"
    " mvn mvnw gradle gradlew rake bundle rspec composer phpunit dotnet sbt mix cmake ninja meson"
    " poetry pdm hatch uv turbo nx lerna".split()
)


_LEADS = frozenset(
    "-C -f -p --prefix --cwd --dir --directory --manifest-path --file --project-dir"
    " --project".split()
)


def _led_to(command: Command, at: str) -> Iterator[str]:
    """The projects that options point at."""
    words = [word.text for word in command.args]
    for word, following in pairwise([*words, ""]):
        option, equals, value = word.partition("=")
        if option in _LEADS and (value if equals else following):
            yield absolute(value if equals else following, at)


def _elsewhere(folder: str, workspace: Workspace) -> bool:
    place = file_deeds.where(folder, Command(()), workspace)
    return place in ("scratch", "outside") and HOLE not in folder


def _patched(command: Command, at: str, workspace: Workspace) -> Iterator[Need]:
    """A patch changes whatever files it names."""
    texts = [word.text for word in command.args]
    applies = command.program == "patch" or texts[:1] in (["apply"], ["am"])
    if command.program not in ("git", "patch") or not applies or _ONLY_LOOKS & set(texts):
        return
    if command.fed is not None:
        for path in patched_files(command.fed):
            yield from written_needs(absolute(path, at), workspace)
    else:
        files = [one for one in texts[1:] if one[:1] != "-"]
        files += [one.target.text for one in command.redirects if one.op == "<"]
        yield from (Need(STEERS, absolute(one, at)) for one in files[-1:] or ["?"])


def written_needs(full: str, workspace: Workspace) -> Iterator[Need]:
    """Of a file that is written."""
    outside = file_deeds.where(full, Command(()), workspace) == "outside"
    planned = full.startswith("/dev/") or file_deeds.PLAN.search(full) is not None
    planned = planned or is_product(full, workspace)
    if not planned and HOLE not in full and (outside or file_deeds.steers(full, workspace)):
        yield Need(STEERS, full)


def holds_secret(text: str, named: Named) -> bool:
    """Whether it has a secret that the user did not write."""
    return any(
        found[0].casefold() not in named.said for found in SECRET.finditer(text[:LONGEST_SOUGHT])
    )
