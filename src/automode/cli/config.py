"""`automode config`, `defaults`, `schema` and `trust`: settings and policy, printed and trusted."""

import json
import os
from collections.abc import Mapping

import click

from automode.cli.daemon import placement_of, refuse_agents
from automode.cli.options import Surroundings, cwd_option, json_option, usual_options, workspace_at
from automode.cli.printing import (
    attributes,
    confirm,
    diagnostic_data,
    faint,
    heading,
    one_line,
    paragraph,
    say,
    say_json,
    say_rows,
    show_diagnostics,
    tell,
    wants_json,
    warn,
    wrap_lines,
)
from automode.cli.printing import section as section_heading
from automode.cli.setup.install import site_here
from automode.cli.tables import show_table
from automode.config.keys import ROW_OF, ROWS, SHARED_ROWS, Rules, entries_of
from automode.config.keys import schema as settings_schema
from automode.config.load import Loaded
from automode.config.merge import Given
from automode.config.places import Places, content
from automode.config.reading import read_part
from automode.config.settings import Rule, Settings, Source
from automode.config.trust import trust as trust_file
from automode.config.trust import trust_folders, untrust
from automode.core.errors import BadSettings
from automode.facts.agent_settings import Switch
from automode.facts.switches import to_look_at
from automode.policy.defaults import Section, as_data, texts

LONGEST_VALUE = 30


@click.command()
@cwd_option
@usual_options
def config(surroundings: Surroundings, cwd: str | None) -> None:
    """Print the settings in force, and where each came from."""
    loaded = surroundings.load(workspace_at(cwd).root)
    tell(lambda: _data(loaded), lambda: _show(loaded))


def _lists(settings: Settings) -> Mapping[str, tuple[Rule, ...]]:
    """Every list of rules by its key."""
    return {row.key: entries_of(row, settings) for row in ROWS if isinstance(row.kind, Rules)}


def _data(loaded: Loaded) -> dict[str, object]:
    return {
        "settings": {
            key: attributes(one, "value source file line") for key, one in loaded.values.items()
        },
        "lists": {
            key: [attributes(rule, "text source file line") for rule in rules]
            for key, rules in _lists(loaded.settings).items()
        },
        "providers": [
            {
                "name": provider.name,
                "api": provider.api,
                "baseUrl": provider.base_url,
                "apiKeyEnv": provider.api_key_env,
            }
            for provider in loaded.settings.providers
        ],
        "diagnostics": [diagnostic_data(finding) for finding in loaded.diagnostics],
    }


def _show(loaded: Loaded) -> None:
    heading("Values")
    values = [(key, *_value(key, one)) for key, one in loaded.values.items()]
    show_table(values, ("setting", "value", "from"))
    for provider in loaded.settings.providers:
        say(f"  provider {provider.name}: {provider.api} at {one_line(provider.base_url)}")
    for key, rules in _lists(loaded.settings).items():
        section_heading(key)
        built_in = sum(rule.source is Source.BUILT_IN for rule in rules)
        if built_in:
            say(faint(f"  {built_in} built-in entries"))
        for rule in rules:
            if rule.source is not Source.BUILT_IN:
                place = Given(None, rule.source, rule.file, rule.line).place
                paragraph(f"{rule.text}  [{place}]", "  -  ")
        if not rules:
            say(faint("  (empty)"))
    if loaded.diagnostics:
        section_heading("Findings")
        show_diagnostics(loaded.diagnostics)


def _value(key: str, one: Given) -> tuple[str, str]:
    if one.value is None:
        return "-", f"{one.place}: {ROW_OF[key].absent or 'not set'}"
    return one_line(json.dumps(one.value), LONGEST_VALUE), one.place


@click.command()
@click.argument(
    "section", type=click.Choice([section.value for section in Section]), required=False
)
@json_option
def defaults(section: str | None) -> None:
    """Print the built-in prose policy: all of it, or one SECTION."""
    chosen = list(Section) if section is None else [Section(section)]
    if wants_json():
        data = as_data()
        say_json({one.value: data[one.value] for one in chosen})
        return
    for at, one in enumerate(chosen):
        if at:
            say()
        heading(f"## {one.value}")
        say()
        for text in texts(one):
            paragraph(text, "- ")


@click.command()
@click.option("--shared", is_flag=True, help="The schema of the file that is checked in.")
@json_option
def schema(*, shared: bool) -> None:
    """Print the JSON Schema of settings files, for editors and validators."""
    say_json(settings_schema(SHARED_ROWS if shared else ROWS))


_PROJECT_MEANING = (
    "Nobody knows these to be harmless: they may run programs, change what a call does, or answer "
    "in automode's place, and then a call runs that automode denied or never saw. Trust is bound "
    "to what they say, and to the files of the project that they name. "
    "`automode trust --project --revoke` takes it back."
)
_TRUST_IT, _READ_FIRST = "Trust it as it is now?", "read the file, then pass --yes"
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
        _trust_project(surroundings, folder, revoke=revoke, yes=yes)
        return
    places = surroundings.places(workspace_at(folder).root)
    if revoke:
        _revoke(places)
        return
    found = {file: data for file in places.local if (data := content(file)) is not None}
    if not found:
        raise BadSettings(
            f"nothing to trust: `{places.local[0]}` does not exist",
            "project-local settings are in `.automode/config.local.json`",
        )
    if not wants_json():
        for file, data in found.items():
            _show_local(file, data)
    if not yes:
        confirm(_TRUST_IT, _READ_FIRST)
    digests = {file: trust_file(places.trust_file, file, data) for file, data in found.items()}
    lines = (f"trusted: {file} (sha256 {sha[:16]}…)" for file, sha in digests.items())
    trusted = [{"file": file, "sha256": sha} for file, sha in digests.items()]
    tell({"trusted": trusted}, "\n".join([*lines, *wrap_lines(_MEANING)]))


def _revoke(places: Places) -> None:
    changed = [file for file in places.local if untrust(places.trust_file, file)]
    lines = [f"no longer trusted: {file}" for file in changed] or ["nothing was trusted here"]
    tell({"revoked": changed}, "\n".join(lines))


def _show_local(file: str, data: bytes) -> None:
    part = read_part(Source.LOCAL, file, data)
    heading(f"{os.path.relpath(file)} says")
    rows = [(key, json.dumps(given.value)) for key, given in part.scalars.items()]
    for key, listed in part.lists.items():
        rows += [(key, rule.text) for rule in listed.rules] or [(key, "(empty)")]
        kind = ROW_OF[key].kind
        if listed.keeps is False and isinstance(kind, Rules) and kind.built_in:
            rows.append((key, "(replaces the built-in entries)"))
    say_rows(rows or [("", "nothing")], indent=2)
    show_diagnostics(part.diagnostics)
    say()


def _trust_project(
    surroundings: Surroundings, folder: str | None, *, revoke: bool, yes: bool
) -> None:
    found = _found_here(folder)
    if not revoke:
        _show_found(found)
        if not yes:
            confirm(_TRUST_IT, _READ_FIRST)
    book = placement_of(surroundings).places(None).trust_file
    digests = {one.real: one.digest for one in found if one.digest or revoke}
    if revoke:
        digests = {path: sha for path, sha in digests.items() if untrust(book, path)}
    else:
        trust_folders(book, digests)
    word, sentence = ("revoked", "no longer trusted") if revoke else ("trusted", "trusted")
    data = {word: [{"path": path, "sha256": sha} for path, sha in digests.items()]}
    tell(data, "\n".join(f"{sentence}: {path}" for path in digests))


def _found_here(folder: str | None) -> tuple[Switch, ...]:
    """What a person has to look at, also in a folder of plug-ins that is named itself."""
    site, start = site_here(), os.path.abspath(folder or ".")
    named = () if folder is None else (start,)
    found = to_look_at(start, home=site.home, environment=site.environment, named=named)
    return tuple({one.real: one for one in found}.values())


def _show_found(found: tuple[Switch, ...]) -> None:
    if not found:
        raise BadSettings("nothing to trust: all that the project tells agents is harmless")
    beyond, known = [one for one in found if not one.digest], [one for one in found if one.digest]
    if not known:
        raise BadSettings(f"`{beyond[0].path}`: {beyond[0].what}", beyond[0].fix)
    for one in beyond:
        warn(f"not trusted: {one.path}: {one.what}", one.fix)
    if wants_json():
        return
    heading("nobody knows these to be harmless")
    for one in known:
        say(f"  {one.path} (sha256 {one.digest[:16]}…)")
        say(f"    {one.what}")
    paragraph(_PROJECT_MEANING)
    say()
