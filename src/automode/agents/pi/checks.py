"""What the doctor looks at in Pi alone: automode's package."""

import os

from automode.agents.installing.json_files import settings_in
from automode.agents.pi.install import pi_folder
from automode.doctor.finding import AgentChecks, Case

PACKAGE = "automode"


def has_package(case: Case) -> bool:
    """Whether Pi's own settings name automode's package, and it is there. Pi skips one that it does
    not find."""
    folder = pi_folder(case.site)
    packages = settings_in(os.path.join(folder, "settings.json")).get("packages")
    listed = packages if isinstance(packages, list) else ()
    return any(_is_ours(_package_folder(folder, one)) for one in listed)


def _package_folder(folder: str, entry: object) -> str:
    """Empty for an entry that loads only parts of a package."""
    match entry:
        case str(source):
            pass
        case {"source": str(source), **rest} if "extensions" not in rest:
            pass
        case _:
            return ""
    kind, _, spec = source.partition(":")
    if kind == "npm":
        return os.path.join(folder, "npm", "node_modules", spec[:1] + spec[1:].partition("@")[0])
    if kind in ("git", "https", "ssh"):
        repository = spec.strip("/").partition("@")[0].removesuffix(".git")
        return os.path.join(folder, "git", repository)
    return os.path.join(folder, os.path.expanduser(source))


def _is_ours(folder: str) -> bool:
    return bool(folder) and settings_in(f"{folder}/package.json").get("name") == PACKAGE


CHECKS = AgentChecks(has_package, "package")
