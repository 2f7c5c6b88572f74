"""What the composition root promises: the walls of the administrator, one model for one key."""

import asyncio
import json
from pathlib import Path

import pytest

from automode.agents.events import CallProposed, SessionRef
from automode.agents.installing.plan import Receipts
from automode.agents.installing.site import Program, Site
from automode.assemble import (
    build_classifier,
    build_gate,
    build_service,
    chosen_model,
    load_settings,
    own_folders,
)
from automode.config.load import Loaded
from automode.config.places import Places
from automode.core.call import Read, Shell, ToolCall, Write
from automode.core.decision import Decision, Failure, Verdict
from automode.core.session import Mode, Session
from automode.core.tools import tool_call
from automode.core.transcript import Transcript, UserMessage
from automode.facts.place import live_workspace, recorded_workspace
from automode.llm.endpoints import Missing
from automode.store.folder import StateFolder
from automode.store.writer import Writer
from tests.agents.conftest import Machine
from tests.rows import each_row


def loaded(tmp_path: Path, environment: dict[str, str] | None = None, managed: str = "") -> Loaded:
    file = tmp_path / "managed.json"
    if managed:
        file.write_text(managed)
    return load_settings(Places.of(home=tmp_path, environment=environment or {}, managed=str(file)))


def decided(
    found: Loaded, command: str = "git push", said: str = "", *, mode: Mode = Mode.ENFORCE
) -> Decision | None:
    """By the gate, with the judge that these settings choose where there is no key."""
    settings = found.settings
    judge = build_classifier(settings, chosen_model(settings, {}))
    workspace = recorded_workspace("/workspace/project", "/home/dev")
    words = Transcript((UserMessage(said),) if said else ())
    session = Session("s", workspace, mode=mode, transcript=words)
    call = tool_call("bash", {"command": command})
    return asyncio.run(build_gate(settings, judges=[judge]).decide(call, session))


def chosen(tmp_path: Path, **settings: object) -> Loaded:
    """Settings that the environment hands over."""
    return loaded(tmp_path, {"AUTOMODE_SETTINGS_JSON": json.dumps({"autoMode": settings})})


@pytest.mark.parametrize("managed", ['{"permissions": {"deny": [5]}}', "{broken"])
def test_a_prohibition_of_the_administrator_that_cannot_be_read_holds_when_off(
    tmp_path: Path, managed: str
) -> None:
    decision = decided(loaded(tmp_path, managed=managed), mode=Mode.OFF)

    assert decision is not None
    assert (decision.verdict, decision.source) == (Verdict.ASK, "rules.malformed")


def test_off_without_an_administrator_has_no_opinion(tmp_path: Path) -> None:
    assert decided(loaded(tmp_path), mode=Mode.OFF) is None


@each_row("model", ["ollama/x", "llamacpp/x", "vllm/x", "lmstudio/x", "Ollama/x"])
def test_the_environment_cannot_make_a_server_without_a_key_the_judge(
    tmp_path: Path, model: str
) -> None:
    found = chosen(tmp_path, classifierModel=model)

    assert found.settings.classifier_model is None
    assert any("ignored" in str(finding) for finding in found.diagnostics)


def test_the_environment_may_choose_a_model_that_needs_a_key_and_its_outage_is_named(
    tmp_path: Path,
) -> None:
    found = chosen(tmp_path, classifierModel="anthropic/x")

    decision = decided(found)

    assert found.settings.classifier_model == "anthropic/x"
    assert isinstance(chosen_model(found.settings, {}), Missing)
    assert decision is not None
    assert (decision.verdict, decision.error) == (Verdict.ASK, Failure.UNAVAILABLE)


JUDGED = [("git push", Verdict.ASK), ("npm test", Verdict.ALLOW)]


@each_row("command, verdict", JUDGED)
def test_where_nobody_chose_a_model_the_embedded_judge_decides(
    tmp_path: Path, command: str, verdict: Verdict
) -> None:
    found = decided(loaded(tmp_path), command, "fix the failing test")

    assert found is not None
    assert (found.verdict, found.source, found.error) == (verdict, "classifier.local", None)


def test_prohibitions_in_prose_are_not_left_to_a_judge_that_cannot_read_them(
    tmp_path: Path,
) -> None:
    found = decided(chosen(tmp_path, hard_deny=["$defaults", "Never run the tests."]), "npm test")

    assert found is not None
    assert (found.verdict, found.error) == (Verdict.ASK, Failure.UNAVAILABLE)


def test_a_service_decides_by_the_settings_of_the_project_and_its_limits(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    limits = {"autoMode": {"escalation": {"consecutive": 2}}, "permissions": {"deny": ["bash(x*)"]}}
    (tmp_path / "config.json").write_text(json.dumps(limits))

    def places(root: str) -> Places:
        managed = tmp_path / "managed.json"
        return Places.of(
            home=tmp_path, environment={}, project=root, config_folder=tmp_path, managed=managed
        )

    async def work() -> list[Decision | None]:
        async with Writer(StateFolder(str(tmp_path / "state")).prepared()) as writer:
            service = build_service(
                writer, places=places, key=b"k" * 32, account="tester", environment={}
            )
            calls = [
                CallProposed(SessionRef("s", str(project)), "bash", {"command": command})
                for command in ("x 1", "git push", "x 2", "ls")
            ]
            rulings = [await service.decide(call, "plain") for call in calls]
            await service.close()
            return [ruling.decision for ruling in rulings]

    got = [(one.verdict, one.source) for one in asyncio.run(work()) if one is not None]
    assert got == [
        (Verdict.DENY, "rules.deny"),
        (Verdict.ASK, "classifier.local"),
        (Verdict.DENY, "rules.deny"),
        (Verdict.ASK, "breaker.consecutive"),
    ]


def test_a_home_that_only_the_environment_names_is_guarded_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    (tmp_path / "project").mkdir()
    workspace = live_workspace(str(tmp_path / "project"))
    call = ToolCall("bash", Shell(f"echo x >> {tmp_path}/person/.bashrc"))

    decision = asyncio.run(
        build_gate(loaded(tmp_path).settings).decide(call, Session("s", workspace))
    )

    assert decision is not None
    assert decision.source == "floor.shell-profile"


def test_folders_that_are_not_the_usual_ones_have_the_floor(tmp_path: Path) -> None:
    for folder in ("project", "real-config"):
        (tmp_path / folder).mkdir()
    (tmp_path / "config").symlink_to(tmp_path / "real-config")
    places = Places.of(home=tmp_path, environment={}, config_folder=tmp_path / "config")
    folders = own_folders(places, str(tmp_path / "state"))
    gate = build_gate(loaded(tmp_path).settings, folders=folders)
    workspace = live_workspace(str(tmp_path / "project"))

    def source(tool: str, action: Read | Shell | Write) -> str:
        decision = asyncio.run(gate.decide(ToolCall(tool, action), Session("s", workspace)))
        return "" if decision is None else decision.source

    assert source("Read", Read((f"{tmp_path}/state/tokens/person",))) == "floor.own-channel"
    assert source("bash", Shell(f"cat {tmp_path}/s*/tokens/person")) == "floor.own-channel"
    for folder in ("config", "real-config", "state/spool"):
        path = f"{tmp_path}/{folder}/config.json"
        assert source("Write", Write((path,))) == "floor.safety-files"
    package = next(folder for folder in folders.runtime if folder.endswith("/automode"))
    assert source("Write", Write((f"{package}/gate/gate.py",))) == "floor.safety-files"


def test_an_agents_folder_that_was_moved_is_known_from_the_receipts(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    site = Site(
        str(tmp_path), {"CLAUDE_CONFIG_DIR": f"{tmp_path}/moved"}, str(tmp_path / "project")
    )
    program = Program.here(str(tmp_path / "state"), str(tmp_path / "config"))
    receipts = Receipts.of(program.state)
    Machine("claude-code", site, program, receipts).install()

    folders = own_folders(Places.of(home=tmp_path, environment={}), program.state)

    gate = build_gate(loaded(tmp_path).settings, folders=folders)
    session = Session("s", live_workspace(str(tmp_path / "project")))
    for name in ("settings.json", "commands/automode.md"):
        call = ToolCall("Write", Write((f"{tmp_path}/moved/{name}",)))
        decision = asyncio.run(gate.decide(call, session))
        assert decision is not None
        assert decision.source == "floor.safety-files"
