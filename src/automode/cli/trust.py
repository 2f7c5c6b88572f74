"""`automode trust`: a person has read project-local settings, or plug-ins inside Claude Code."""

import hashlib
import json
import os

import click

from automode.cli.daemon import placement_of
from automode.cli.install import site_here
from automode.cli.options import usual_options
from automode.cli.person import refuse_agents
from automode.cli.printing import (
    columns,
    confirm,
    heading,
    paragraph,
    say,
    say_json,
    show_diagnostics,
)
from automode.cli.surroundings import Surroundings, workspace_at
from automode.config.diagnostics import Source
from automode.config.disk import content
from automode.config.entries import pattern_fault
from automode.config.keys import ROW_OF
from automode.config.kinds import Rules
from automode.config.part import Part
from automode.config.places import Places
from automode.config.reading import read_part
from automode.config.trust import trust as trust_file
from automode.config.trust import trust_folders, untrust
from automode.core.errors import BadSettings
from automode.facts.switch import Switch
from automode.facts.switches import to_look_at

_PROJECT_MEANING = (
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
    paragraph(_PROJECT_MEANING)
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


_QUESTION = "Trust it as it is now?"
_READ_FIRST = "read the file, then pass --yes"

_MEANING = (
    "Trust is bound to this path and to this very content. When the file changes it is ignored "
    "again, until you have read it and run `automode trust` once more. "
    "`automode trust --revoke` takes the trust back."
)


@click.command()
@click.argument("folder", metavar="[DIR]", type=click.Path(file_okay=False), required=False)
@click.option("--revoke", is_flag=True, help="Take the trust back.")
@click.option(
    "--project",
    "--mods",
    "project",
    is_flag=True,
    help="What the project tells agents, and plug-ins inside of them.",
)
@click.option("--yes", is_flag=True, help="Do not ask; needed when nobody is at a terminal.")
@usual_options
def trust(
    surroundings: Surroundings,
    folder: str | None,
    *,
    revoke: bool,
    project: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Trust the project-local settings of the project at DIR (default: here), as they are now.

    The file `.automode/config.local.json` can allow calls, so it counts only after you have read
    it. With --project it is what the project's files tell agents and nobody knows to be harmless
    (hooks, variables, plug-ins, extensions), and plug-ins that run inside Claude Code: those of
    your account, and in DIR itself. This command is for people: what an agent started is refused.
    """
    if surroundings.isolated:
        raise BadSettings("trust is kept in a file, and --isolated ignores files", "leave it out")
    # Also to take it back: what is trusted may deny calls as well.
    refuse_agents(surroundings.known_state())
    if project:
        _trust_project(surroundings, folder, revoke=revoke, yes=yes, as_json=as_json)
        return
    places = surroundings.places(workspace_at(folder).root)
    if revoke:
        _revoke(places, as_json=as_json)
        return
    found = {file: data for file in places.local if (data := content(file)) is not None}
    if not found:
        raise BadSettings(
            f"nothing to trust: `{places.local[0]}` does not exist",
            "project-local settings stand in `.automode/config.local.json`",
        )
    for file, data in found.items():
        _show(file, data, as_json=as_json)
    if not yes:
        confirm(_QUESTION, shown=not as_json, hint=_READ_FIRST)
    digests = {file: trust_as_shown(places.trust_file, file, data) for file, data in found.items()}
    if as_json:
        say_json({"trusted": [{"file": file, "sha256": sha} for file, sha in digests.items()]})
        return
    for file, sha in digests.items():
        say(f"trusted: {file} (sha256 {sha[:16]}…)")
    paragraph(_MEANING)


def _trust_project(
    surroundings: Surroundings, folder: str | None, *, revoke: bool, yes: bool, as_json: bool
) -> None:
    found = found_here(folder)
    if not revoke:
        show_found(found, quiet=as_json)
        if not yes:
            confirm(_QUESTION, shown=not as_json, hint=_READ_FIRST)
        if found_here(folder) != found:
            raise BadSettings("they changed while you were reading", "run the command again")
    keep_found(surroundings, found, revoke=revoke, as_json=as_json)


def trust_as_shown(book: str, file: str, shown: bytes) -> str:
    """Trusts what was shown: a file that changed in between is not what the person read."""
    digest = trust_file(book, file)
    if digest != hashlib.sha256(shown).hexdigest():
        untrust(book, file)
        raise BadSettings(f"`{file}` changed while you were reading it", "run the command again")
    return digest


def _revoke(places: Places, *, as_json: bool) -> None:
    changed = [file for file in places.local if untrust(places.trust_file, file)]
    if as_json:
        say_json({"revoked": changed})
        return
    for file in changed:
        say(f"no longer trusted: {file}")
    if not changed:
        say("nothing was trusted here")


def _show(file: str, data: bytes, *, as_json: bool) -> None:
    if as_json:
        return
    part = read_part(Source.LOCAL, file, data, pattern_fault)
    heading(f"{os.path.relpath(file)} says")
    rows = _rows(part)
    columns(rows)
    if not rows:
        say("  nothing")
    show_diagnostics(part.diagnostics)
    say()


def _has_built_in(key: str) -> bool:
    kind = ROW_OF[key].kind
    return isinstance(kind, Rules) and kind.built_in


def _rows(part: Part) -> list[tuple[str, str]]:
    rows = [(key, json.dumps(given.value)) for key, given in part.scalars.items()]
    for key, listed in part.lists.items():
        rows += [(key, rule.text) for rule in listed.rules] or [(key, "(empty)")]
        if listed.keeps is False and _has_built_in(key):
            rows.append((key, "(replaces the built-in entries)"))
    return rows
