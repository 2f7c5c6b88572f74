"""Where the agent works, as data."""

from dataclasses import dataclass, field

from automode.core.files import Files


@dataclass(frozen=True, slots=True)
class Workspace:
    """`root` is the project, `cwd` where the next command starts; both absolute and normal."""

    root: str
    cwd: str
    home: str
    files: Files
    temporary: tuple[str, ...] = ("/tmp", "/var/tmp", "/private/tmp")  # noqa: S108 - names, not uses
    other_home: str = ""  # a second folder that passes for home: `HOME` and the account disagree
    roots: tuple[str, ...] = field(default=())  # further folders the person added to the workspace

    @property
    def folders(self) -> tuple[str, ...]:
        return (self.root, *self.roots)
