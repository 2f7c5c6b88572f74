"""`automode import`: the permission rules of an agent, translated into ours."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import click

from automode.agents.importing.agent_rules import (
    ALLOW,
    BUILT_IN,
    PROSE,
    AgentRule,
    Fit,
    hold_back,
    importable,
    left_out,
    permissions_of,
    rules_in,
)
from automode.agents.installing.site import Site, agent_named
from automode.cli.daemon import refuse_agents
from automode.cli.options import Surroundings, json_option, settings_options
from automode.cli.printing import (
    attributes,
    confirm,
    count_text,
    heading,
    one_line,
    paragraph,
    say,
    say_json,
    wants_json,
)
from automode.cli.setup.install import site_here
from automode.config.json_edit import add_lists, with_lists
from automode.config.places import content
from automode.core.errors import BadPattern, BadSettings
from automode.rules.pattern import Pattern, Rule, parse
from automode.rules.shell_allow import broad

ASIDE = "set aside"
FRESH = dict.fromkeys(PROSE.values(), (BUILT_IN,))
_ONLY_TIGHTENS = "what a project brings along may tighten and never loosen"
_LONGEST_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Row:
    """A rule of theirs and what becomes of it: `ours` are the entries that count."""

    theirs: AgentRule
    state: str  # how ours stands to theirs, or that there is none
    ours: tuple[str, ...] = ()
    note: str = ""


def rows_for(found: Sequence[AgentRule], *, tightens: bool) -> list[Row]:
    readable = hold_back([_readable(one) for one in found])
    return [_row(one, tightens=tightens) for one in readable]


def _readable(one: AgentRule) -> AgentRule:
    """A rule whose entries are no patterns of ours cannot be said."""
    try:
        _patterns(one)
    except BadPattern as error:
        return replace(one, entries=left_out(str(error)))
    return one


def _patterns(one: AgentRule) -> list[Pattern]:
    return [] if one.key in FRESH else [parse(Rule(text)) for text in one.entries.ours]


def _row(one: AgentRule, *, tightens: bool) -> Row:
    entries = left_out(_ONLY_TIGHTENS) if tightens and one.key == ALLOW else one.entries
    if not entries.ours or one.key in FRESH:
        return Row(one, entries.fit.value, entries.ours, entries.note)
    allowed = _patterns(one) if one.key == ALLOW else []
    why = next((text for text in map(broad, allowed) if text), None)
    if why is not None:
        return Row(one, ASIDE, (), f"{why}; automode never applies such a rule")
    return Row(one, entries.fit.value, entries.ours, entries.note or _covers(entries.ours[0]))


def _covers(ours: str) -> str:
    tool, _, rest = ours.partition("(")
    glob = rest.removesuffix(")").replace(":*", " *")
    if not glob:
        return f"every call of `{tool}`"
    if tool == "bash":
        whole, starred = glob.removesuffix(" *"), glob.endswith(" *")
        if starred and "*" not in whole:
            return f"`{whole}`, whatever follows it"
    return "exactly that" if "*" not in glob else "whatever stands for `*`"


def entries_of(rows: Sequence[Row]) -> dict[str, list[str]]:
    """By our lists, each once."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for text in row.ours:
            listed = found.setdefault(row.theirs.key, [])
            listed += [] if text in listed else [text]
    return found


def changes(file: str, entries: Mapping[str, Sequence[str]]) -> bool:
    """Whether `file` lacks any of them. BadSettings where it cannot be read."""
    try:
        before = content(os.path.realpath(file))
        return bool(entries) and with_lists(before, entries, FRESH).encode() != before
    except BadSettings as error:
        raise BadSettings(f"`{file}` was not changed: {error}", error.hint) from error


@click.command("import", epilog=f"Agents: {', '.join(importable())}.")
@click.argument("agent", metavar="AGENT")
@click.option(
    "--project", is_flag=True, help="The project's own rules: deny and ask, into its shared file."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; needed when nobody is there.")
@json_option
@settings_options
@click.pass_obj
def import_rules(
    surroundings: Surroundings, agent: str, *, project: bool, dry_run: bool, yes: bool
) -> None:
    """Take over the permission rules of AGENT into your own settings.

    Prints what each rule becomes and what it covers. No allow rule covers more than theirs, no
    deny or ask rule stops less; what cannot be said so is named and left out. The agent's files
    stay as they are. This command is for people: an agent that calls it is denied.
    """
    name, site = agent_named(agent), site_here()
    file = target(surroundings, site, project=project)
    refuse_agents(surroundings.known_state())
    rows, files = found_rules(name, site, project=project)
    entries = entries_of(rows)
    lacks = changes(file, entries)
    if not wants_json():
        show(rows, files, file, name)
    if lacks and not dry_run:
        if not yes:
            confirm("Write it like this?", _LOOK)
        add_lists(file, entries, FRESH)
    if wants_json():
        listed = [_data(row) for row in rows]
        written = lacks and not dry_run
        say_json({"agent": name, "read": files, "file": file, "rules": listed, "written": written})
    elif not lacks and entries:
        say(f"nothing to write: {short(file)} holds all of it already")
    elif lacks and not dry_run:
        say(f"written: {short(file)}; see it with `automode config`")


_LOOK = "look at it with --dry-run, then pass --yes"


def target(surroundings: Surroundings, site: Site, *, project: bool) -> str:
    """The file to write to. What a project brings along goes into the file that it shares, which
    cannot allow anything."""
    places = surroundings.places(site.project)
    if not places.user:
        raise BadSettings("--isolated ignores every settings file", "leave it out")
    return places.shared[0] if project else places.user[0]


def found_rules(agent: str, site: Site, *, project: bool) -> tuple[list[Row], list[str]]:
    """What an agent's files say, and which were there. Raises BadSettings."""
    permissions = permissions_of(agent)
    found, files = rules_in((permissions.project if project else permissions.user)(site))
    return rows_for(found, tightens=project), files


def short(path: str) -> str:
    """A path as people write it."""
    home = site_here().home
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path


def show(rows: Sequence[Row], files: Sequence[str], target_file: str, agent: str) -> None:
    if not rows:
        read = f": {', '.join(map(short, files))}" if files else "; none of its files is there"
        already = permissions_of(agent).already
        more = f" ({already})" if already else ""
        paragraph(f"no permission rules of {agent} were found{read}{more}")
        return
    read = ", ".join(map(short, files))
    paragraph(f"From {read}, for every agent, into {short(target_file)}:")
    for key in dict.fromkeys(row.theirs.key for row in rows):
        say()
        heading(key)
        for row in (one for one in rows if one.theirs.key == key):
            ours = ", ".join(row.ours) or row.state
            theirs = one_line(row.theirs.text, _LONGEST_SHOWN)
            say(f"  {theirs}  →  {one_line(ours, 4 * _LONGEST_SHOWN)}")
            differs = row.ours and row.state != Fit.SAME.value and key not in FRESH
            note = f"{row.state}: {row.note}" if differs else row.note
            paragraph(f"{note}  [{os.path.basename(row.theirs.place)}]", "      ")
    say()
    aside = sum(row.state == ASIDE for row in rows)
    left = sum(not row.ours for row in rows) - aside
    taken = len(rows) - aside - left
    paragraph(
        f"{count_text(len(rows), 'rule')}: {taken} can be imported, {aside} set aside, "
        f"{left} not imported. The agent's own rules stay as they are."
    )


def _data(row: Row) -> dict[str, object]:
    return {
        **attributes(row.theirs, "key text file line"),
        **attributes(row, "state ours note"),
    }
