"""Plans how automode goes into Codex and out of it again: its hooks, and their trust.

Codex runs no other hooks, and in `codex exec` it does not even say so. Trust is a hash of the hook
in the person's own `config.toml`. How it is made only Codex knows, so its app server is asked about
a copy of the file that is going to be written.
"""

import json
import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from signal import SIGKILL
from threading import Timer

from automode.agents.installing.hooks import HooksInstaller
from automode.agents.installing.installer import InstallRequest, Launch, Start
from automode.agents.installing.json_files import HOOKS, left_alone
from automode.agents.installing.plan import (
    CannotInstall,
    Change,
    Plan,
    Receipt,
    Receipts,
    Scope,
    digest,
    present,
)
from automode.agents.installing.site import (
    CLOSING_WITH_WORDS,
    Http,
    Program,
    Registration,
    Site,
    is_ours,
)
from automode.config.json_edit import root_of
from automode.config.jsonc import content
from automode.core.errors import BadSettings
from automode.daemon.placement import own_version
from automode.facts import switching
from automode.facts.agent_settings import toml_settings

LAST_SECONDS = 3
"""Codex waits no longer when a session ends."""
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_MATCHED = ("PreToolUse", "PermissionRequest", "PostToolUse")


def _group(program: Program, event: str, moment: str) -> dict[str, object]:
    handler = {
        "type": "command",
        "command": program.hook_command(HOST, moment, CLOSING_WITH_WORDS),
        "timeout": LAST_SECONDS if event == "SessionEnd" else program.hook_seconds(HOST, moment),
    }
    return {**({"matcher": "*"} if event in _MATCHED else {}), HOOKS: [handler]}


def keys_in(data: bytes) -> dict[str, str]:
    """Each hook of ours, as what stands behind the file's path in the key that Codex gives it, with
    its event. A hook is known by its place, so those of others must keep theirs."""
    found: dict[str, str] = {}
    for event, group, place, handler in _handlers(content(root_of(data.decode()))):
        if is_ours(handler):
            found[f":{_WORD.sub('_', event).lower()}:{group}:{place}"] = event
    return found


def _handlers(settings: object) -> Iterator[tuple[str, int, int, object]]:
    events = settings.get(HOOKS) if isinstance(settings, Mapping) else None
    for event, groups in events.items() if isinstance(events, Mapping) else ():
        for group, row in enumerate(groups if isinstance(groups, list) else ()):
            handlers = row.get(HOOKS) if isinstance(row, Mapping) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                yield event, group, place, handler


ANSWER_SECONDS = 30.0
BEGIN = "# automode: Codex runs only hooks that are trusted here\n"
END = "# automode: end\n"
_MARKS = re.compile(rf"(?:^\n)?^{re.escape(BEGIN)}|^{re.escape(END)}", re.MULTILINE)
_STATES = re.compile(
    rf'^{re.escape(BEGIN)}((?:\[hooks\.state\.".*"\]\n(?:[\w-]+ = .*\n)*)*)', re.MULTILINE
)
_AGAIN = "see that `codex app-server` starts, then install again"


def hashes(codex: str, hooks: bytes, environment: Mapping[str, str]) -> dict[str, str]:
    """What Codex says of each hook in a file with this content, by what stands behind the file's
    path in its key. Raises CannotInstall."""
    with tempfile.TemporaryDirectory(prefix="automode-", ignore_cleanup_errors=True) as place:
        folder = os.path.realpath(place)
        file = os.path.join(folder, "hooks.json")
        with open(file, "wb") as copy:
            copy.write(hooks)
        answer = _ask(codex, folder, {**environment, "CODEX_HOME": folder})
    match answer.get("result"):
        case {"data": [*places]}:
            groups = [one.get(HOOKS) for one in places if isinstance(one, dict)]
        case _:
            raise CannotInstall(
                f"Codex does not list its hooks: `{json.dumps(answer)[:200]}`", _AGAIN
            )
    known: dict[str, str] = {}
    for hook in (one for group in groups if isinstance(group, list) for one in group):
        match hook:
            case {"key": str(key), "currentHash": str(found)} if key.startswith(file):
                known[key.removeprefix(file)] = found
            case _:
                continue
    return known


def _ask(codex: str, folder: str, environment: Mapping[str, str]) -> Mapping[str, object]:
    try:
        process = subprocess.Popen(  # noqa: S603 - the person's own agent
            (codex, "app-server"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(environment),
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise CannotInstall(f"`{codex}` does not start ({error.strerror})", _AGAIN) from error
    late = Timer(ANSWER_SECONDS, _end, (process.pid,))
    late.start()
    try:
        return _talk(process, folder)
    except (OSError, ValueError) as error:
        raise CannotInstall(f"`{codex} app-server` did not answer ({error})", _AGAIN) from error
    finally:
        late.cancel()
        _end(process.pid)
        process.communicate()


def _end(group: int) -> None:
    """With whatever it has started: the program that people install only starts another one."""
    with suppress(ProcessLookupError):
        os.killpg(group, SIGKILL)


def _talk(process: "subprocess.Popen[str]", folder: str) -> Mapping[str, object]:
    """The answer to the last message. The stream stays open: at its end the server leaves."""
    client = {"name": "automode", "title": "automode", "version": own_version()}
    asks = {"clientInfo": client, "capabilities": {"experimentalApi": True}}
    messages = (
        {"id": 1, "method": "initialize", "params": asks},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [folder]}},
    )
    if process.stdin is None or process.stdout is None:
        raise ValueError("it has no streams")
    process.stdin.writelines(f"{json.dumps(one)}\n" for one in messages)
    process.stdin.flush()
    for line in process.stdout:
        match json.loads(line):
            case {"id": 2, **answer} if "method" not in answer:
                return {str(name): value for name, value in answer.items()}
            case _:
                continue
    raise ValueError("it ended")


def add_trust(config: bytes | None, states: Mapping[str, str]) -> tuple[bytes, str]:
    """The person's `config.toml`, which holds nothing of ours, with each key trusted by its hash;
    and the piece that was put in. Raises CannotInstall where that has no place there."""
    text = _without_states((config or b"").decode(), states)
    tables = "".join(_table(key, found) for key, found in states.items())
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    piece = f"{gap}{BEGIN}{tables}{END}"
    try:
        whole = tomllib.loads(f"{text}{piece}")
    except tomllib.TOMLDecodeError as error:
        raise CannotInstall(
            f"`config.toml` cannot take the trust entries of the hooks: {error}", "fix it by hand"
        ) from error
    missing = [key for key in states if key not in states_in(whole)]
    if missing:
        raise CannotInstall(f"`config.toml` does not take `{missing[0]}`", "fix it by hand")
    return f"{text}{piece}".encode(), piece


def remove_trust(config: bytes, pieces: Iterable[str]) -> bytes:
    """The same without us, also where Codex itself has laid the file out anew. What stands between
    our two comments need not be ours: Codex puts new tables before the last line. Raises
    CannotInstall."""
    text = config.decode()
    # Nobody knows what was written: then it is what stands there as we write it, without a gap.
    known = tuple(pieces) or tuple(_STATES.findall(text))
    keys: dict[str, str] = {}
    for piece in known:
        text = text.replace(piece, "")
        keys |= _states_in_piece(piece)
    return _MARKS.sub("", _without_states(text, keys)).encode()


def _states_in_piece(piece: str) -> dict[str, str]:
    try:
        return states_in(tomllib.loads(piece))
    except tomllib.TOMLDecodeError as error:
        raise CannotInstall(
            f"`config.toml` cannot be read after `{BEGIN.strip()}`: {error}", "fix it by hand"
        ) from error


def _without_states(text: str, keys: Iterable[str]) -> str:
    headers = {_header(key) for key in keys}
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        inside = line.strip() in headers or (inside and line.strip()[:1] not in ("", "[", "#"))
        if not inside:
            kept.append(line)
    return "".join(kept)


def _table(key: str, found: str) -> str:
    return f"{_header(key)}\ntrusted_hash = {_quote(found)}\n"


def _header(key: str) -> str:
    return f"[hooks.state.{_quote(key)}]"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def copied_states(source: str, keys: Mapping[str, str], target: str) -> str:
    """The tables with which Codex trusts hooks of the folder `source` in the folder `target`, each
    first of its event there. A hash stays the same, so a wrong one is wrong in the copy, too."""
    with open(os.path.join(source, "config.toml"), "rb") as file:
        states = states_in(tomllib.load(file))
    tables: list[str] = []
    for key in keys:
        there = [f"{folder}/hooks.json{key}" for folder in (source, os.path.realpath(source))]
        known = [states[name] for name in there if name in states]
        event = key.split(":")[1]
        tables += [_table(f"{target}/hooks.json:{event}:0:0", found) for found in known[:1]]
    return "".join(tables)


def states_in(config: Mapping[str, object]) -> dict[str, str]:
    """Every hook that is trusted, with its hash."""
    match config:
        case {"hooks": {"state": {**states}}}:
            return {
                str(key): state["trusted_hash"]
                for key, state in states.items()
                if isinstance(state, dict) and isinstance(state.get("trusted_hash"), str)
            }
        case _:
            return {}


HOST = "codex"
_SETTING = ("-c", "--config", "--disable")
_ABOUT_HOOKS = re.compile(r"^\W*(?:features\b.*)?(?:codex_)?hooks\b", re.DOTALL)
_CONFIG = "config.toml"


def codex_folder(site: Site) -> str:
    return site.folder("CODEX_HOME", ".codex")


def codex_hooks(site: Site, scope: Scope) -> str:
    if scope is Scope.MANAGED:
        return site.managed_file(HOST, "hooks.json")
    return os.path.join(codex_folder(site), "hooks.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexInstaller(HooksInstaller):
    """Hooks in `hooks.json`, and for an account their trust in `config.toml`."""

    def install(self, order: InstallRequest) -> Plan:
        plan = HooksInstaller.install(self, order)
        if order.scope is not Scope.USER:
            return plan
        written = plan.changes[0].after if plan.changes else None
        hooks = written or present(codex_hooks(order.site, Scope.USER))[1] or b""
        return replace(plan, changes=(*plan.changes, *_plan_trust(hooks, order)))

    def plan_uninstall(self, scope: Scope, site: Site, receipts: Receipts) -> Plan:
        plan = HooksInstaller.plan_uninstall(self, scope, site, receipts)
        trust = _plan_no_trust(site, receipts) if scope is Scope.USER else ()
        return replace(plan, changes=(*plan.changes, *trust))

    def look(
        self, scope: Scope, site: Site, program: Program, http: Http | None
    ) -> Registration | None:
        found = HooksInstaller.look(self, scope, site, program, http)
        if found is None or found.wrong or scope is not Scope.USER:
            return found
        return replace(found, wrong=tuple(_trust_faults(site)))

    def launch(self, start: Start) -> Launch:
        """An option outranks what a project says about hooks."""
        self.refuse_disarmed(start)
        for option, value in pairwise((*start.arguments, "")):
            name, said = _option_value(option, value)
            if name in _SETTING and _ABOUT_HOOKS.search(said):
                raise CannotInstall(f"`{name} {said}` changes Codex's hooks", "leave it out")
        if not any(not one.wrong for one in self.registrations(start.site, start.program)):
            raise CannotInstall(
                "Codex runs only hooks that are installed and trusted",
                "run: automode install codex",
            )
        return Launch(("--enable", "hooks", *start.arguments))

    def copy_trust(self, source: str, target: str) -> str:
        try:
            with open(os.path.join(source, "hooks.json"), "rb") as file:
                tables = copied_states(source, keys_in(file.read()), target)
        except (OSError, ValueError, BadSettings) as error:
            return f"it is unknown which hooks Codex trusts: {error}"
        if not tables:
            return "Codex trusts no hook of automode's"
        with open(os.path.join(target, _CONFIG), "a", encoding="utf-8") as file:
            file.write(f"\n{tables}")
        return ""


def _option_value(option: str, following: str) -> tuple[str, str]:
    """Its name and its value, which may be a word of its own: `-c X`, `-c=X`, `-cX`."""
    if option.startswith("-c") and option != "-c":
        return "-c", option.removeprefix("-c").removeprefix("=")
    name, equals, own = option.partition("=")
    return name, own if equals else following


def _plan_trust(hooks: bytes, order: InstallRequest) -> tuple[Change, ...]:
    named = os.path.join(codex_folder(order.site), _CONFIG)
    path, before = present(named)
    base = _without_us(path, before, order.receipts.find(HOST, path))
    _need_hooks_to_count(path, base)
    after, piece = add_trust(base, _states(hooks, order))
    if after == before:
        return ()
    receipt = Receipt(HOST, path, base, digest(after), digest(before), (piece,), named=named)
    return (Change(path, before, after, receipt),)


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
        left = remove_trust(before, () if receipt is None else receipt.pieces)
    except UnicodeDecodeError as error:
        raise left_alone(path, error) from error
    ours_alone = receipt is not None and receipt.without is None and not left.strip()
    return None if ours_alone else left


def _states(hooks: bytes, order: InstallRequest) -> dict[str, str]:
    """Under every name by which Codex may know the file."""
    codex, site = order.found, order.site
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
        states |= dict.fromkeys((f"{file}{key}", f"{_resolve_folder(file)}{key}"), known[key])
    return states


def _resolve_folder(file: str) -> str:
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


def _trust_faults(site: Site) -> Iterator[str]:
    file = codex_hooks(site, Scope.USER)
    path = os.path.join(codex_folder(site), _CONFIG)
    try:
        known = states_in(_settings(path, present(path)[1]))
        keys = keys_in(present(file)[1] or b"{}")
    except (CannotInstall, BadSettings, UnicodeDecodeError) as error:
        yield f"it is unknown whether Codex trusts the hooks: {error}"
        return
    for key, event in keys.items():
        if not {f"{file}{key}", f"{_resolve_folder(file)}{key}"} & known.keys():
            yield f"Codex does not trust the hook for {event}, and so does not run it"


INSTALLER = CodexInstaller(
    agent=HOST,
    scopes=(Scope.USER, Scope.MANAGED),
    note="Codex cannot ask a person in the middle of a call: what would be asked is denied",
    file=codex_hooks,
    hook=_group,
    comments=False,
    last=True,
)
