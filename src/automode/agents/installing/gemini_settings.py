"""Plans how automode goes into the settings of Gemini CLI and Qwen Code and out of them again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from automode.agents.installing.claude_hooks import is_our_status_line, status_line
from automode.agents.installing.claude_settings import SCREEN, Entries
from automode.agents.installing.hooks_file import HooksFile, plan_hooks, plan_no_hooks, settings_in
from automode.agents.installing.plan import CannotInstall, Plan, Scope, digest
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site

PROPOSED = "proposed"
TIMEOUT_MS = 60_000
"""More than the 55 seconds after which the hook itself says no. Qwen Code takes a number below 1000
for seconds, and its older versions take every number for milliseconds: both read this alike."""
ENDING = " || { echo automode: undecided, so the call must not run >&2; exit 2; }"
"""With nothing on standard error these agents take the exit status 2 for a yes, whoever ended with
it: Python itself does where it cannot open the client."""


@dataclass(frozen=True, slots=True)
class Relative:
    """One of the two, by what they differ in. `moments` are its hooks."""

    agent: str
    moments: Mapping[str, str]
    settings: Callable[[Site, Scope], str]
    off: Callable[[Mapping[str, object]], bool]
    screen: str = ""
    """The object of its settings that may hold a status line; empty: it shows none."""

    def hooks(self, program: Program) -> dict[str, object]:
        """Each event with the one group that is put into its list."""
        return {event: {"hooks": [one]} for event, one in self.handlers(program).items()}

    def handlers(self, program: Program) -> dict[str, dict[str, object]]:
        return {event: self._handler(moment, program) for event, moment in self.moments.items()}

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        """Raises CannotInstall."""
        path = self.settings(site, scope)
        if self.off(settings_in(path)):
            raise CannotInstall(
                f"`{path}` switches hooks off: none in it would run",
                "take that line out if you want to be guarded, then install again",
            )
        file = HooksFile(self.agent, scope, path, comments=True)
        own_line = self._own_status_line(path)
        line = status_line(program) if self.screen and not own_line else None
        entries = Entries(self.hooks(program), line, below=self.screen)
        changes = plan_hooks(file, entries, program, receipts)
        said = "your own status line stays; `automode status-line` prints ours for it"
        return Plan(self.agent, scope, changes, (said,) if own_line else ())

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        """Nothing to change: nothing of ours is there. Raises CannotInstall."""
        file = HooksFile(self.agent, scope, self.settings(site, scope), comments=True)
        return Plan(self.agent, scope, plan_no_hooks(file, receipts))

    def _own_status_line(self, path: str) -> bool:
        match settings_in(path).get(self.screen):
            case {"statusLine": line}:
                return not is_our_status_line(line)
            case _:
                return False

    def _handler(self, moment: str, program: Program) -> dict[str, object]:
        words = program.hook_words(self.agent, moment)
        command = program.signed(words, ENDING if moment == PROPOSED else "")
        return {
            "type": "command",
            "name": _name(command),
            "command": command,
            "timeout": TIMEOUT_MS,
        }


def _name(command: str) -> str:
    """Shown to people, and not to be guessed by a project: it could switch a hook off by it."""
    return f"automode-{digest(command.encode())[:8]}"


def _gemini_off(settings: Mapping[str, object]) -> bool:
    match settings:
        case {"hooksConfig": {"enabled": False}}:
            return True
        case _:
            return False


def _qwen_off(settings: Mapping[str, object]) -> bool:
    return bool(settings.get("disableAllHooks"))


GEMINI_CLI = Relative(
    "gemini-cli",
    {
        "BeforeTool": PROPOSED,
        "AfterTool": "finished",
        "BeforeAgent": "prompt",
        "AfterAgent": "session",
        "SessionStart": "session",
        "SessionEnd": "session",
    },
    Site.gemini_settings,
    _gemini_off,
)
QWEN_CODE = Relative(
    "qwen-code",
    {
        "PreToolUse": PROPOSED,
        "PostToolUse": "finished",
        "PostToolUseFailure": "finished",
        "UserPromptSubmit": "prompt",
        "SessionStart": "session",
        "SessionEnd": "session",
        "SubagentStart": "session",
        "SubagentStop": "session",
        "Stop": "session",
    },
    Site.qwen_settings,
    _qwen_off,
    screen=SCREEN,
)
