"""`automode trust --mods`: a person has looked at plug-ins that run inside Claude Code."""

import os

from automode.cli.daemon import placement_of
from automode.cli.install import site_here
from automode.cli.printing import heading, say, say_json, wrapped
from automode.cli.surroundings import Surroundings
from automode.config.trust import trust_folders, untrust
from automode.core.errors import BadSettings
from automode.facts.claude_mods import Mod
from automode.facts.switches import mods_around

_MEANING = (
    "These plug-ins run inside the agent: they can answer in automode's place, and then a call "
    "runs that automode denied or never saw. Trust is bound to the folder and to all its files. "
    "`automode trust --mods --revoke` takes it back."
)


def mods_here(folder: str | None) -> tuple[Mod, ...]:
    """What stands before the gate, also in a folder of plug-ins that is named itself."""
    site, start = site_here(), os.path.abspath(folder or ".")
    named = () if folder is None else (start,)
    return mods_around(start, home=site.home, environment=site.environment, named=named)


def show_mods(found: tuple[Mod, ...], *, quiet: bool) -> None:
    if not found:
        raise BadSettings("nothing to trust: no plug-in here can answer before automode")
    large = [one.path for one in found if not one.digest]
    if large:
        raise BadSettings(f"`{large[0]}` is too large to be looked at, or holds links", "remove it")
    if quiet:
        return
    heading("these plug-ins can answer before automode")
    for one in found:
        say(f"  {one.path} (sha256 {one.digest[:16]}…)")
    for line in wrapped(_MEANING):
        say(line)
    say()


def keep_mods(
    surroundings: Surroundings, found: tuple[Mod, ...], *, revoke: bool, as_json: bool
) -> None:
    book = placement_of(surroundings).places(None).trust_file
    digests = {one.real: one.digest for one in found}
    if revoke:
        digests = {path: sha for path, sha in digests.items() if untrust(book, path)}
    else:
        trust_folders(book, digests)
    if as_json:
        word = "revoked" if revoke else "trusted"
        say_json({word: [{"folder": path, "sha256": sha} for path, sha in digests.items()]})
        return
    for path in digests:
        say(f"{'no longer trusted' if revoke else 'trusted'}: {path}")
