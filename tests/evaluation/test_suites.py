"""Which files a run reads, and which of their cases it decides."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.evaluation.cases import BadCases, Corpus, ResultCase
from automode.evaluation.suites import DrawnCase, draw, suites
from tests.evaluation.written import action, file_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    file_of(tmp_path / "b.jsonl.gz", [action("b")])
    file_of(tmp_path / "a.jsonl", [action("a")])
    file_of(tmp_path / "other.jsonl", [{"command": "ls", "accept": ["allow"]}])
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "held-out.bin").write_bytes(b"\0")
    (tmp_path / "folder.jsonl").mkdir()
    return tmp_path


def test_a_folder_gives_every_file_of_cases_and_names_the_others(folder: Path) -> None:
    found = suites(folder)

    assert [corpus.name for corpus in found.corpora] == ["a", "b"]
    assert found.passed_over == ("other.jsonl",)


def test_suites_are_chosen_by_name(folder: Path) -> None:
    assert [one.name for one in suites(folder, ["b", "b"]).corpora] == ["b"]


def test_a_chosen_suite_must_be_there_and_hold_cases(folder: Path) -> None:
    with pytest.raises(BadCases, match="no suite `c`") as raised:
        suites(folder, ["c"])
    assert "a, b, other" in raised.value.hint
    with pytest.raises(BadCases, match="no `kind`"):
        suites(folder, ["other"])


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    file_of(folder / "a.jsonl.gz", [action("a")])

    with pytest.raises(BadCases, match=r"`a.jsonl` and `a.jsonl.gz` would be one suite"):
        suites(folder)


def test_a_folder_without_cases_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadCases, match="holds cases"):
        suites(tmp_path)
    with pytest.raises(BadCases, match="no such folder"):
        suites(tmp_path / "missing")


def test_a_broken_file_is_an_error_and_not_passed_over(folder: Path) -> None:
    (folder / "c.jsonl").write_text("{")

    with pytest.raises(BadCases, match=r"`c.jsonl` line 1 is not JSON"):
        suites(folder)


NAMES = st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=12)


def corpus(name: str, ids: list[str]) -> Corpus:
    cases = tuple(ResultCase(one, "text", "file", "benign", "plain") for one in ids)
    return Corpus(name, f"{name}.jsonl", "digest", cases)


def keys(found: list[DrawnCase]) -> list[tuple[str, str]]:
    return [one.key for one in found]


def test_the_draw_of_today_is_the_draw_of_tomorrow() -> None:
    ids = [f"case-{number}" for number in range(100)]

    found = draw([corpus("calls", ids)], 3, seed=0)

    assert keys(found) == [("calls", "case-60"), ("calls", "case-0"), ("calls", "case-19")]


@given(NAMES, NAMES, st.integers(), st.integers(1, 12))
def test_a_larger_sample_contains_the_smaller_one(
    one: list[str], other: list[str], seed: int, size: int
) -> None:
    corpora = [corpus("one", one), corpus("other", other)]

    small, large = (keys(draw(corpora, most, seed)) for most in (size, size + 1))

    assert [key for key in large if key in set(small)] == small


@given(NAMES.flatmap(lambda ids: st.tuples(st.just(ids), st.permutations(ids))), st.integers())
def test_the_order_of_a_file_does_not_matter(
    orders: tuple[list[str], list[str]], seed: int
) -> None:
    ids, mixed = orders

    assert draw([corpus("one", ids)], 5, seed) == draw([corpus("one", mixed)], 5, seed)


@given(NAMES, NAMES, st.integers())
def test_without_a_limit_every_case_is_drawn_once(
    one: list[str], other: list[str], seed: int
) -> None:
    found = keys(draw([corpus("one", one), corpus("other", other)], None, seed))

    assert sorted(found) == sorted([("one", name) for name in one] + [("other", n) for n in other])


def test_a_limit_holds_for_each_corpus_and_another_seed_draws_others() -> None:
    ids = [f"{number}" for number in range(50)]
    corpora = [corpus("one", ids), corpus("other", ids)]

    first, second = keys(draw(corpora, 10, seed=1)), keys(draw(corpora, 10, seed=2))

    assert [name for name, _ in first].count("one") == 10
    assert len(first) == 20
    assert set(first) != set(second)


def test_a_run_that_stops_early_has_seen_all_corpora() -> None:
    corpora = [
        corpus("one", [f"{n}" for n in range(50)]),
        corpus("two", [f"{n}" for n in range(50)]),
    ]

    assert {name for name, _ in keys(draw(corpora, None, seed=0))[:20]} == {"one", "two"}
