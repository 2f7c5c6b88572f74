"""`docs/contributing/adding-an-agent.md`, done: its files are the ones that are run here."""

import asyncio
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from automode import Gate
from automode.agents.catalog import ADAPTERS, KINDS, UNATTENDED, named
from automode.agents.events import Adapter, Answer, Moment
from automode.core.errors import BadCall
from tests.agents.recording_checks import wrong_with

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing" / "adding-an-agent.md").read_text()
FILES = dict(re.findall(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
MODULE, ROW = "src/automode/agents/acme/payloads.py", "src/automode/agents/catalog.py"
PAYLOADS = [name for name in FILES if name.startswith("tests/agents/acme/recorded/")]
RULES = {
    "allow": ["bash(make good)"],
    "ask": ["bash(make unknown)"],
    "deny": ["bash(make bad)"],
}


def loaded(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks itself up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="catalog", scope="module")
def _catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Adapter]]:
    """The catalog with the row of the page in it."""
    folder = tmp_path_factory.mktemp("acme")
    (folder / "acme_of_the_page.py").write_text(FILES[MODULE])
    acme = loaded(folder / "acme_of_the_page.py")
    (folder / "row_of_the_page.py").write_text(
        f"from acme_of_the_page import Acme\n\nADDED = (\n{FILES[ROW]})\n"
    )
    row = loaded(folder / "row_of_the_page.py")
    yield named((*KINDS, *getattr(row, "ADDED", ())))
    for module in (acme, row):
        del sys.modules[getattr(module, "__name__", "")]


def test_it_takes_one_module_one_folder_of_payloads_and_one_row(
    catalog: Mapping[str, Adapter],
) -> None:
    assert set(FILES) == {MODULE, ROW, *PAYLOADS}
    assert len(PAYLOADS) > 3
    assert FILES[ROW].count("\n") == 1
    assert set(catalog) - set(ADAPTERS) == {"acme", f"acme{UNATTENDED}"}


@pytest.mark.parametrize("name", PAYLOADS)
def test_its_payloads_get_their_answers(catalog: Mapping[str, Adapter], name: str) -> None:
    recording = json.loads(FILES[name])

    assert wrong_with(catalog[recording["host"]], recording) == []


@pytest.mark.parametrize("host", ["acme", f"acme{UNATTENDED}"])
def test_it_keeps_the_contract_of_an_adapter(catalog: Mapping[str, Adapter], host: str) -> None:
    adapter = catalog[host]
    closed = {moment: adapter.closed(moment, "no daemon").exit for moment in Moment}

    assert adapter.name == "acme"
    assert {moment for moment in closed if closed[moment] == 2} == {Moment.PROPOSED}
    assert 0 < adapter.abilities.deadline_ms < 60_000
    with pytest.raises(BadCall):
        adapter.parse({"something": "else"})


def asked(gate: Gate, adapter: Adapter, **changed: object) -> Answer:
    payload = {"event": "before_tool", "session": "s1", "cwd": "/", "tool": "bash", **changed}
    return asyncio.run(gate.hooked(adapter, Moment.PROPOSED, payload))


DENIED = '{{"run":false,"why":"automode ({})'
VERDICTS = {
    # command        with somebody there   and without
    "make good": ('{"run":true}', '{"run":true}'),
    "make bad": (DENIED.format("rules.deny"), DENIED.format("rules.deny")),
    "make unknown": ('{"ask":"automode (rules.ask)', DENIED.format("rules.ask")),
}


@pytest.mark.parametrize("attended", [True, False])
def test_its_calls_are_decided_for_real_and_garbage_closes(
    catalog: Mapping[str, Adapter], tmp_path: Path, attended: bool
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.json").write_text(json.dumps({"permissions": RULES}))
    adapter = catalog["acme" if attended else f"acme{UNATTENDED}"]
    with Gate(
        str(tmp_path),
        attended=attended,
        config_folder=str(tmp_path / "config"),
        state_folder=str(tmp_path / "state"),
    ) as gate:
        for command, expected in VERDICTS.items():
            said = asked(gate, adapter, arguments={"command": command})
            assert said.stdout.startswith(expected[0 if attended else 1])

        garbage: tuple[dict[str, object], ...] = ({}, {"arguments": "ls"}, {"event": "after_tool"})
        for changed in garbage:
            answer = asked(gate, adapter, **changed)
            assert (json.loads(answer.stdout)["run"], answer.exit) == (False, 2)
            assert answer.stderr


OWN = re.compile(r"cline|qwen|gemini", re.IGNORECASE)
NAMED = re.compile(r"\bcline\b|\bqwen-code\b", re.IGNORECASE)


def test_every_place_that_names_an_agent_is_on_the_page() -> None:
    """Two agents that were added late stand for all: what names them has to name the next."""
    places = [*(ROOT / "src").rglob("*.py"), *(ROOT / "e2e").rglob("*.py"), ROOT / "pyproject.toml"]
    named = [
        str(path.relative_to(ROOT))
        for path in places
        if not OWN.search(str(path.relative_to(ROOT))) and NAMED.search(path.read_text())
    ]

    assert [path for path in named if f"`{path}`" not in PAGE] == []
    assert len(named) > 10


def test_every_place_on_the_page_is_there() -> None:
    told = re.findall(r"`((?:src|e2e|tests|docs)/[\w/.-]+\.(?:py|md))`", PAGE)

    assert [path for path in told if "acme" not in path and not (ROOT / path).exists()] == []
    assert len(told) > 15
