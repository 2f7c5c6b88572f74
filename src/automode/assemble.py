"""The composition root: reading this from top to bottom is reading the architecture."""

from collections.abc import Iterable, Sequence

from automode.config.load import Loaded, load
from automode.config.places import Places
from automode.config.settings import Builtins, Settings
from automode.config.settings import Rule as Entry
from automode.core.decision import Verdict
from automode.core.errors import BadPattern
from automode.core.layer import Layer
from automode.facts.reader import ShellReader
from automode.gate.gate import Gate
from automode.guards.floor import Floor
from automode.guards.malformed import Malformed
from automode.guards.protected import PROTECTED_PATHS, Protected
from automode.guards.read_only import ReadOnly
from automode.guards.workspace_edits import WorkspaceEdits
from automode.policy.defaults import Section, texts
from automode.programs.catalog import PROGRAMS
from automode.rules.layer import Rules
from automode.rules.pattern import Rule, parse
from automode.shell.reader import Reader


def build_gate(
    settings: Settings, *, judges: Sequence[Layer] = (), reader: Reader | None = None
) -> Gate:
    """Walls before doors: what can only tighten stands before anything that can allow."""
    reader = reader or ShellReader()
    protected = Protected.of(entry.text for entry in settings.protected_paths)
    return Gate(
        standing=[
            Rules(Verdict.DENY, _rules(settings.managed_deny), reader),
        ],
        walls=[
            Rules(Verdict.DENY, _rules(settings.permissions.deny), reader),
            Rules(Verdict.ASK, _rules(settings.permissions.ask), reader),
            Malformed(tuple(str(fault) for fault in settings.closing)),
            Floor(reader),
        ],
        doors=[
            Rules(
                Verdict.ALLOW,
                _rules(settings.permissions.allow),
                reader,
                protected=protected.matches,
                classify_all_shell=settings.classify_all_shell,
            ),
            ReadOnly(
                reader,
                PROGRAMS,
                remote_reads=settings.remote_reads,
                classify_tools=settings.classify_read_only_tools,
            ),
            *([WorkspaceEdits(protected)] if settings.workspace_edits else []),
        ],
        judges=judges,
    )


def builtins() -> Builtins:
    """What `$defaults` stands for in each list."""
    return Builtins(
        environment=texts(Section.ENVIRONMENT),
        allow=texts(Section.ALLOW),
        soft_deny=texts(Section.SOFT_DENY),
        hard_deny=texts(Section.HARD_DENY),
        protected_paths=PROTECTED_PATHS,
    )


def load_settings(places: Places) -> Loaded:
    return load(places, builtins(), pattern_fault)


def pattern_fault(text: str) -> str | None:
    """What is wrong with a permission pattern; None when it can be read."""
    try:
        parse(Rule(text))
    except BadPattern as fault:
        return str(fault)
    return None


def _rules(entries: Iterable[Entry]) -> list[Rule]:
    return [Rule(entry.text, _origin(entry)) for entry in entries]


def _origin(entry: Entry) -> str:
    place = entry.file or entry.source.value
    return f"{place}:{entry.line}" if entry.line else place
