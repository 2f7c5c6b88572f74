"""Plans how automode's plugin goes into OpenCode and out of it again, with a floor below it.

OpenCode skips a plugin that it cannot load without a word. So a rule in OpenCode's own permissions
has it ask about everything; the plugin, once it is loaded, takes that rule out of its way.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from automode.agents.installing.installer import AgentFile, InstallRequest
from automode.agents.installing.json_files import Entry, JsonFile, left_alone, value_at
from automode.agents.installing.own_files import OwnFilesInstaller, fill, paths_in, template_of
from automode.agents.installing.plan import (
    CannotInstall,
    Plan,
    Receipts,
    Scope,
    Transport,
    present,
)
from automode.agents.installing.site import Http, Program, Registration, Site
from automode.core.errors import BadSettings

HOST = "opencode"
_PERMISSION, _ALL, _ASK = "permission", "*", "ask"
_HALF = "./automode/tui.ts"


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


def _contents(_: Scope, site: Site, program: Program) -> dict[str, bytes]:
    plugin = fill(template_of(HOST), program, floor=_has_own_floor(site))
    half = fill(template_of(HOST, "tui.ts"), program)
    return {plugin_file(site): plugin, half_file(site): half}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCodeInstaller(OwnFilesInstaller):
    def install(self, order: InstallRequest) -> Plan:
        plan = OwnFilesInstaller.install(self, order)
        return replace(plan, notes=tuple(_left_open(order.site)))

    def files(self, scope: Scope, site: Site, program: Program) -> Sequence[AgentFile]:
        own = OwnFilesInstaller.files(self, scope, site, program)
        floor = (_floor_file(site),) if _has_own_floor(site) else ()
        return (*floor, *own, _terminal_file(site))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        """Whether the floor is ours, its receipt knows, also where the plugin is gone already."""
        plan = OwnFilesInstaller.plan_uninstall(self, scope, site, receipts)
        changes = dict.fromkeys((*_floor_file(site).plan_out(receipts), *plan.changes))
        return replace(plan, changes=tuple(changes))

    def look(
        self, scope: Scope, site: Site, program: Program, http: Http | None
    ) -> Registration | None:
        found = OwnFilesInstaller.look(self, scope, site, program, http)
        return found and replace(found, wrong=(*found.wrong, *_missing(site)))


def _missing(site: Site) -> Iterator[str]:
    """What else has to stand in OpenCode's files."""
    try:
        rules = value_at(present(settings_file(site))[1] or b"", _PERMISSION)
        plugins = value_at(present(terminal_file(site))[1] or b"", "plugin")
    except (BadSettings, CannotInstall, UnicodeDecodeError) as error:
        why = "they are not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        yield f"OpenCode's settings cannot be read: {why}"
        return
    if not _asks(rules):
        where = settings_file(site)
        yield f"`{_PERMISSION}` in `{where}` lets calls run where the plugin does not load"
    if not isinstance(plugins, list) or _HALF not in plugins:
        yield f"`{terminal_file(site)}` does not load automode's half: nobody can be asked"


def _asks(rules: object) -> bool:
    """Whether whatever is not named is asked about or denied."""
    usual = rules.get(_ALL) if isinstance(rules, dict) else rules
    return usual in (_ASK, "deny")


def _rules(site: Site) -> object:
    path, data = present(settings_file(site))
    try:
        return value_at(data or b"", _PERMISSION)
    except (BadSettings, UnicodeDecodeError) as error:
        raise left_alone(path, error) from error


def _has_own_floor(site: Site) -> bool:
    """Whether the rule below the plugin is ours, or will be: then the plugin may take it out of its
    way. A rule of the person's own for everything stays theirs."""
    try:
        rules = _rules(site)
    except CannotInstall:
        return True  # then nothing is written
    if not isinstance(rules, dict) or _ALL not in rules:
        return not isinstance(rules, str)
    known = paths_in(present(plugin_file(site))[1] or b"")
    return rules[_ALL] == _ASK and known is not None and known.get("floor") is True


def _left_open(site: Site) -> Iterator[str]:
    rules, path = _rules(site), settings_file(site)
    if isinstance(rules, str) or (isinstance(rules, dict) and _ALL in rules):
        allowed = [] if _asks(rules) else ["everything"]
    else:
        named = rules if isinstance(rules, dict) else {}
        allowed = [f"`{name}`" for name, rule in named.items() if rule == "allow"]
    for what in allowed:
        yield f"`{path}` allows {what}: that runs undecided if the plugin does not load"


def _floor_file(site: Site) -> JsonFile:
    return _entry_file(settings_file(site), Entry((_PERMISSION,), _ASK, _ALL), "config")


def _terminal_file(site: Site) -> JsonFile:
    return _entry_file(terminal_file(site), Entry(("plugin",), _HALF), "tui")


def _entry_file(path: str, entry: Entry, schema: str) -> JsonFile:
    fresh = {"$schema": f"https://opencode.ai/{schema}.json"}
    return JsonFile(agent=HOST, named=path, entries=(entry,), fresh=fresh)


INSTALLER = OpenCodeInstaller(agent=HOST, contents=_contents, transport=Transport.EXTENSION)
