"""The folder of a run: it belongs to one plan, and holds whole lines only."""

import json
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from automode.config.settings import Permissions, Policy, Rule, Settings, Source, Stages
from automode.core.errors import AutomodeError
from automode.core.session import Mode
from automode.evaluation.cases import Expected
from automode.evaluation.outcomes import Outcome
from automode.evaluation.run_folder import (
    DECISIONS,
    FACTS,
    Decisions,
    digest,
    facts_in,
    outcomes_in,
    prepare_folder,
    run_facts,
)
from tests.evaluation.written import action, corpus_of, usual_settings
from tests.rows import each_row

ONE = Outcome("1", "calls", good=True, verdict="allow", source="read-only")
TWO = Outcome(
    "2",
    "calls",
    good=False,
    verdict="ask",
    source="rules.ask",
    reason="não\n",
    trail=("a", "b"),
    tokens={"input": 1.0},
    expected=Expected("ask", "rules.ask"),
)
LINES = [json.dumps(asdict(one)) for one in (ONE, TWO)]


def test_what_was_added_is_found_again(tmp_path: Path) -> None:
    with closing(Decisions(tmp_path)) as decisions:
        assert decisions.outcomes == ()
        decisions.add(ONE)
        assert list(outcomes_in(tmp_path)) == [ONE]
        decisions.add(TWO)

    with closing(Decisions(tmp_path)) as decisions:
        assert decisions.outcomes == (ONE, TWO)


@each_row("cut", range(1, len(LINES[1]) + 1, 40))
def test_half_a_line_at_the_end_is_cut_off(cut: int, tmp_path: Path) -> None:
    (tmp_path / DECISIONS).write_text(f"{LINES[0]}\n{LINES[1][:cut]}")

    assert list(outcomes_in(tmp_path)) == [ONE]
    with closing(Decisions(tmp_path)) as decisions:
        assert decisions.outcomes == (ONE,)
        decisions.add(TWO)

    assert list(outcomes_in(tmp_path)) == [ONE, TWO]


def test_only_one_run_writes_at_a_time(tmp_path: Path) -> None:
    with closing(Decisions(tmp_path)), pytest.raises(AutomodeError, match="another run") as raised:
        Decisions(tmp_path)

    assert "--out" in raised.value.hint


@each_row("line", ["{", "[]", '{"id": 1, "corpus": "c"}', '{"id": "1"}', ""])
def test_a_line_that_no_run_wrote_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / DECISIONS).write_text(f"{LINES[0]}\n{line}\n")

    with pytest.raises(AutomodeError, match="line 2") as raised:
        Decisions(tmp_path)

    assert "--out" in raised.value.hint
    with pytest.raises(AutomodeError, match="line 2"):
        Decisions(tmp_path)  # the first try holds no lock


PLAN = {"seed": 0, "sample": None, "classifier": False}


def test_a_run_says_what_it_ran_with_and_names_nobody(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, action("a"))

    facts = run_facts(PLAN, [corpus], usual_settings())

    assert facts["plan"] == PLAN
    assert facts["corpora"] == [
        {"name": "calls", "digest": corpus.digest, "actions": 1, "results": 0}
    ]
    text = json.dumps(facts)
    assert str(tmp_path) not in text
    assert str(Path.home()) not in text


def test_the_same_run_finds_its_folder_again(tmp_path: Path) -> None:
    facts = run_facts(PLAN, [], usual_settings())

    prepare_folder(tmp_path / "run", facts)
    prepare_folder(tmp_path / "run", facts | {"started": "later"})

    assert facts_in(tmp_path / "run") == facts


def test_what_decides_otherwise_is_another_run(tmp_path: Path) -> None:
    calls = corpus_of(tmp_path, action("a"))
    others = corpus_of(tmp_path, action("a", label="block"))
    usual = usual_settings()
    prepare_folder(tmp_path / "run", run_facts(PLAN, [calls], usual))
    denying = replace(usual, permissions=Permissions(deny=(Rule("bash", Source.USER),)))
    stricter = replace(usual, policy=Policy(hard_deny=(Rule("never push", Source.USER),)))
    different = {
        "plan": run_facts(PLAN | {"seed": 1}, [calls], usual),
        "corpora": run_facts(PLAN, [others], usual),
        "settings": run_facts(PLAN, [calls], denying),
        "settings and policy": run_facts(PLAN, [calls], stricter),
    }

    for what, facts in different.items():
        with pytest.raises(AutomodeError, match=f"holds another run: its {what} differ") as raised:
            prepare_folder(tmp_path / "run", facts)
        assert "--out" in raised.value.hint


def test_where_something_is_written_decides_nothing() -> None:
    here = Settings(permissions=Permissions(deny=(Rule("bash", Source.USER, "a", 1),)))
    moved = Settings(permissions=Permissions(deny=(Rule("bash", Source.USER, "b", 3),)))

    assert digest(moved) == digest(here)
    assert digest(replace(here, mode=Mode.SHADOW)) == digest(here)
    assert digest(replace(here, store="postgres")) == digest(here)
    assert digest(replace(here, stages=Stages.FAST)) != digest(here)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")

    with pytest.raises(AutomodeError, match="holds other things than a run"):
        prepare_folder(tmp_path, run_facts(PLAN, [], usual_settings()))

    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


NO_RUNS = {"no JSON": "{", "another shape": "[]", "of later": '{"format": 3, "fingerprint": "x"}'}


@each_row("text", NO_RUNS.values())
def test_a_run_that_cannot_be_read_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / FACTS).write_text(text)

    for place in (tmp_path, tmp_path / "elsewhere"):
        with pytest.raises(AutomodeError) as raised:
            facts_in(place)
        assert raised.value.hint
