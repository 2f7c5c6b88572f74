"""`automode status`: mode, sources, findings, counts."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.guards.floor.layer import GUARDS
from automode.llm.model import Usage
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from tests.cli.daemons import Place
from tests.cli.records import keep, kept_session, record, used

PATIENCE_SECONDS = 60.0
Run = Callable[..., Result]
Write = Callable[[object], None]


def test_it_says_what_is_in_force(automode: Run) -> None:
    data = json.loads(automode("status", "--json").stdout)

    assert (data["enabled"], data["mode"]) == (True, "enforce")
    assert data["parsers"] == {"tree-sitter": True, "shfmt": True}
    assert data["counts"]["guards"] == len(GUARDS)
    assert data["counts"]["programs"] > 100
    assert data["counts"]["policy_rules"] > 50
    assert data["closing"] == []


def test_it_says_what_became_of_each_source(
    automode: Run, settings: Write, config: Path, project: Path
) -> None:
    settings({})
    (project / ".automode").mkdir()
    (project / ".automode/config.local.json").write_text("{}")

    sources = json.loads(automode("status", "--json").stdout)["sources"]

    states = {one["file"]: one["state"] for one in sources}
    assert states[str(config / "config.json")] == "read"
    assert states[str(project / ".automode/config.local.json")] == "not trusted"
    assert states[str(project / ".automode/config.json")] == "missing"


def test_findings_name_file_and_key(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"nonsense": 1}, "permissions": {"deny": [7]}})

    text = automode("status").stdout
    data = json.loads(automode("status", "--json").stdout)

    assert "Findings" in text
    assert "nonsense" in text
    assert "closed" in text
    assert data["closing"]
    assert {one["key"] for one in data["diagnostics"]} >= {"autoMode.nonsense"}


def test_allow_rules_that_were_set_aside_are_named_with_the_reason(
    automode: Run, settings: Write, config: Path
) -> None:
    settings({"permissions": {"allow": ["bash(python *)", "bash(npm test)"]}})

    (sentence,) = json.loads(automode("status", "--json").stdout)["set_aside"]

    assert "`bash(python *)`" in sentence
    assert f"{config / 'config.json'}:1" in sentence
    assert "Allow rules set aside" in automode("status").stdout


def test_off_and_shadow_are_said(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})
    off = automode("status").stdout
    settings({"autoMode": {"mode": "shadow"}})
    shadow = automode("status").stdout

    assert "off:" in off
    assert "shadow:" in shadow


def classifier(automode: Run, *words: str) -> dict[str, object]:
    found = json.loads(automode("status", "--json", *words).stdout)["classifier"]
    assert isinstance(found, dict)
    return found


def test_without_a_model_it_says_that_the_embedded_judge_decides(automode: Run) -> None:
    found = classifier(automode)

    assert (found["model"], found["ready"], found["source"]) == (None, True, "built-in")
    assert (found["problem"], found["stages"]) == (None, ["local"])
    assert "the embedded judge; no model is chosen" in automode("status").stdout


def test_a_model_without_a_key_names_the_variable(
    automode: Run, settings: Write, config: Path
) -> None:
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini"}})

    found = classifier(automode)

    assert (found["model"], found["ready"]) == ("openai/gpt-5-mini", False)
    assert (found["source"], found["file"]) == ("user", str(config / "config.json"))
    assert "OPENAI_API_KEY" in str(found["problem"])
    assert "cannot be asked: " in " ".join(automode("status").stdout.split())


def test_a_model_with_a_key_is_ready_and_the_key_is_not_shown(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini", "stages": "fast"}})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-0123456789")

    result = automode("status")
    found = classifier(automode)

    assert (found["ready"], found["problem"], found["stages"]) == (True, None, ["fast"])
    assert "openai/gpt-5-mini (user, " in " ".join(result.stdout.split())
    assert "ready" in result.stdout
    assert "sk-made-up" not in result.stdout + str(found)


def test_the_embedded_judge_needs_no_model(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings({"autoMode": {"classifierModel": "openai/gpt-5-mini", "stages": "local"}})
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-0123456789")

    found = classifier(automode)
    assert (found["ready"], found["stages"]) == (True, ["local"])


def test_what_the_classifier_used_is_added_up(automode: Run, state: StateFolder) -> None:
    before = automode("status").stdout
    keep(
        state,
        used("pi/a", "anthropic/claude-haiku-4-5", Usage(1000, 100)),
        used("pi/b", "mine/qwen", Usage(50, 1), parent="a"),
    )

    text = " ".join(automode("status").stdout.split())

    assert "nothing yet" in before
    assert "2 requests, 1,050 prompt tokens, 101 output tokens" in text
    assert "cost 0.0015 USD + 1 unknown" in text
    total = json.loads(automode("usage", "--json").stdout)["total"]
    assert classifier(automode)["usage"] == total
    assert classifier(automode, "--isolated")["usage"] is None


def test_isolated_means_no_source_at_all(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})

    data = json.loads(automode("status", "--isolated", "--json").stdout)

    assert (data["enabled"], data["sources"]) == (True, [])
    assert "built-in defaults only" in automode("status", "--isolated").stdout


ONE = SessionKey("pi", "one-1")
BUSY = [
    record(12, session=ONE, source="classifier.deliberate", verdict=Verdict.DENY),
    *(record(number, session=ONE) for number in range(7)),
    *(record(number, session=ONE, source="classifier.fast") for number in range(7, 12)),
    record(
        13,
        session=ONE,
        source="floor.delete-root",
        reason="too much",
        action="rm -rf /",
        tool="bash",
        verdict=Verdict.DENY,
    ),
]


@pytest.fixture
def busy(state: StateFolder) -> StateFolder:
    keep(
        state,
        kept_session(ONE),
        *map(Decided, BUSY),
        kept_session(SessionKey("pi", "one-2"), parent="one-1"),
        kept_session(SessionKey("codex", "gone"), ended=time.time()),
        used("pi/one-1", "mine/qwen", Usage(50, 1)),
        used("pi/one-2", "anthropic/claude-haiku-4-5", Usage(1000, 100), parent="one-1"),
    )
    return state


def test_sessions_are_listed_with_their_counters(automode: Run, busy: StateFolder) -> None:
    text = automode("status").stdout
    data = json.loads(automode("status", "--json").stdout)

    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert any(row.startswith("pi/one-1 enforce 14 checked 2 denied") for row in rows)
    assert any(row.startswith("codex/gone ended") for row in rows)
    table = text.partition("Sessions\n")[2].partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert {one["session"] for one in data["sessions"]} == {"one-1", "one-2", "gone"}


def test_one_session_is_shown_with_the_names_that_hosts_read(
    automode: Run, busy: StateFolder
) -> None:
    data = json.loads(automode("status", "--session", "one-1", "--json").stdout)

    counters = [data[name] for name in ("checkedActions", "blockedActions")]
    judged = [data[name] for name in ("classifierAllowed", "classifierDenied")]
    assert (counters, judged) == ([14, 2], [5, 1])
    assert (data["lastDecision"], data["lastReason"]) == ("deny", "too much")
    assert data["enabledOverride"] is None
    assert data["recentDenials"][-1:] == [
        {
            "timestamp": BUSY[-1].at,
            "tool": "bash",
            "reason": "too much",
            "action": "rm -rf /",
            "kind": "hard-deny",
            "record": BUSY[-1].id,
        }
    ]
    assert (data["usage"]["requests"], data["usage"]["unpriced_requests"]) == (2, 1)


def test_one_session_is_shown_to_people_too(automode: Run, busy: StateFolder) -> None:
    text = " ".join(automode("status", "--session", "pi/one-1").stdout.split())

    assert "checked 14, of these denied 2 (1 in a row)" in text
    assert "deny by floor.delete-root: too much" in text
    assert "hard-deny: too much" in text
    assert "parent one-1" in " ".join(automode("status", "--session", "one-2").stdout.split())


def test_without_a_daemon_it_says_so(automode: Run, state: StateFolder) -> None:
    data = json.loads(automode("status", "--json").stdout)

    assert (data["daemon"]["running"], data["daemon"]["state_folder"]) == (False, state.path)
    assert (data["sessions"], data["trouble"]) == ([], None)
    assert "not running" in automode("status").stdout


def test_looking_makes_nothing(automode: Run, state: StateFolder) -> None:
    automode("status")

    assert not Path(state.path).exists()


def test_a_store_that_cannot_be_read_is_part_of_the_answer(
    automode: Run, state: StateFolder
) -> None:
    Path(state.prepared().database).write_bytes(b"no database at all" * 100)

    data = json.loads(automode("status", "--json").stdout)

    assert data["trouble"]
    assert data["mode"] == "enforce"
    assert "trouble" in automode("status").stdout


def test_a_running_daemon_is_described_with_its_sessions(served: Place) -> None:
    served.proposed("ls")

    data = served.json("status")

    assert isinstance(data["daemon"], dict)
    assert (data["daemon"]["running"], data["daemon"]["decided"]) == (True, 1)
    assert isinstance(data["sessions"], list)
    assert [one["session"] for one in data["sessions"]] == ["s1"]
    # A daemon has two seconds to be heard, which are for people and not for a busy machine.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "running: pid" not in served.run("status").stdout:
        assert time.monotonic() < deadline, "it never found its daemon"


def test_a_daemon_that_cannot_write_says_so(served: Place) -> None:
    database = Path(served.state.database)
    for name in (database, Path(f"{database}-wal"), Path(f"{database}-shm")):
        name.unlink(missing_ok=True)
    database.mkdir()

    answered = served.proposed("ls")["verdict"]

    assert answered == "ask"
    assert served.json("daemon", "status")["notices"]
    assert "notice" in served.run("status").stdout
