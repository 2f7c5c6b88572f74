"""`automode on`, `off`, `reset` and `reload`: which session is meant, and what becomes of it."""

import json
import time
from pathlib import Path

import pytest

from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.store import tables
from automode.store.open import reading
from tests.cli.daemons import Place
from tests.cli.stored import keep, kept_session, record

pytestmark = pytest.mark.usefixtures("a_person")
ONE, TWO = SessionKey("pi", "one-1"), SessionKey("claude-code", "two-2")
VERBS = ["on", "off", "reset"]


def modes(place: Place) -> dict[str, str]:
    with reading(place.state) as db:
        return {str(row.key): row.mode for row in tables.sessions(db)}


def test_only_the_named_session_is_switched_and_all_means_every_one(place: Place) -> None:
    keep(place.state, kept_session(ONE), kept_session(TWO))

    for name, mode in (("one", "off"), ("claude-code/two-2", "on")):
        assert place.run(mode, "--session", name).returncode == 0
    named = modes(place)
    found = place.json("off", "--all")["sessions"]

    assert named == {str(ONE): "off", str(TWO): "on"}
    assert isinstance(found, list)
    assert sorted(found) == sorted([str(ONE), str(TWO)])
    assert set(modes(place).values()) == {"off"}


@pytest.mark.parametrize("verb", VERBS)
def test_the_only_session_of_this_project_need_not_be_named(place: Place, verb: str) -> None:
    keep(
        place.state,
        kept_session(ONE, root=place.project),
        kept_session(TWO, root="/elsewhere"),
        kept_session(SessionKey("pi", "ended"), root=place.project, ended=time.time()),
        kept_session(SessionKey("pi", "old"), root=place.project, seen=time.time() - 10 * 86_400),
        kept_session(SessionKey("cli", "cli-2026-01-01"), root=place.project),
    )

    assert place.json(verb) == {"sessions": [str(ONE)]}


UNCLEAR = {
    "none at all": ([], "no session runs", "none is known"),
    "none here": ([(TWO, "/elsewhere")], "no session runs", "claude-code/two-2 in /elsewhere"),
    "two here": ([(ONE, ""), (TWO, "")], "2 sessions run", "pi/one-1"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("known", "said", "hint"), UNCLEAR.values(), ids=UNCLEAR.keys())
def test_where_it_is_not_clear_which_one_is_meant_the_error_lists_them(
    place: Place, verb: str, known: list[tuple[SessionKey, str]], said: str, hint: str
) -> None:
    keep(place.state, *(kept_session(key, root=root or place.project) for key, root in known))

    result = place.run(verb)

    error, way_out = result.stderr.splitlines()
    assert result.returncode == 2
    assert said in error
    assert hint in way_out
    assert set(modes(place).values()) <= {""}


def test_reset_without_a_daemon_clears_what_is_kept(place: Place) -> None:
    past = [record(number, session=ONE, verdict=Verdict.HALT) for number in range(9)]
    keep(place.state, kept_session(ONE), *past)
    before = place.json("status", "--session", "one")

    place.run("reset", "--session", "one")

    after = place.json("status", "--session", "one")
    assert (before["checkedActions"], before["halted"]) == (9, True)
    assert (after["checkedActions"], after["halted"]) == (0, False)


def test_without_a_daemon_there_is_nothing_to_reload(place: Place) -> None:
    assert "nothing to reload" in place.run("reload").stdout
    assert place.json("reload") == {"reloaded": False}


def test_the_next_call_is_decided_by_the_new_settings(served: Place) -> None:
    before = served.proposed("git push")["source"]
    rules = {"permissions": {"deny": ["bash(git push*)"]}}
    (Path(served.config) / "config.json").write_text(json.dumps(rules))

    reloaded = served.json("reload")

    assert reloaded == {"reloaded": True}
    assert (before, served.proposed("git push")["source"]) == ("classifier.local", "rules.deny")
