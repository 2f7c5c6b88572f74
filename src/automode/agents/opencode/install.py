"""Plans how automode's plugin goes into OpenCode and out of it again, with a floor below it.

OpenCode skips a plugin that it cannot load without a word. So a rule in OpenCode's own permissions
has it ask about everything; the plugin, once it is loaded, takes that rule out of its way.
"""

import os
from collections.abc import Iterator, Sequence

from automode.agents.installing.apply import present
from automode.agents.installing.extension_file import filled, paths_in, template_of
from automode.agents.installing.found import Registration, misled_extension
from automode.agents.installing.hooks_file import left_alone
from automode.agents.installing.json_entry import (
    Entry,
    EntryFile,
    found_entries,
    plan_entries,
    plan_no_entries,
    value_at,
)
from automode.agents.installing.launching import Launch, refuse
from automode.agents.installing.own_file import OwnFile, plan_file, plan_no_file
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Scope,
    Transport,
    need_account,
)
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.core.errors import BadSettings

HOST = "opencode"
WITHOUT_PLUGINS = ("--pure",)
ALONE = ("run", "serve", "web", "acp", "github", "pr")
FLOOR = Entry(("permission",), "ask", "*")
_TERMINAL = Entry(("plugin",), "./automode/tui.ts")
_PLUGIN, _HALF = template_of(HOST), template_of(HOST, "tui.ts")


def plan_install(scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
    """Raises CannotInstall."""
    need_account(scope, "OpenCode", HOST)
    floor, notes = _floor(site, receipts)
    changes: list[Change] = []
    if floor is not None:
        changes += plan_entries(floor, program, receipts)
    changes += plan_file(_plugin(site), plugin(program, floor=floor is not None), program)
    changes += plan_file(_half(site), filled(_HALF, program), program)
    changes += plan_entries(_terminal(site), program, receipts)
    return Plan(HOST, scope, tuple(changes), notes)


def plan_uninstall(scope: Scope, site: Site, receipts: Receipts) -> Plan:
    """Nothing to change: nothing of ours is there. Raises CannotInstall."""
    need_account(scope, "OpenCode", HOST)
    plugin_gone, notes = plan_no_file(_plugin(site), receipts)
    half_gone, _ = plan_no_file(_half(site), receipts)
    entries = plan_no_entries(_floor_file(site), receipts) + plan_no_entries(
        _terminal(site), receipts
    )
    return Plan(HOST, scope, plugin_gone + half_gone + entries, notes)


def plugin(program: Program, *, floor: bool) -> bytes:
    """`floor`: the rule below it is ours, and so the plugin may take it out of its way."""
    return filled(_PLUGIN, program, floor=floor)


def registered(site: Site, program: Program) -> tuple[Registration, ...]:
    path = site.opencode_plugin
    try:
        _, data = present(path)
    except CannotInstall as error:
        return (Registration(HOST, Scope.USER, path, wrong=(str(error),)),)
    known = None if data is None else paths_in(data)
    if data is None or known is None:
        return ()
    whole = plugin(program, floor=known.get("floor") is True)
    wrong = (*misled_extension(data, known, program, whole), *_missing(site))
    version = known.get("version")
    named = version if isinstance(version, str) else ""
    return (Registration(HOST, Scope.USER, path, named, Transport.EXTENSION, wrong),)


def launch(arguments: Sequence[str], site: Site, program: Program) -> Launch:
    """Raises CannotInstall."""
    refuse(arguments, WITHOUT_PLUGINS, "plugins")
    if site.environment.get("OPENCODE_PURE", "") not in ("", "0", "false"):
        raise CannotInstall(
            "OPENCODE_PURE is set: OpenCode would load no plugin", "unset OPENCODE_PURE"
        )
    places = registered(site, program)
    if not places or places[0].wrong:
        raise CannotInstall(
            "automode is not in OpenCode, or not as a whole, and no option brings it there",
            "run: automode install opencode",
        )
    return Launch(tuple(arguments))


def _missing(site: Site) -> Iterator[str]:
    """What else has to stand in OpenCode's files."""
    try:
        rules = value_at(_data(site.opencode_settings), FLOOR.box[0])
        half = found_entries(_data(site.opencode_terminal), _TERMINAL)
    except UnicodeDecodeError:
        yield "OpenCode's settings cannot be read: they are not UTF-8"
        return
    except (BadSettings, CannotInstall) as error:
        yield f"OpenCode's settings cannot be read: {error}"
        return
    if not _asks(rules):
        where = site.opencode_settings
        yield f"`permission` in `{where}` lets calls run where the plugin does not load"
    if not half or not os.path.exists(site.opencode_half):
        yield f"`{site.opencode_terminal}` does not load automode's half: nobody can be asked"


def _asks(rules: object) -> bool:
    """Whether whatever is not named is asked about or denied."""
    usual = rules.get("*") if isinstance(rules, dict) else rules
    return usual in ("ask", "deny")


def _floor(site: Site, receipts: Receipts) -> tuple[EntryFile | None, tuple[str, ...]]:
    """None where the person has a rule of their own for everything."""
    file = _floor_file(site)
    path, data = present(file.named)
    try:
        rules = value_at(data or b"", FLOOR.box[0])
    except (BadSettings, UnicodeDecodeError) as error:
        raise left_alone(path, error) from error
    own = receipts.find(HOST, path) is not None
    if isinstance(rules, str) or (isinstance(rules, dict) and "*" in rules and not own):
        open_to_all = () if _asks(rules) else (_left_open(path, "everything"),)
        return None, open_to_all
    allowed = (
        [name for name, rule in (rules or {}).items() if rule == "allow"]
        if isinstance(rules, dict)
        else []
    )
    return file, tuple(_left_open(path, f"`{name}`") for name in allowed)


def _left_open(path: str, what: str) -> str:
    return f"`{path}` allows {what}: that runs undecided if the plugin does not load"


def _plugin(site: Site) -> OwnFile:
    return OwnFile(HOST, Scope.USER, site.opencode_plugin)


def _half(site: Site) -> OwnFile:
    return OwnFile(HOST, Scope.USER, site.opencode_half)


def _floor_file(site: Site) -> EntryFile:
    fresh: dict[str, object] = {"$schema": "https://opencode.ai/config.json"}
    return EntryFile(HOST, Scope.USER, site.opencode_settings, (FLOOR,), fresh)


def _terminal(site: Site) -> EntryFile:
    fresh: dict[str, object] = {"$schema": "https://opencode.ai/tui.json"}
    return EntryFile(HOST, Scope.USER, site.opencode_terminal, (_TERMINAL,), fresh)


def _data(path: str) -> bytes:
    return present(path)[1] or b""
