"""What the pages show, and that nothing of a call gets out of its place."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from automode.classifier.events import UserPrompt
from automode.config.load import Loaded
from automode.core.decision import Verdict
from automode.core.record import SessionKey
from automode.sessions.transcript_text import call_text, event_text
from automode.store.changes import Heard
from automode.ui.window import clean, marked
from tests.cli.stored import keep, record
from tests.ui.windows import DENIED, HOSTILE, OTHER, RECORDS, Client, window_on


class Tags(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def actions(page: str) -> list[str]:
    return re.findall(r'<code class="action">(.*?)</code>', page)


FILTERS = {
    "": ["git push", DENIED.action, "git status"],
    "verdict=deny": [DENIED.action],
    "verdict=stopped": ["git push", DENIED.action],
    "agent=pi": ["git push"],
    f"session={OTHER}": ["git push"],
    "source=classifier": [DENIED.action],
    "source=class": [],
    "project=/w": ["git push", DENIED.action, "git status"],
    "project=/elsewhere": [],
    "text=PROD+nobody": [DENIED.action],
    "text=100%25": [],
    "text=gi_": [],
    "verdict=allow&text=git": ["git status"],
}


@pytest.mark.parametrize(("query", "shown"), FILTERS.items())
def test_a_filter_shows_what_fits_the_newest_first(
    client: Client, query: str, shown: list[str]
) -> None:
    assert actions(client.get(client.at(f"/now?{query}")).text) == shown


@pytest.mark.parametrize("query", ["verdict=maybe", "session=nohost", "before=1;drop", "before=-1"])
def test_a_filter_that_makes_no_sense_is_named(client: Client, query: str) -> None:
    answer = client.get(client.at(f"/now?{query}"))

    assert answer.status_code == 400
    assert "That did not work" in answer.text


def test_older_decisions_come_page_by_page_each_once(tmp_path: Path) -> None:
    many = [record(number, action=f"echo {number}") for number in range(1, 121)]
    client = Client(window_on(tmp_path, *many)).sign_in()

    seen: list[str] = []
    address = client.at("/now")
    for _ in range(3):
        page = client.get(address, headers={"hx-request": "true"}).text
        seen += actions(page)
        more = re.search(r'hx-get="([^"]*before=\d+)"', page)
        address = more[1] if more else ""

    assert address == ""
    assert seen == [f"echo {number}" for number in range(120, 0, -1)]


def test_a_decision_is_shown_with_who_decided_why_and_what_it_cost(client: Client) -> None:
    page = Tags(client.get(client.at(f"/decision/{DENIED.id}")).text).text

    for told in (
        *(DENIED.action, DENIED.reason, DENIED.source, str(DENIED.session.id), "/w"),
        *("kubectl changes the cluster", "mine/m", "$0.0021", "Approve one retry"),
    ):
        assert told in page, told


UNKNOWN = {"zzz": "no record has the id zzz", "r0": "more than one record begins with r0"}


@pytest.mark.parametrize(("wanted", "said"), UNKNOWN.items())
def test_an_id_that_means_no_record_is_named(client: Client, wanted: str, said: str) -> None:
    answer = client.get(client.at(f"/decision/{wanted}"))

    assert answer.status_code == 400
    assert said in Tags(answer.text).text


def test_a_call_is_read_again_with_every_layers_opinion(client: Client) -> None:
    page = Tags(client.get(client.at(f"/decision/{DENIED.id}/again")).text).text

    assert "kubectl delete namespace prod" in page
    for layer in ("floor", "read-only", "rules"):
        assert layer in page
    assert "Read in full" in page
    assert "classifier" in page
    assert "decides" in page


def test_the_prompt_for_a_model_is_made_anew(tmp_path: Path) -> None:
    window = window_on(tmp_path, DENIED)
    given = UserPrompt("Clean up </pre><b>the cluster")
    call = call_text("c1", DENIED.tool, DENIED.input, None)
    keep(window.state, Heard(DENIED.session, event_text(given, str)), Heard(DENIED.session, call))
    client = Client(window).sign_in()

    page = client.get(client.at(f"/decision/{DENIED.id}/again")).text

    assert "Latest action to classify" in page
    assert "Clean up &lt;/pre&gt;&lt;b&gt;the cluster" in page
    assert "## hard_deny" in page
    assert "made now" in page


def test_files_that_a_command_touches_are_named(tmp_path: Path) -> None:
    call = replace(DENIED, input='{"command": "cp a.txt b.txt > log.txt"}')
    client = Client(window_on(tmp_path, call)).sign_in()

    page = client.get(client.at(f"/decision/{call.id}/again")).text

    for kind, word in (("reads", "a.txt"), ("writes", "b.txt"), ("writes", "log.txt")):
        assert f"<dt>{kind}</dt><dd><code>{word}</code></dd>" in page, word


def test_a_call_that_was_cut_when_it_was_recorded_is_not_read_again(tmp_path: Path) -> None:
    cut = replace(DENIED, input='{"command": "ls')
    client = Client(window_on(tmp_path, cut)).sign_in()

    answer = client.get(client.at(f"/decision/{cut.id}/again"))

    assert answer.status_code == 400
    assert "too long to be recorded whole" in answer.text


WHAT_IF = {
    # edited rules                                       what is said
    ("allow", "bash(kubectl delete namespace prod)"): "rules.allow",
    ("deny", "bash(kubectl *)"): "rules.deny",
    ("ask", "bash(kubectl *)"): "rules.ask",
    ("allow", ""): "These rules change nothing",
}


@pytest.mark.parametrize(("rule", "said"), WHAT_IF.items())
def test_a_call_is_tried_against_edited_rules(
    client: Client, rule: tuple[str, str], said: str
) -> None:
    given = {"csrf": client.csrf(), rule[0]: rule[1]}

    answer = client.post(client.at(f"/decision/{DENIED.id}/what-if"), data=given)

    assert said in answer.text


def test_a_rule_that_is_none_is_named(client: Client) -> None:
    given = {"csrf": client.csrf(), "allow": "bash("}

    answer = client.post(client.at(f"/decision/{DENIED.id}/what-if"), data=given)

    assert answer.status_code == 400
    assert "bash(" in answer.text


def test_an_answer_without_a_daemon_says_how_to_start_one(client: Client) -> None:
    given = {"csrf": client.csrf(), "how": "once"}

    answer = client.post(client.at(f"/decision/{DENIED.id}/approve"), data=given)

    assert answer.status_code == 400
    assert "automode daemon start" in answer.text


def test_whatever_a_call_holds_stays_text(tmp_path: Path) -> None:
    rows = [
        replace(
            record(
                number,
                verdict=Verdict.DENY,
                tool=text,
                action=text,
                source=f"floor.{text}",
                reason=text,
                session=SessionKey(text, text),
            ),
            input=text,
            advice=text,
            root=text,
            cwd=text,
        )
        for number, text in enumerate(HOSTILE)
    ]
    client = Client(window_on(tmp_path, *rows)).sign_in()
    plain = Client(window_on(tmp_path / "plain", *RECORDS)).sign_in()
    pages = {path: client.get(client.at(path)).text for path in ("/now",)}
    pages |= {one.id: client.get(client.at(f"/decision/{one.id}")).text for one in rows}
    usual = {tag for tag, _ in Tags(plain.get(plain.at("/now")).text).found}
    usual |= {tag for tag, _ in Tags(plain.get(plain.at(f"/decision/{DENIED.id}")).text).found}

    for path, page in pages.items():
        tags = Tags(page)
        assert {tag for tag, _ in tags.found} <= usual, path
        for tag, given in tags.found:
            assert not any(name.startswith("on") or name == "style" for name in given), (
                path,
                given,
            )
            assert tag != "script" or given["src"], path
        assert "49" not in re.findall(r"\b49\b", tags.text), path
        bad = {one for one in page if not one.isprintable() and one not in "\n\t"}
        assert bad == set(), (path, bad)
    assert "alert(1)" in Tags(pages[rows[0].id]).text
    assert r"\u202e" in Tags(pages[rows[4].id]).text


def test_names_of_a_megabyte_neither_fill_a_page_nor_break_it(tmp_path: Path) -> None:
    long = "ü" * 1_000_000
    huge = replace(
        record(1, tool=long, action=long[:6000], reason=long, session=SessionKey(long, long)),
        root=long,
        cwd=long,
        advice=long,
        input=long,
    )
    client = Client(window_on(tmp_path, huge)).sign_in()

    listed = client.get(client.at("/now"))
    opened = client.get(client.at(f"/decision/{huge.id}"))

    assert (listed.status_code, opened.status_code) == (200, 200)
    assert len(listed.text) < 20_000
    assert len(opened.text) < 2_000_000


PROSE = {
    "run `a` now": "run <code>a</code> now",
    "one ` alone": "one ` alone",
    "`<b>` & `\u202e`": "<code>&lt;b&gt;</code> &amp; <code>\\u202e</code>",
    "{0} `{1}`": "{0} <code>{1}</code>",
}


@pytest.mark.parametrize(("text", "shown"), PROSE.items())
def test_what_stands_in_backticks_is_code_and_nothing_else_is_markup(text: str, shown: str) -> None:
    assert str(marked(text)).lstrip() == shown


def test_a_fault_of_ours_is_told_by_its_kind_alone(client: Client) -> None:
    def load(project: str | None) -> Loaded:
        raise ZeroDivisionError("rm -rf secret")

    client.window.load = load
    careless = Client(client.window, raises=False).sign_in()

    answer = careless.get(careless.at(f"/decision/{DENIED.id}/again"))

    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.text
    assert "secret" not in answer.text


def test_a_value_of_a_megabyte_is_cut() -> None:
    assert len(clean("\u202e" * 1_000_000)) <= 600_001
    assert clean("x" * 1_000_000).endswith("x…")
    assert clean("a\tb\nc") == "a\tb\nc"
