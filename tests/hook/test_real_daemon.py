"""Hooks and the daemon they start, as an agent's session has them."""

import json
import os
from shutil import rmtree

import pytest

from automode.facts.place import home_folder
from tests.hook.conftest import Live, Ran, ended, said

TOGETHER = 20
VERDICTS = {
    # call                   verdict  decided by
    "a read": ("allow", "read-only"),
    "a catastrophe": ("deny", "floor.delete-root"),
    "a tool nobody knows": ("ask", "classifier.local"),
}
ALONE = {**VERDICTS, "a tool nobody knows": ("ask", "gate.undecided")}


def test_an_administrators_hook_needs_nothing_of_an_account_that_never_typed_automode(
    live: Live,
) -> None:
    rmtree(live.place.state)
    below_home = f"~/{os.path.relpath(live.place.state, home_folder())}"
    words = ("--state", below_home, "--config", str(live.config))

    closing = live.hook("a read")
    made = live.place.state.exists()
    done = live.place.hook(*words, payload=live.payload("a read"))

    assert (said(closing)[0], made) == ("deny", False)
    assert said(done) == VERDICTS["a read"]
    assert live.place.state.stat().st_mode & 0o777 == 0o700


def test_twenty_hooks_at_once_start_one_daemon_and_get_twenty_right_answers(live: Live) -> None:
    calls = [*VERDICTS, *["a read"] * (TOGETHER - len(VERDICTS))]
    words = ("--config", str(live.config))
    waiting = [live.place.waiting_hook(*words, payload=live.payload(call)) for call in calls]

    answers = [said(ended(process)) for process in waiting]

    assert answers == [VERDICTS[call] for call in calls]
    assert live.starts == 1


@pytest.mark.parametrize("call", ALONE)
def test_where_no_daemon_can_start_the_deterministic_layers_decide_and_it_is_recorded(
    live: Live, call: str
) -> None:
    (live.place.state / "start.lock").mkdir()

    done = live.hook(call)

    assert said(done) == ALONE[call]
    assert json.loads(done.stdout)["source"] in live.sources()


def test_an_allow_that_cannot_be_recorded_becomes_a_question(live: Live) -> None:
    (live.place.state / "start.lock").mkdir()
    (live.place.state / "audit.db").mkdir()

    assert said(live.hook("a read"))[0] == "ask"
    assert said(live.hook("a read", "--unattended"))[0] == "deny"
    assert said(live.hook("a catastrophe")) == VERDICTS["a catastrophe"]


def test_prompts_and_finished_calls_reach_the_daemon(live: Live) -> None:
    events: dict[str, dict[str, object]] = {
        "session": {"event": "started"},
        "prompt": {"event": "prompt", "text": "tidy up"},
        "finished": {"event": "finished", "tool": "bash", "input": {}, "outcome": "ok"},
    }

    for moment, event in events.items():
        payload = json.dumps({**event, "session": "s1", "cwd": str(live.project)}).encode()
        done = live.place.hook("--config", str(live.config), moment=moment, payload=payload)
        assert done == Ran(0, "", "")


@pytest.mark.parametrize("call", ALONE)
def test_a_daemon_with_other_settings_decides_nothing_for_this_hook(live: Live, call: str) -> None:
    evil = live.config.with_name("evil")
    evil.mkdir()
    (evil / "config.json").write_text('{"autoMode":{"enabled":false}}')
    off = live.place.hook("--config", str(evil), payload=live.payload(call))

    done = live.hook(call)

    assert json.loads(off.stdout or "{}").get("verdict") is None
    assert said(done) == ALONE[call]


@pytest.mark.parametrize("daemon", ["a daemon", "none that may decide"])
def test_settings_in_the_agents_environment_forbid_and_permit_nothing(
    live: Live, daemon: str
) -> None:
    if daemon != "a daemon":
        evil = live.config.with_name("evil")
        evil.mkdir()
        live.place.hook("--config", str(evil), payload=live.payload("a read"))
    rules = {"deny": ["read"], "allow": ["mcp__mail__send"]}
    given = {"AUTOMODE_SETTINGS_JSON": json.dumps({"permissions": rules})}

    assert said(live.hook("a read", environment=given)) == ("deny", "rules.deny")
    assert said(live.hook("a tool nobody knows", environment=given))[0] == "ask"
    assert said(live.hook("a read", environment={"AUTOMODE_SETTINGS_JSON": "{"}))[0] == "ask"
    assert said(live.hook("a read")) == VERDICTS["a read"]


def test_settings_in_the_agents_environment_count_in_full_where_the_person_says_so(
    live: Live,
) -> None:
    (live.config / "config.json").write_text('{"trustEnvironment": true}')
    given = {"AUTOMODE_SETTINGS_JSON": '{"permissions": {"allow": ["mcp__mail__send"]}}'}

    done = live.hook("a tool nobody knows", environment=given)

    assert said(done) == ("allow", "rules.allow")
