"""What scenarios need of a real agent, beside what the doctor needs to start it."""

import platform
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from automode.agents.scripted.driver import Driver, ScratchFolders, driver_text, fill, write_all
from automode.agents.scripted.wire import ToolUse

PLATFORM = "{}-{}".format(
    "darwin" if sys.platform == "darwin" else "linux",
    "arm64" if platform.machine() in ("arm64", "aarch64") else "x64",
)


@dataclass(frozen=True, slots=True)
class Screen:
    """What a person sees in the agent's terminal and types there."""

    ready: Sequence[str]  # one of these: it waits for a prompt
    asked: Sequence[str] = ()  # one of these: a dialog is open
    yes: str = "\r"
    no: str = "\x1b"
    session: str = ""  # a yes for the rest of the session; empty: its dialog has none
    why: str = ""  # a no with a reason, which is typed then
    leave: str = "\x03\x03"
    stop: Sequence[str] = ("\x1b",)  # one key after the other: the turn is cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioDriver(Driver):
    """All that an agent's `driver.toml` says."""

    resident: Sequence[str]
    """Further words for a session in a terminal."""
    screen: Screen
    settled: Mapping[str, str]
    """Settings of the user's own, as they may stand there before automode comes."""
    mod_folders: Mapping[str, str] = field(default_factory=dict)
    """Folders from which it loads code of others into its own process, each by a word for it."""
    cannot: Mapping[str, str] = field(default_factory=dict)
    """Scenarios that mean nothing for it, each with the reason, which was measured."""
    tells_why_it_stopped: bool = True
    """Whether a run with nobody there prints why it was halted."""
    stops: bool = True
    """Whether `halt` ends the run. Where it cannot, every further call is denied."""
    goes_on: bool = True
    """Whether a run goes on after a denial."""
    switch: Sequence[str] = ()
    """The file of a project that switches hooks off, as names below its folder; empty where the
    agent knows no such thing."""
    switched_off: str = ""
    """What stands in that file."""
    pinned: str = ""
    """Where `make agents` puts the program; empty: where its package puts the command."""
    on_node: bool = True
    """Whether the pinned program runs on the pinned Node."""

    def mods(self, scratch: ScratchFolders) -> dict[str, str]:
        return {word: scratch.fill(folder) for word, folder in self.mod_folders.items()}

    def settle_in(self, scratch: ScratchFolders) -> None:
        write_all(self.settled, scratch)

    def read(self, path: str) -> ToolUse:
        return self.use("read", path=path)

    def write(self, path: str, content: str) -> ToolUse:
        added = "".join(f"+{line}\n" for line in content.splitlines())
        return self.use("write", path=path, content=content, added=added)

    def delegate(self, task: str) -> ToolUse:
        return self.use("delegate", task=task)

    def delegate_and_wait(self, task: str) -> ToolUse:
        """For an agent whose sub-agents run in the background where nothing is said."""
        waits = "delegate-and-wait"
        return self.use(waits if waits in self.tools else "delegate", task=task)

    def report(self, text: str) -> ToolUse | None:
        """How a sub-agent hands its result over, where it must call a tool for that."""
        return self.use("report", result=text) if "report" in self.tools else None


def scenario_driver(agent: str, program: str, node: str = "") -> ScenarioDriver:
    """Raises NoProgram for an agent that nobody has ever started."""
    told = tomllib.loads(driver_text(agent))
    told["pinned"] = fill(told.get("pinned", ""), platform=PLATFORM)
    screen = Screen(**told.pop("screen"))
    return ScenarioDriver(name=agent, program=program, node=node, screen=screen, **told)
