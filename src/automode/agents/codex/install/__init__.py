"""Plans how automode goes into Codex and out of it again: its hooks, and their trust."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from automode.agents.codex.install.hooks import CodexHooks, keys_in
from automode.agents.codex.install.trust import copied_states, hashes, states_in, trusted, untrusted
from automode.agents.installing.agent_programs import AgentProgram, found_program
from automode.agents.installing.apply import present
from automode.agents.installing.claude_hooks import Http
from automode.agents.installing.claude_settings import Entries
from automode.agents.installing.found import Registration
from automode.agents.installing.hooks_file import HooksFile, left_alone, plan_hooks, plan_no_hooks
from automode.agents.installing.launching import Launch
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Placed,
    Plan,
    Receipt,
    Scope,
    Transport,
)
from automode.agents.installing.receipts import Receipts
from automode.agents.installing.site import Program, Site
from automode.core.errors import BadSettings
from automode.facts import switching
from automode.facts.agent_settings import toml_settings

HOST = "codex"
_SETTING = ("-c", "--config", "--disable")
_ABOUT_HOOKS = re.compile(r"^\W*(?:features\b.*)?(?:codex_)?hooks\b", re.DOTALL)
_CONFIG = "config.toml"
_NOTE = "Codex cannot ask a person in the middle of a call: what would be asked is denied"


def codex_folder(site: Site) -> str:
    return site.folder("CODEX_HOME", ".codex")


def codex_hooks(site: Site, scope: Scope) -> str:
    if scope is Scope.PROJECT:
        raise CannotInstall(
            "Codex keeps a project's hooks in a file that is checked in",
            "install it for your account: automode install codex --user",
        )
    folder = codex_folder(site) if scope is Scope.USER else os.path.join(site.system, HOST)
    return os.path.join(folder, "hooks.json")


@dataclass(frozen=True, slots=True)
class CodexInstaller(CodexHooks):
    """Hooks in `hooks.json`, and for an account their trust in `config.toml`."""

    def plan_install(self, scope: Scope, site: Site, program: Program, receipts: Receipts) -> Plan:
        named = codex_hooks(site, scope)
        entries = Entries(self.hooks(program), last=True)
        changes = plan_hooks(HooksFile(HOST, scope, named), entries, program, receipts)
        if scope is Scope.USER:
            hooks = changes[0].after if changes else present(named)[1]
            changes += _plan_trust(hooks or b"", site, program, receipts)
        return Plan(HOST, scope, changes, (_NOTE,))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        changes = plan_no_hooks(HooksFile(HOST, scope, codex_hooks(site, scope)), receipts)
        if scope is Scope.USER:
            changes += _plan_no_trust(site, receipts)
        return Plan(HOST, scope, changes)

    def registered(
        self, site: Site, program: Program, http: Http | None = None
    ) -> tuple[Registration, ...]:
        found = CodexHooks.registered(self, site, program)
        return tuple(
            replace(one, wrong=tuple(_untrusted(site)))
            if one.scope is Scope.USER and not one.wrong
            else one
            for one in found
        )

    def launch(
        self,
        arguments: Sequence[str],
        site: Site,
        program: Program,
        found: AgentProgram | None = None,
    ) -> Launch:
        """An option outranks what a project says about hooks."""
        self.refuse_disarmed(arguments, site)
        for option, value in pairwise((*arguments, "")):
            name, said = _written(option, value)
            if name in _SETTING and _ABOUT_HOOKS.search(said):
                raise CannotInstall(f"`{name} {said}` changes Codex's hooks", "leave it out")
        if not any(not one.wrong for one in self.registered(site, program)):
            raise CannotInstall(
                "Codex runs only hooks that are installed and trusted",
                "run: automode install codex",
            )
        return Launch(("--enable", "hooks", *arguments))

    def copy_trust(self, source: str, target: str) -> str:
        try:
            with open(os.path.join(source, "hooks.json"), "rb") as file:
                tables = copied_states(source, keys_in(file.read()), target)
        except (OSError, ValueError, BadSettings) as error:
            return f"nobody can say which hooks Codex trusts: {error}"
        if not tables:
            return "Codex trusts no hook of automode's"
        with open(os.path.join(target, _CONFIG), "a", encoding="utf-8") as file:
            file.write(f"\n{tables}")
        return ""


def _written(option: str, following: str) -> tuple[str, str]:
    """Its name and its value, which may be a word of its own: `-c X`, `-c=X`, `-cX`."""
    if option.startswith("-c") and option != "-c":
        return "-c", option.removeprefix("-c").removeprefix("=")
    name, equals, own = option.partition("=")
    return name, own if equals else following


def _plan_trust(
    hooks: bytes, site: Site, program: Program, receipts: Receipts
) -> tuple[Change, ...]:
    named = os.path.join(codex_folder(site), _CONFIG)
    path, before = present(named)
    base = _without_us(path, before, receipts.find(HOST, path))
    _need_hooks_to_count(path, base)
    states = _states(hooks, site)
    after, piece = trusted(base, states)
    if after == before:
        return ()
    placed = Placed(HOST, Scope.USER, named, path, before)
    return (placed.change(after, program.version, Transport.COMMAND, base, pieces=(piece,)),)


def _plan_no_trust(site: Site, receipts: Receipts) -> tuple[Change, ...]:
    path, before = present(os.path.join(codex_folder(site), _CONFIG))
    receipt = receipts.find(HOST, path)
    after = _without_us(path, before, receipt)
    return () if after == before and receipt is None else (Change(path, before, after),)


def _without_us(path: str, before: bytes | None, receipt: Receipt | None) -> bytes | None:
    if before is None:
        return None
    if receipt is not None and receipt.knows(before):
        return receipt.without
    try:
        left = untrusted(before, () if receipt is None else receipt.pieces)
    except UnicodeDecodeError as error:
        raise left_alone(path, error) from error
    ours_alone = receipt is not None and receipt.without is None and not left.strip()
    return None if ours_alone else left


def _states(hooks: bytes, site: Site) -> dict[str, str]:
    """Under every name by which Codex may know the file."""
    codex = found_program(HOST, site.environment)
    if codex is None:
        raise CannotInstall(
            "no `codex` is on the PATH, and only Codex itself can say how its hooks are trusted",
            "install Codex, or put it on the PATH, then install again",
        )
    known = hashes(codex.path, hooks, site.environment)
    file = codex_hooks(site, Scope.USER)
    states: dict[str, str] = {}
    for key, event in keys_in(hooks).items():
        if key not in known:
            raise CannotInstall(
                f"Codex {codex.says} does not list the hook for {event}", "update Codex"
            )
        states |= dict.fromkeys((f"{file}{key}", f"{_resolved(file)}{key}"), known[key])
    return states


def _resolved(file: str) -> str:
    """Codex follows links to its folder, not to the file in it."""
    return os.path.join(os.path.realpath(os.path.dirname(file)), os.path.basename(file))


def _need_hooks_to_count(path: str, config: bytes | None) -> None:
    _settings(path, config)
    for found in switching.codex(toml_settings(config or b"")):
        raise CannotInstall(f"`{path}`: {found.what}", f"{found.fix}, then install again")


def _settings(path: str, config: bytes | None) -> Mapping[str, object]:
    try:
        return tomllib.loads((config or b"").decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise left_alone(path, BadSettings(f"it is no TOML: {error}")) from error


def _untrusted(site: Site) -> Iterator[str]:
    file = codex_hooks(site, Scope.USER)
    path = os.path.join(codex_folder(site), _CONFIG)
    try:
        known = states_in(_settings(path, present(path)[1]))
        keys = keys_in(present(file)[1] or b"{}")
    except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
        yield f"nobody can say whether Codex trusts the hooks: {error}"
        return
    for key, event in keys.items():
        if not {f"{file}{key}", f"{_resolved(file)}{key}"} & known.keys():
            yield f"Codex does not trust the hook for {event}, and so does not run it"


INSTALLER = CodexInstaller(HOST, codex_hooks, lambda _: False)
