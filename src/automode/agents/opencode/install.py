"""Plans how automode's plugin goes into OpenCode and out of it again, with a floor below it.

OpenCode skips a plugin that it cannot load without a word. So a rule in OpenCode's own permissions
has it ask about everything; the plugin, once it is loaded, takes that rule out of its way.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from automode.agents.installing.installer import Installer
from automode.agents.installing.json_files import (
    Entry,
    EntryFile,
    found_entries,
    left_alone,
    value_at,
)
from automode.agents.installing.own_files import (
    OwnFile,
    filled,
    plan_file,
    plan_no_file,
    registered_extension,
    template_of,
)
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Receipts,
    Scope,
    Transport,
    need_account,
    present,
)
from automode.agents.installing.site import Http, Program, Registration, Site
from automode.core.errors import BadSettings

HOST = "opencode"
FLOOR = Entry(("permission",), "ask", "*")
_TERMINAL = Entry(("plugin",), "./automode/tui.ts")
_PLUGIN, _HALF = template_of(HOST), template_of(HOST, "tui.ts")


def opencode_folder(site: Site) -> str:
    return os.path.join(site.folder("XDG_CONFIG_HOME", ".config"), HOST)


def plugin_file(site: Site) -> str:
    return os.path.join(opencode_folder(site), "plugins", "automode.ts")


def half_file(site: Site) -> str:
    """Loaded by the terminal alone: OpenCode takes whatever lies among plugins for one."""
    return os.path.join(opencode_folder(site), "automode", "tui.ts")


def settings_file(site: Site) -> str:
    """Of the two the one that counts more, where it is there."""
    stronger = os.path.join(opencode_folder(site), "opencode.jsonc")
    return stronger if os.path.lexists(stronger) else stronger.removesuffix("c")


def terminal_file(site: Site) -> str:
    return os.path.join(opencode_folder(site), "tui.json")


@dataclass(frozen=True, slots=True)
class OpenCodeInstaller(Installer):
    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        need_account(scope, self.title, HOST)
        floor, notes = _floor(site, receipts)
        changes: list[Change] = []
        if floor is not None:
            changes += floor.plan(program, receipts)
        changes += plan_file(_plugin(site), plugin(program, floor=floor is not None), program)
        changes += plan_file(_half(site), filled(_HALF, program), program)
        changes += _terminal(site).plan(program, receipts)
        return Plan(HOST, scope, tuple(changes), notes)

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        need_account(scope, self.title, HOST)
        plugin_gone, notes = plan_no_file(_plugin(site), receipts)
        half_gone, _ = plan_no_file(_half(site), receipts)
        entries = _floor_file(site).plan_out(receipts) + _terminal(site).plan_out(receipts)
        return Plan(HOST, scope, plugin_gone + half_gone + entries, notes)

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        found = registered_extension(
            HOST,
            Scope.USER,
            plugin_file(site),
            program,
            lambda own, known: plugin(own, floor=known.get("floor") is True),
        )
        if found is None:
            return ()
        unread = found.transport is not Transport.EXTENSION
        return (found if unread else replace(found, wrong=(*found.wrong, *_missing(site))),)

    def hooks_folder(self, site: Site) -> str:
        return os.path.dirname(plugin_file(site))


def plugin(program: Program, *, floor: bool) -> bytes:
    """`floor`: the rule below it is ours, and so the plugin may take it out of its way."""
    return filled(_PLUGIN, program, floor=floor)


def _missing(site: Site) -> Iterator[str]:
    """What else has to stand in OpenCode's files."""
    try:
        rules = value_at(_data(settings_file(site)), FLOOR.box[0])
        half = found_entries(_data(terminal_file(site)), _TERMINAL)
    except UnicodeDecodeError:
        yield "OpenCode's settings cannot be read: they are not UTF-8"
        return
    except (BadSettings, CannotInstall) as error:
        yield f"OpenCode's settings cannot be read: {error}"
        return
    if not _asks(rules):
        where = settings_file(site)
        yield f"`permission` in `{where}` lets calls run where the plugin does not load"
    if not half or not os.path.exists(half_file(site)):
        yield f"`{terminal_file(site)}` does not load automode's half: nobody can be asked"


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
    return OwnFile(HOST, Scope.USER, plugin_file(site))


def _half(site: Site) -> OwnFile:
    return OwnFile(HOST, Scope.USER, half_file(site))


def _floor_file(site: Site) -> EntryFile:
    return _entry_file(settings_file(site), FLOOR, "config")


def _terminal(site: Site) -> EntryFile:
    return _entry_file(terminal_file(site), _TERMINAL, "tui")


def _entry_file(path: str, entry: Entry, schema: str) -> EntryFile:
    fresh = {"$schema": f"https://opencode.ai/{schema}.json"}
    return EntryFile(HOST, Scope.USER, path, Transport.EXTENSION, entries=(entry,), fresh=fresh)


def _data(path: str) -> bytes:
    return present(path)[1] or b""


INSTALLER = OpenCodeInstaller(HOST)
