"""`automode status`: mode, sources, findings, the classifier, sessions and the daemon."""

import json
import time
from pathlib import Path

import pytest

from automode.cli.options import Surroundings
from automode.cli.printing import say_row
from automode.cli.status_report import MOST_COUNTED, classifier_state, summary
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.doctor.examine import Gated
from automode.llm.model import Usage
from automode.store.changes import Decided
from automode.store.folder import StateFolder
from tests.cli.conftest import Run, Write, words_of
from tests.cli.daemons import Place
from tests.cli.stored import keep, kept_session, record, used
from tests.rows import each_row

PATIENCE_SECONDS = 60.0
MODEL = "openai/gpt-5-mini"


def test_it_says_what_is_in_force_and_looking_makes_nothing(
    automode: Run, state: StateFolder
) -> None:
    data = json.loads(automode("status", "--json").stdout)

    assert (data["enabled"], data["mode"], data["closing"]) == (True, "enforce", [])
    assert data["parsers"] == {"tree-sitter": True, "shfmt": True}
    assert (data["daemon"]["running"], data["daemon"]["state_folder"]) == (False, state.path)
    assert (data["sessions"], data["trouble"]) == ([], None)
    assert not Path(state.path).exists()


def test_it_says_what_the_daemon_sees_and_not_this_terminal(
    automode: Run, settings: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings({"trustEnvironment": True})
    monkeypatch.setenv("AUTOMODE_SETTINGS_JSON", '{"autoMode": {"enabled": false}}')

    data = json.loads(automode("status", "--json").stdout)

    assert data["enabled"] is True
    said = words_of(automode("status").stdout)
    assert "AUTOMODE_SETTINGS_JSON counts for agents that you start here alone" in said


def test_it_says_which_agents_are_gated(
    automode: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.delenv("PI_CODING_AGENT_DIR", raising=False)
    before = json.loads(automode("status", "--json").stdout)["agents"]
    none = words_of(automode("status").stdout)
    enabled = {"enabledPlugins": {"automode@automode": True}}
    (tmp_path / "claude").mkdir()
    (tmp_path / "claude/settings.json").write_text(json.dumps(enabled))

    assert before == {}
    assert none.startswith("No agent is gated; the embedded judge decides; 0 decisions today")
    assert "agents none asks automode" in none
    assert json.loads(automode("status", "--json").stdout)["agents"] == {"claude-code": "plugin"}
    text = words_of(automode("status").stdout)
    assert text.startswith("Claude Code is gated; the embedded judge decides; 0 decisions today")
    assert "agents claude-code (plugin)" in text


FIRST = [
    # settings, what is gated, decisions of today, the sentence
    (
        {},
        {"claude-code": Gated("user", sound=True), "pi": Gated("plugin", sound=True)},
        {"allow": 11, "deny": 1},
        "Claude Code and Pi are gated; the embedded judge decides; 12 decisions today, 1 denied.",
    ),
    (
        {},
        {"codex": Gated("user, broken", sound=False), "pi": Gated("user", sound=True)},
        {"deny": 1, "halt": 1},
        "Pi is gated, Codex is not (see `automode doctor`);"
        " the embedded judge decides; 2 decisions today, 2 denied.",
    ),
    (
        {"mode": "shadow"},
        None,
        None,
        "Settings and agents are left out; the embedded judge decides in shadow mode.",
    ),
    ({"enabled": False}, {}, None, "No agent is gated; auto mode is off."),
    (
        {"classifierModel": MODEL},
        {},
        {"allow": MOST_COUNTED},
        f"No agent is gated; {MODEL} cannot be asked; at least 20,000 decisions today, 0 denied.",
    ),
]


@each_row("auto_mode, gated, today, sentence", FIRST)
def test_it_begins_with_one_sentence(
    auto_mode: dict[str, object],
    gated: dict[str, Gated] | None,
    today: dict[str, int] | None,
    sentence: str,
    settings: Write,
    config: Path,
    project: Path,
) -> None:
    settings({"autoMode": auto_mode})
    surroundings = Surroundings(config_folder=str(config))
    loaded = surroundings.load(str(project), daemon=True)
    state = classifier_state(surroundings, loaded, str(project))

    assert summary(loaded, state, gated, today) == sentence


def test_only_what_was_decided_today_counts(automode: Run, state: StateFolder) -> None:
    now = time.time()
    keep(
        state,
        *(
            Decided(record(number, at=at, verdict=verdict, source=source))
            for number, (at, verdict, source) in enumerate(
                (
                    (now - 48 * 3600, Verdict.DENY, "floor.x"),
                    (now, Verdict.ALLOW, "read-only"),
                    (now, Verdict.DENY, "floor.x"),
                    (now, Verdict.ALLOW, "person.off"),
                )
            )
        ),
    )

    assert "; 2 decisions today, 1 denied." in words_of(automode("status").stdout)


def test_it_says_what_became_of_each_source(
    automode: Run, settings: Write, config: Path, project: Path
) -> None:
    settings({})
    (project / ".pi").mkdir()
    (project / ".pi/automode.json").write_text("{")
    (project / ".automode").mkdir()
    (project / ".automode/config.local.json").write_text("{}")

    sources = json.loads(automode("status", "--json").stdout)["sources"]

    states = {one["file"]: one["state"] for one in sources}
    assert states[str(config / "config.json")] == "read"
    assert states[str(project / ".automode/config.local.json")] == "not trusted"
    assert states[str(project / ".automode/config.json")] == "missing"
    assert states[str(project / ".pi/automode.json")] == "unreadable"


KEY = "OPENAI_API_KEY"
SAYS: list[tuple[dict[str, object], str, dict[str, object], list[str]]] = [
    # settings, a key, what JSON says of the classifier, what people read
    (
        {},
        "",
        {"model": None, "ready": True, "source": "built-in", "problem": None, "stages": ["local"]},
        ["the embedded judge; no model is chosen", "used nothing yet", "not running"],
    ),
    (
        {"classifierModel": MODEL},
        "",
        {"model": MODEL, "ready": False, "source": "user"},
        ["cannot be asked: ", KEY],
    ),
    (
        {"classifierModel": MODEL, "stages": "fast"},
        "sk-made-up-0123456789",
        {"ready": True, "problem": None, "stages": ["fast"]},
        [f"{MODEL} (user, ", "ready"],
    ),
    (
        {"classifierModel": MODEL, "stages": "local"},
        "sk-made-up-0123456789",
        {"ready": True, "stages": ["local"]},
        [],
    ),
    ({"enabled": False}, "", {}, ["off:"]),
    ({"mode": "shadow"}, "", {}, ["shadow:"]),
    ({"nonsense": 1}, "", {}, ["Findings", "nonsense"]),
]


@each_row("auto_mode, key, expected, parts", SAYS)
def test_the_settings_are_said(
    automode: Run,
    settings: Write,
    monkeypatch: pytest.MonkeyPatch,
    auto_mode: dict[str, object],
    key: str,
    expected: dict[str, object],
    parts: list[str],
) -> None:
    settings({"autoMode": auto_mode})
    monkeypatch.setenv(KEY, key)

    text = words_of(automode("status").stdout)
    found = json.loads(automode("status", "--json").stdout)["classifier"]

    assert found | expected == found
    assert [part for part in parts if part not in text] == []
    assert "sk-made-up" not in text + str(found)


def test_findings_that_close_the_gate_and_rules_set_aside_are_named(
    automode: Run, settings: Write, config: Path
) -> None:
    settings({"permissions": {"deny": [7], "allow": ["bash(python *)", "bash(npm test)"]}})

    text = automode("status").stdout
    data = json.loads(automode("status", "--json").stdout)

    (aside,) = data["set_aside"]
    assert "`bash(python *)`" in aside
    assert f"{config / 'config.json'}:1" in aside
    assert "Allow rules set aside" in text
    assert "closed" in text
    assert data["closing"]
    assert {one["key"] for one in data["diagnostics"]} == {"permissions.deny[0]"}


def test_isolated_means_no_source_at_all(automode: Run, settings: Write) -> None:
    settings({"autoMode": {"enabled": False}})

    data = json.loads(automode("status", "--isolated", "--json").stdout)

    assert (data["enabled"], data["sources"], data["classifier"]["usage"]) == (True, [], None)
    assert "built-in defaults only" in automode("status", "--isolated").stdout


ONE = SessionKey("pi", "one-1")
DENIED = record(
    13,
    session=ONE,
    source="floor.delete-root",
    reason="too much",
    action="rm -rf /",
    tool="bash",
    verdict=Verdict.DENY,
)
BUSY = [
    record(12, session=ONE, source="classifier.deliberate", verdict=Verdict.DENY),
    *(record(number, session=ONE) for number in range(7)),
    *(record(number, session=ONE, source="classifier.fast") for number in range(7, 12)),
    DENIED,
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


def test_sessions_and_what_they_used_are_listed(automode: Run, busy: StateFolder) -> None:
    text = automode("status").stdout
    data = json.loads(automode("status", "--json").stdout)
    total = json.loads(automode("usage", "--json").stdout)["total"]

    rows = [words_of(line) for line in text.splitlines()]
    assert any(row.startswith("pi/one-1 enforce 14 2 ") for row in rows)
    assert any(row.startswith("codex/gone ended") for row in rows)
    table = text.partition("Sessions\n")[2].partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert {one["session"] for one in data["sessions"]} == {"one-1", "one-2", "gone"}
    assert "2 requests, 1,050 prompt tokens, 101 output tokens" in words_of(text)
    assert "cost 0.0015 USD + 1 unknown" in words_of(text)
    assert data["classifier"]["usage"] == total


def test_one_session_is_shown_with_the_names_that_hosts_read(
    automode: Run, busy: StateFolder
) -> None:
    data = json.loads(automode("status", "--session", "one-1", "--json").stdout)
    text = words_of(automode("status", "--session", "pi/one-1").stdout)

    names = ("checkedActions", "blockedActions", "classifierAllowed", "classifierDenied")
    assert [data[name] for name in names] == [14, 2, 5, 1]
    assert (data["lastDecision"], data["lastReason"]) == ("deny", "too much")
    assert data["enabledOverride"] is None
    assert data["recentDenials"][-1:] == [
        {
            "timestamp": DENIED.at,
            "tool": "bash",
            "reason": "too much",
            "action": "rm -rf /",
            "kind": "hard-deny",
            "record": DENIED.id,
        }
    ]
    assert (data["usage"]["requests"], data["usage"]["unpriced_requests"]) == (2, 1)
    assert "checked 14, of these denied 2 (1 in a row)" in text
    assert "deny by floor.delete-root: too much" in text
    assert "hard-deny: too much" in text
    assert "parent one-1" in words_of(automode("status", "--session", "one-2").stdout)


def test_a_store_that_cannot_be_read_is_part_of_the_answer(
    automode: Run, state: StateFolder
) -> None:
    Path(state.prepared().database).write_bytes(b"no database at all" * 100)

    data = json.loads(automode("status", "--json").stdout)

    assert data["trouble"]
    assert data["mode"] == "enforce"
    assert "trouble" in automode("status").stdout


def test_a_running_daemon_is_described_with_its_sessions_and_its_trouble(served: Place) -> None:
    served.proposed("ls")
    data = served.json("status")
    # A daemon has two seconds to be heard, which are for people and not for a busy machine.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "running: pid" not in served.run("status").stdout:
        assert time.monotonic() < deadline, "it never found its daemon"
    database = Path(served.state.database)
    for name in (database, Path(f"{database}-wal"), Path(f"{database}-shm")):
        name.unlink(missing_ok=True)
    database.mkdir()
    answered = served.proposed("ls")["verdict"]

    match data:
        case {"daemon": {"running": True, "decided": 1}, "sessions": [{"session": "s1"}]}:
            pass
        case _:
            pytest.fail(str(data))
    assert answered == "ask"
    assert served.json("daemon", "status")["notices"]
    assert "notice" in served.run("status").stdout


def test_a_label_never_touches_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    for label in ("variables", "environment", "as long as it gets"):
        say_row(label, "AUTOMODE_SETTINGS_JSON", indent=2)

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines] == ["AUTOMODE_SETTINGS_JSON"] * 3
