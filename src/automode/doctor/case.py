"""What is looked at: which folders, which agents, and how far the look may go."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from automode.agents.catalog import INSTALLED
from automode.agents.installing.site import Site
from automode.config.load import Loaded
from automode.daemon.placement import Placement

AGENTS = tuple(INSTALLED)


@dataclass(frozen=True, slots=True)
class Case:
    """`site` is the machine as agents see it, `placement` the daemon that hooks should reach."""

    placement: Placement
    loaded: Loaded
    site: Site
    agents: tuple[str, ...] = AGENTS
    parsers: Mapping[str, bool] = field(default_factory=dict)  # each bash parser: can it be used
    starts: bool = True  # may start agents on a model of its own
    online: bool = False  # may ask the classifier's model
    cwd: str = ""  # where agents would be started; empty: the root of the project

    @property
    def start(self) -> str:
        """Agents read the settings of the folder that they start in as well."""
        return self.cwd or self.site.project
