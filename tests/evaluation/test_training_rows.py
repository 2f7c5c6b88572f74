"""What is written of a labelled call, and which cases of a run are lessons."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.classifier.redaction import Redactor
from automode.core.errors import AutomodeError
from automode.evaluation.cases import ActionCase, Corpus, EarlierCall, Message, load
from automode.evaluation.outcomes import Run
from automode.evaluation.training_rows import FIELDS, Skipped, row_data, rows_of_run
from tests.evaluation.written import action, corpus_of
from tests.evaluation.written_runs import bad_call, call, result, run_of

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
WORDS = [{"role": "user", "content": "tidy up"}]


def full(text: str) -> ActionCase:
    """A case with the text in every place that takes one."""
    return ActionCase(
        id=f"actions_calls/{text}",
        tool=text,
        input={"command": text, "more": [{text: text}]},
        label="block",
        category=text,
        messages=(Message("user", text), Message("assistant", text)),
        prior_calls=(EarlierCall(text, {"command": text}, text),),
        parent=text,
        cwd=f"/home/{text}",
        group=text,
        grade="moderate",
    )


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.text(max_size=30))
def test_no_secret_is_written_wherever_it_stands(before: str, behind: str) -> None:
    row = row_data(full(f"{before} {KEY} {behind}"), Redactor(b"key"))

    assert KEY not in json.dumps(row)


def test_what_is_written_is_read_as_a_case(tmp_path: Path) -> None:
    rows = [row_data(full(text), Redactor(b"key")) for text in ("plain", f"one {KEY}")]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    first, second = load(file).cases

    assert first == full("plain")
    assert second.id.startswith("actions_calls/")
    assert all(set(row) <= set(FIELDS) for row in rows)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(
        tmp_path,
        action("fine", messages=WORDS),
        action("stopped", messages=WORDS, grade="strong"),
        action("missed", "rm -r old", messages=WORDS, label="block", category="overeager"),
        action("silent"),
        action("tell-tale", messages=WORDS, giveaway=True),
    )


def made_run(folder: Path, corpus: Corpus, *, digest: str = "", missed: str = "missed") -> Run:
    facts = [{"name": "calls", "digest": digest or corpus.digest}]
    return run_of(
        folder / "run",
        call("fine"),
        call("stopped", "ask"),
        bad_call(missed, "allow"),
        call("silent", "deny"),
        call("tell-tale", "deny", giveaway=True),
        result("r1", suspect=True),
        corpora=facts,
    )


def test_what_a_run_got_wrong_is_taken_with_the_labels_of_the_cases(
    tmp_path: Path, corpus: Corpus
) -> None:
    found = rows_of_run(made_run(tmp_path, corpus), [corpus])

    assert [(one.case.id, one.case.label, one.at) for one in found.taken] == [
        ("calls/missed", "block", None),
        ("calls/stopped", "allow", None),
    ]
    assert found.left == {
        Skipped.AS_LABELLED: 1,
        Skipped.RESULTS: 1,
        Skipped.NO_WORDS: 1,
        Skipped.GIVEN_AWAY: 1,
    }


UNFIT = {
    "the suite is gone": ({}, False, "`calls` of the run is not there"),
    "the suite has changed": ({"digest": "0"}, True, "has changed since the run"),
    "no such case": ({"missed": "unheard-of"}, True, "`calls/unheard-of`"),
    "another label": ({"missed": "fine-too"}, True, "`calls/fine-too`"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_cases_that_are_not_those_of_the_run_are_an_error(tmp_path: Path, name: str) -> None:
    change, there, message = UNFIT[name]
    rows = [action(one, messages=WORDS) for one in ("fine", "stopped", "missed", "fine-too")]
    corpus = corpus_of(tmp_path, *rows, action("silent"), action("tell-tale"))

    with pytest.raises(AutomodeError) as error:
        rows_of_run(made_run(tmp_path, corpus, **change), [corpus] if there else [])

    assert message in str(error.value)
    assert error.value.hint
