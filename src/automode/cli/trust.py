"""`automode trust`: lets the project-local settings of a project count, as they are now."""

import hashlib
import json
import os
import sys

import click

from automode.cli.person import refuse_agents
from automode.cli.printing import columns, heading, say, say_json, show_diagnostics, wrapped
from automode.cli.surroundings import Surroundings, settings_options, workspace_at
from automode.cli.trust_project import found_here, keep_found, show_found
from automode.config.diagnostics import Source
from automode.config.disk import content
from automode.config.entries import pattern_fault
from automode.config.keys import ROW_OF
from automode.config.kinds import Rules
from automode.config.part import Part
from automode.config.places import Places
from automode.config.reading import read_part
from automode.config.trust import trust as trust_file
from automode.config.trust import untrust
from automode.core.errors import BadSettings

EXIT_DECLINED = 1

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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@settings_options
@click.pass_obj
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
        _ask(shown=not as_json)
    digests = {file: trust_as_shown(places.trust_file, file, data) for file, data in found.items()}
    if as_json:
        say_json({"trusted": [{"file": file, "sha256": sha} for file, sha in digests.items()]})
        return
    for file, sha in digests.items():
        say(f"trusted: {file} (sha256 {sha[:16]}…)")
    for line in wrapped(_MEANING):
        say(line)


def _trust_project(
    surroundings: Surroundings, folder: str | None, *, revoke: bool, yes: bool, as_json: bool
) -> None:
    found = found_here(folder)
    if not revoke:
        show_found(found, quiet=as_json)
        if not yes:
            _ask(shown=not as_json)
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


def _ask(*, shown: bool) -> None:
    """A yes counts only from somebody who could read what it is about."""
    if not shown or sys.stdin is None or not sys.stdin.isatty():
        raise BadSettings("nobody is there to confirm", "read the file, then pass --yes")
    if not click.confirm("Trust it as it is now?", default=False):
        click.echo("nothing was changed", err=True)
        sys.exit(EXIT_DECLINED)


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
    rows = _said(part)
    columns(rows)
    if not rows:
        say("  nothing")
    show_diagnostics(part.diagnostics)
    say()


def _has_built_in(key: str) -> bool:
    kind = ROW_OF[key].kind
    return isinstance(kind, Rules) and kind.built_in


def _said(part: Part) -> list[tuple[str, str]]:
    rows = [(key, json.dumps(given.value)) for key, given in part.scalars.items()]
    for key, listed in part.lists.items():
        rows += [(key, rule.text) for rule in listed.rules] or [(key, "(empty)")]
        if listed.keeps is False and _has_built_in(key):
            rows.append((key, "(replaces the built-in entries)"))
    return rows
