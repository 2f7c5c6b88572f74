"""`automode trust --project`: a person has looked at what a project tells an agent, and at plug-ins
that run inside of one."""

import os

import click

from automode.cli.daemon import placement_of
from automode.cli.install import site_here
from automode.cli.printing import heading, say, say_json, wrapped
from automode.cli.surroundings import Surroundings
from automode.config.trust import trust_folders, untrust
from automode.core.errors import BadSettings
from automode.facts.switch import Switch
from automode.facts.switches import to_look_at

_MEANING = (
    "Nobody knows these to be harmless: they may run programs, change what a call does, or answer "
    "in automode's place, and then a call runs that automode denied or never saw. Trust is bound "
    "to what they say, and to the files of the project that they name. "
    "`automode trust --project --revoke` takes it back."
)


def found_here(folder: str | None) -> tuple[Switch, ...]:
    """What a person has to look at, also in a folder of plug-ins that is named itself."""
    site, start = site_here(), os.path.abspath(folder or ".")
    named = () if folder is None else (start,)
    found = to_look_at(start, home=site.home, environment=site.environment, named=named)
    return tuple({one.real: one for one in found}.values())


def show_found(found: tuple[Switch, ...], *, quiet: bool) -> None:
    if not found:
        raise BadSettings("nothing to trust: all that the project tells agents is harmless")
    beyond, known = [one for one in found if not one.digest], [one for one in found if one.digest]
    if not known:
        raise BadSettings(f"`{beyond[0].path}`: {beyond[0].what}", beyond[0].fix)
    for one in beyond:
        click.echo(f"warning: not trusted: {one.path}: {one.what}\nhint: {one.fix}", err=True)
    if quiet:
        return
    heading("nobody knows these to be harmless")
    for one in known:
        say(f"  {one.path} (sha256 {one.digest[:16]}…)")
        say(f"    {one.what}")
    for line in wrapped(_MEANING):
        say(line)
    say()


def keep_found(
    surroundings: Surroundings, found: tuple[Switch, ...], *, revoke: bool, as_json: bool
) -> None:
    book = placement_of(surroundings).places(None).trust_file
    digests = {one.real: one.digest for one in found if one.digest or revoke}
    if revoke:
        digests = {path: sha for path, sha in digests.items() if untrust(book, path)}
    else:
        trust_folders(book, digests)
    if as_json:
        word = "revoked" if revoke else "trusted"
        say_json({word: [{"path": path, "sha256": sha} for path, sha in digests.items()]})
        return
    for path in digests:
        say(f"{'no longer trusted' if revoke else 'trusted'}: {path}")
