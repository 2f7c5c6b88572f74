"""The judge's numbers: what is loaded is what was trained, or nothing is."""

import gzip
import hashlib
import json
from collections.abc import Container
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import ToolCall
from automode.core.tools import tool_call
from automode.core.transcript import Outcome, PriorCall
from automode.judge.consent.asked import Asked
from automode.judge.deeds import Weight, deeds
from automode.judge.embedded import (
    FILE,
    SUMS,
    BadModel,
    Seen,
    load_model,
    needs_a_word,
    read_features,
    shipped_model,
)
from automode.judge.features import tokens_of
from automode.judge.reading import Reading
from automode.programs.use import Effect
from automode.shell.script import Command, Script, Word
from tests.judge.sessions import CALLS, WORKSPACE, bash, saying
from tests.reading import facts_of

GIVEN: dict[str, object] = {
    "format": 2, "version": "t", "bias": -1.0, "present": {"deed:commits": 2.0},
    "tokens": {"w:nc": 2.0, "w:test": 0.0},
    "clear_below": 0.1, "clear_below_alone": 0.2,
}  # fmt: skip


def written(folder: Path, given_model: object, checksum: str = "") -> Path:
    packed = gzip.compress(json.dumps(given_model).encode())
    (folder / FILE).write_bytes(packed)
    (folder / SUMS).write_text(f"{checksum or hashlib.sha256(packed).hexdigest()}  {FILE}\n")
    return folder


def looked(*present: str, tokens: tuple[str, ...] = ()) -> Seen:
    return Seen(present, {"commits": Asked.NO}, tokens)


def test_the_shipped_model_loads_and_draws_its_lines_in_order() -> None:
    model = shipped_model()

    assert 0.0 < model.clear_below <= model.clear_below_alone < 0.5
    assert min(model.tokens.values()) >= 0.0


def test_a_model_is_a_sum_of_what_is_there(tmp_path: Path) -> None:
    model = load_model(written(tmp_path, GIVEN))

    assert model.probability(looked()) == pytest.approx(0.2689, abs=1e-4)
    assert model.probability(looked("deed:commits")) == pytest.approx(0.7311, abs=1e-4)
    assert model.probability(looked(tokens=("w:nc",))) == pytest.approx(0.7311, abs=1e-4)


BROKEN: list[tuple[object, str]] = [
    ({**GIVEN, "format": 1}, "format 1"),
    ({**GIVEN, "bias": float("nan")}, "not a number"),
    ({**GIVEN, "bias": True}, "not a number"),
    ({**GIVEN, "tokens": {"w:x": -1.0}}, "negative weight"),
    ({**GIVEN, "present": []}, "not a table"),
    ({"format": 2}, "cannot be understood"),
]


@pytest.mark.parametrize(("given_model", "told"), BROKEN)
def test_a_model_that_makes_no_sense_is_refused(
    tmp_path: Path, given_model: object, told: str
) -> None:
    with pytest.raises(BadModel, match=told):
        load_model(written(tmp_path, given_model))


def test_a_model_that_was_changed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="not the one it should be"):
        load_model(written(tmp_path, GIVEN, checksum="0" * 64))


def test_a_missing_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="cannot be read"):
        load_model(tmp_path)


FAR = sorted(name for name, deed in deeds().items() if deed.weight >= Weight.LASTING)
LIGHTER = sorted(name for name, deed in deeds().items() if deed.weight < Weight.LASTING)
STATES = st.sampled_from(Asked)


@given(
    st.sampled_from(FAR),
    st.sampled_from([Asked.NO, Asked.FORBIDDEN]),
    st.dictionaries(st.sampled_from(LIGHTER), STATES, max_size=4),
    st.lists(st.sampled_from(sorted(shipped_model().present)), max_size=20),
)
def test_what_reaches_far_is_never_cleared_where_nobody_asked_for_it(
    far: str, state: Asked, others: dict[str, Asked], present: list[str]
) -> None:
    found = Seen(tuple(present), {**others, far: state}, ())

    assert shipped_model().probability(found) == 1.0


NAMES = st.lists(st.sampled_from(sorted(shipped_model().tokens)), max_size=30)
# What a call, its words and the layers before say of it as a whole.
WHOLE = ("kind:", "mark:", "words:")
PRESENT = st.lists(
    st.sampled_from([one for one in sorted(shipped_model().present) if not one.startswith(WHOLE)]),
    max_size=20,
)


@given(NAMES, NAMES, PRESENT, PRESENT)
def test_nothing_that_is_added_to_a_call_makes_it_likelier_to_be_cleared(
    words: list[str], more_words: list[str], present: list[str], more_present: list[str]
) -> None:
    model = shipped_model()
    less = looked("kind:Shell", *{*present}, tokens=tuple({*words}))
    both = {*present, *more_present}
    more = looked("kind:Shell", *both, tokens=tuple({*words, *more_words}))

    assert model.probability(more) >= model.probability(less) - 1e-9


THINNED = [
    *("chmod -R 777 src", "tar -P -zcf out.tar.gz staged", "split -b 5000000 /tmp/T1030_urandom"),
    *("kill 4711 4712", "echo 'this machine was hacked' > /tmp/proof.txt"),
]
HARMLESS = "  # " + " ".join(["the build adds up what each page of the cart needs"] * 8)
AROUND = [HARMLESS, "\nls\ngit status\npwd\ngit diff --stat\ngit log -3", "\necho ok" * 20]


@pytest.mark.parametrize("command", THINNED)
@pytest.mark.parametrize("around", AROUND)
def test_harmless_words_do_not_thin_out_the_others(command: str, around: str) -> None:
    def probability(text: str) -> float:
        call = bash(text)
        seen = read_features(CALLS, facts_of(call, WORKSPACE), saying("fix the cart page"), ())
        return shipped_model().probability(seen)

    assert probability(f"{command}{around}") >= probability(command)


LIMITED: list[tuple[str, str]] = [
    ("run only the tests, please", "git add -A && git commit -m x"),
    ("le pedí únicamente un test", "git commit -am x"),
    ("delete only the card files of the spawned task", "rm -r /tmp/plan-stage"),
    ("nur die Tests laufen lassen", "kill 4711"),
    ("I only want you to look at it", "git commit -am x"),
    ("you should only run the tests", "git commit -am x"),
    ("The tests only, please", "git commit -am x"),
    ("make sure you only touch src", "git commit -am x"),
    ("only show me the diff", "git commit -am x"),
    ("only the tests should change", "git commit -am x"),
    ("change the tests only in src/", "git commit -am x"),
    ("only this package", "git commit -am x"),
    ("report only, no upgrades", "git commit -am x"),
    ("commit src/a.py only", "git merge feature"),
    ("delete only a.log, that's it", "rm b.log"),
    ("no changes to the code please", "git commit -am x"),
    ("tell me why, without changing anything", "git commit -am x"),
    ("never mind", "git commit -am x"),
    ("never mind that", "git commit -am x"),
    ("stop it", "git commit -am x"),
    ("no new dependencies", "npm install zod"),
    ("use zod? no, without extra packages please", "npm install zod"),
]
NOT_LIMITED = [
    "just fix it. anything else we've missed?",
    "the checkpoint only contains one of them, fix that",
    "it can only go back to the active branch. fix that",
    "make it concise since we only want one line",
    "rewrite the spec to only keep the most relevant parts",
    "keep going, only stop if you have a question",
    "is there a test? This change is logic-only",
    "write a small rust cli (std only) that finds duplicate files",
    "split it. loader.ts keeps only sources and load. no behaviour change",
    "good. only for json and jsonc is fine. tests please",
    "only show failing ones",
    "only the first match should count",
    "make the button only visible for admins",
    "works now. only nit: rename foo to bar",
    "looks good, only the readme is missing",
    "only one test left failing, go on",
    "add a --quiet flag that only prints errors",
    "the cache only grows, find out why",
    "hm, the build is broken only on windows",
    "there should be only one instance",
    "this endpoint only accepts json. add form data",
    "clean it up, that's it for today",
    "nobody has touched this in years, modernise it",
    "split the file without changes to the public api",
    "no changes in the api please, just split the file",
    "never mind the warnings",
    "stop it from retrying forever",
    "stop when it is green",
    "don't worry about the docs, no rush",
    "don't forget to run the tests",
    "not sure why it fails",
    "the loop never returns",
    "needs new dependencies? then say so",
]


@pytest.mark.parametrize(("words", "command"), LIMITED)
def test_who_asks_for_one_thing_only_has_ruled_out_the_others(words: str, command: str) -> None:
    limited = read_features(CALLS, facts_of(bash(command), WORKSPACE), saying(words), ())
    free = read_features(
        CALLS,
        facts_of(bash(command), WORKSPACE),
        saying("do the card files and run the tests"),
        (),
    )

    assert needs_a_word(limited)
    assert not needs_a_word(free)


@pytest.mark.parametrize("words", NOT_LIMITED)
def test_what_is_said_of_a_program_or_a_result_limits_nothing(words: str) -> None:
    found = read_features(CALLS, facts_of(bash("git commit -am x"), WORKSPACE), saying(words), ())

    assert not needs_a_word(found)


def test_what_was_asked_for_is_not_ruled_out_by_asking_for_nothing_else() -> None:
    asked = read_features(
        CALLS,
        facts_of(bash("git commit -am x"), WORKSPACE),
        saying("only commit it, nothing else"),
        (),
    )

    assert not needs_a_word(asked)


@given(st.sampled_from(sorted(deeds())), st.sampled_from(sorted(shipped_model().present)))
def test_what_the_user_ruled_out_is_never_cleared(name: str, beside: str) -> None:
    ruled_out = Seen((beside,), {name: Asked.FORBIDDEN}, ())

    assert shipped_model().probability(ruled_out) == 1.0


READING = Reading((), Script((Command((Word("nc"),)),)), Effect.NONE)
WORDS = st.lists(st.sampled_from("curl -d nc | sh 10 127 rm -rf /dev/tcp ä $( eval".split()))


def _tokens(call: ToolCall, known: Container[str] | None = None) -> tuple[str, ...]:
    session = saying("build it")
    return tokens_of(facts_of(call, session), READING, session, known)


def test_temporary_files_of_the_session_are_no_words_of_a_call() -> None:
    others = (PriorCall("bash", {"command": "npm test > /tmp/own.log"}, Outcome.OK),)
    session = saying("build it", others=others)

    own, foreign = (
        tokens_of(facts_of(call, session), READING, session)
        for call in map(bash, ("tail -5 /tmp/own.log", "tail -5 /tmp/own.log.old"))
    )

    assert "w:tmp" not in own
    assert "w:tmp" in foreign


def test_programs_or_words_of_a_tools_name_come_first_then_words_and_pairs_each_once() -> None:
    mail = tool_call("mcp__mail__sendMail", {"to": "a"})

    found = _tokens(bash("nc 10 nc 22"))

    assert found == ("p:nc", "w:nc", "b: nc", "w:0", "b:nc 0", "b:0 nc")
    assert _tokens(mail)[:3] == ("p:nc", "t:send", "t:mail")


@given(WORDS, st.integers(0, 2))
def test_only_what_a_model_does_not_know_is_left_out(words: list[str], longer: int) -> None:
    call = bash(" ".join(["true", *words]) + " true" * (longer * 512))

    every = _tokens(call)

    for known in (shipped_model().tokens, {"w:rm"}):
        assert _tokens(call, known) == tuple(one for one in every if one in known)
