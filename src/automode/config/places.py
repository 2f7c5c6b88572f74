"""Where settings may stand, as data."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

MANAGED_FILE = "/etc/automode/config.json"
AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Places:
    """Files and variables, each group in the order in which it counts, weakest first."""

    user: tuple[str, ...]
    local: tuple[str, ...]
    variables: tuple[str, ...]
    managed: tuple[str, ...]
    shared: tuple[str, ...]
    trust_file: str
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        *,
        home: AnyPath,
        environment: Mapping[str, str],
        project: AnyPath | None = None,
        config_folder: AnyPath | None = None,
        managed: AnyPath = MANAGED_FILE,
        pi: bool = True,
    ) -> "Places":
        """The usual places. An installed hook names `config_folder`, so that the variables of an
        agent's environment cannot move it. `pi` adds the names that the Pi host uses."""
        folder = os.fspath(config_folder or _config_folder(os.fspath(home), environment))
        root = None if project is None else os.fspath(project)
        pi_user = os.path.join(os.fspath(home), ".pi", "agent", "automode.json")
        return cls(
            user=(os.path.join(folder, "config.json"), *((pi_user,) if pi else ())),
            local=_inside(root, "config.local.json", "automode.local.json", pi=pi),
            variables=("AUTOMODE_SETTINGS_JSON", *(("PI_AUTOMODE_SETTINGS_JSON",) if pi else ())),
            managed=(os.fspath(managed),),
            shared=_inside(root, "config.json", "automode.json", pi=pi),
            trust_file=os.path.join(folder, "trust.json"),
            environment=environment,
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Every file whose change calls for a reload."""
        return (*self.user, *self.local, *self.managed, *self.shared, self.trust_file)


def _config_folder(home: str, environment: Mapping[str, str]) -> str:
    base = environment.get("XDG_CONFIG_HOME", "")
    # A relative one would mean another folder in every working directory.
    base = base if os.path.isabs(base) else os.path.join(home, ".config")
    return os.path.join(base, "automode")


def _inside(root: str | None, ours: str, pis: str, *, pi: bool) -> tuple[str, ...]:
    if root is None:
        return ()
    own = os.path.join(root, ".automode", ours)
    return (own, os.path.join(root, ".pi", pis)) if pi else (own,)
