"""Inspect AI, for real, on its own scripted model."""

from importlib import import_module

import pytest

from automode import Gate
from tests.integrations.conftest import TASK, Scene, example

FRAMEWORKS = ("inspect_ai",)


class Encoding:
    """Counts tokens without the table that would have to be fetched."""

    def encode(self, text: str, **_: object) -> list[int]:
        return list(text.encode())


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = import_module("tiktoken")
    monkeypatch.setattr(tokens, "get_encoding", lambda _: Encoding())
    monkeypatch.setattr(tokens, "encoding_for_model", lambda _: Encoding())


def scripted(commands: list[str]) -> object:
    library = import_module("inspect_ai.model")
    outputs = [
        library.ModelOutput.for_tool_call("mockllm", "bash", {"command": one}) for one in commands
    ]
    last = library.ModelOutput.from_content("mockllm", "all done")
    made: object = library.get_model("mockllm/model", custom_outputs=[*outputs, last])
    return made


def results(log: object) -> list[str]:
    samples: list[object] = getattr(log, "samples", None) or []
    assert len(samples) == 1
    messages = getattr(samples[0], "messages", [])
    found = [one for one in messages if one.role == "tool"]
    return [one.error.message if one.error else one.text for one in found]


def test_the_approver_decides_every_call(scene: Scene) -> None:
    logs = str(scene.folder / "logs")

    log = example("inspect_ai").run(scene.gate, TASK, scripted(scene.commands), logs)

    assert log.status == "success"
    assert (scene.allowed.exists(), scene.denied.exists()) == (True, False)
    first, second, third = results(log)
    assert "automode" not in first + third
    assert "automode (rules.deny): deny rule `bash(touch *denied*)`" in second


def test_without_a_gate_nothing_runs(scene: Scene, closed: Gate) -> None:
    shown = example("inspect_ai")
    task = shown.Task(
        dataset=[shown.Sample(input=TASK)], solver=[shown.use_tools(shown.bash()), shown.generate()]
    )
    policy = [shown.ApprovalPolicy(shown.approver(closed), "*")]
    shown.eval(
        task,
        model=scripted(scene.commands),
        approval=policy,
        display="none",
        log_dir=str(scene.folder / "logs"),
    )

    scene.check_closed()


def test_with_somebody_there_asking_escalates_and_nobody_next_rejects(scene: Scene) -> None:
    made = scene.project / "asked"
    with scene.another(attended=True) as gate:
        log = example("inspect_ai").run(
            gate, TASK, scripted([f"make {made}; touch {made}"]), str(scene.folder / "logs")
        )

    assert not made.exists()
    (told,) = results(log)
    assert "approv" in told or "reject" in told.lower()
