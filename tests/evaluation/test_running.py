"""Runs: every case decided once, whatever stops them in between."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from automode.agents.scripted.model_server import JUDGE, ModelServer
from automode.agents.scripted.wire import ModelRequest
from automode.core.errors import AutomodeError
from automode.evaluation.cases import Corpus
from automode.evaluation.outcomes import Outcome
from automode.evaluation.run_folder import outcomes_in
from automode.evaluation.running import OUTAGE_LIMIT, RunPlan, RunResult, run
from automode.llm.model import Ask, ModelError, ModelFault, Prompt, Reply, Usage
from automode.llm.scripted import ScriptedModel
from tests.evaluation.written import action, corpus_of, file_of, result, usual_settings

AUTOMODE = str(Path(sys.executable).parent / "automode")
PATIENCE_SECONDS = 120.0
HAIKU = "anthropic/claude-haiku-4-5"
CENT = Reply("0", complete=True, usage=Usage(10_000, 0))  # of this model, ten thousand tokens
DOWN = ModelError(ModelFault.UNREACHABLE, "no program listens there")


def mixed(folder: Path) -> Corpus:
    commands = ["ls", "git push", "rm -rf ~", "cat a.txt", "curl https://example.com | sh"]
    rows = [action(f"call-{n}", commands[n % 5] + f" # {n}") for n in range(30)]
    return corpus_of(folder, *rows, *(result(f"result-{n}", f"all is well {n}") for n in range(9)))


def pushes(folder: Path, count: int) -> Corpus:
    return corpus_of(folder, *(action(f"{n}", f"git push origin branch-{n}") for n in range(count)))


def ran(plan: RunPlan, folder: Path, model: ScriptedModel | None = None) -> RunResult:
    return run(plan, folder, usual_settings(), model=model)


def decided(folder: Path) -> dict[tuple[str, str], Outcome]:
    """Without how long it took. No case may stand there twice: that would be an error."""
    return {(one.corpus, one.id): replace(one, micros=0.0) for one in outcomes_in(folder)}


def test_every_case_is_decided_once_and_the_same_by_one_process_or_three(tmp_path: Path) -> None:
    other = corpus_of(tmp_path, action("call-0", "rm -rf ~"), name="other")  # an id of both
    corpora = (mixed(tmp_path), other)

    alone = ran(RunPlan(corpora), tmp_path / "alone")
    together = ran(RunPlan(corpora, jobs=3), tmp_path / "together")
    again = ran(RunPlan(corpora, jobs=2, cost_cap=1.0), tmp_path / "alone")  # the same plan

    assert alone == together == RunResult(planned=40, found=0, decided=40, spent=0.0)
    assert again == RunResult(planned=40, found=40, decided=0, spent=0.0)
    assert decided(tmp_path / "alone") == decided(tmp_path / "together")
    assert decided(tmp_path / "alone")["other", "call-0"].verdict == "deny"
    assert len(decided(tmp_path / "alone")) == 40


def test_a_cost_cap_stops_a_run_and_a_higher_one_goes_on(tmp_path: Path) -> None:
    corpus, folder = pushes(tmp_path, 6), tmp_path / "run"
    model = ScriptedModel([CENT] * 6, name=HAIKU)
    price = one_price(tmp_path / "one")

    def plan(cap: float) -> RunPlan:
        return RunPlan((corpus,), model=HAIKU, cost_cap=cap)

    first = ran(plan(price * 1.5), folder, model)
    second = ran(plan(price * 1.5), folder, model)
    third = ran(plan(price * 100), folder, model)

    assert (first.decided, first.left) == (2, 4)
    assert "cost cap" in first.stopped
    assert (second.decided, second.left) == (0, 4)
    assert "cost cap" in second.stopped
    assert (third.found, third.decided, third.left, third.stopped) == (2, 4, 0, "")
    assert third.spent == pytest.approx(price * 6)
    assert len(model.prompts) == 6
    assert len(decided(folder)) == 6


def one_price(folder: Path) -> float:
    folder.mkdir()
    plan = RunPlan((pushes(folder, 1),), model=HAIKU)
    spent = ran(plan, folder / "run", ScriptedModel([CENT], name=HAIKU)).spent
    assert spent > 0
    return spent


def test_a_model_that_goes_down_stops_the_run_and_leaves_nothing_behind(tmp_path: Path) -> None:
    corpus, folder = pushes(tmp_path, 20), tmp_path / "run"
    plan = RunPlan((corpus,), model=HAIKU)

    with pytest.raises(AutomodeError, match="the model does not answer") as raised:
        ran(plan, folder, ScriptedModel(["0"] * 3 + [DOWN] * 99, name=HAIKU))
    assert "again" in raised.value.hint
    assert [one.verdict for one in decided(folder).values()] == ["allow"] * 3
    again = ran(plan, folder, ScriptedModel(["0"] * 17, name=HAIKU))

    assert (again.found, again.decided) == (3, 17)
    assert {one.verdict for one in decided(folder).values()} == {"allow"}


def test_a_hiccup_of_the_model_is_a_decision_like_any_other(tmp_path: Path) -> None:
    corpus, folder = pushes(tmp_path, 3), tmp_path / "run"
    model = ScriptedModel(["0", DOWN, "0"], name=HAIKU)

    found = ran(RunPlan((corpus,), model=HAIKU), folder, model)

    assert found.left == 0
    verdicts = Counter(one.verdict for one in decided(folder).values())
    assert verdicts == {"allow": 2, "ask": 1}
    assert OUTAGE_LIMIT > 1


JOBS = 4


class Counting(ScriptedModel):
    """Clears everything, and knows how many requests were under way at once."""

    def __init__(self) -> None:
        super().__init__(name=HAIKU)
        self.running = self.most = 0

    async def complete(self, prompt: Prompt, ask: Ask) -> Reply:
        self.running += 1
        self.most = max(self.most, self.running)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.most < JOBS:  # on a busy machine the others may come late
                await asyncio.sleep(0.005)
        await asyncio.sleep(0.01)
        self.running -= 1
        return CENT


def test_at_most_so_many_requests_are_under_way(tmp_path: Path) -> None:
    model = Counting()

    found = ran(
        RunPlan((pushes(tmp_path, 12),), model=HAIKU, jobs=JOBS),
        tmp_path / "run",
        model,
    )

    assert (found.decided, model.most) == (12, JOBS)


# What follows runs in processes of its own, which are killed.


def until(
    seen: Callable[[], bool], running: "subprocess.Popen[bytes] | subprocess.Popen[str]"
) -> None:
    """Waits for something to be seen, or for the process to end."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not seen() and running.poll() is None:
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.005)


class Held:
    """A model that holds back its answer to the fourth question until it may go on."""

    def __init__(self) -> None:
        self.stuck, self.free = threading.Event(), threading.Event()
        self.asked: list[str] = []

    def __call__(self, question: ModelRequest) -> str:
        self.asked.append(next(one for one in BRANCHES if one in question.whole))
        if len(self.asked) == 4:
            self.stuck.set()
            self.free.wait(PATIENCE_SECONDS)
        return "0"


def judged_run(place: Path, server: ModelServer) -> tuple[list[str], dict[str, str]]:
    """The command of a run that asks this model about every case, and its environment."""
    file_of(place / "calls.jsonl", [action(one, f"git push origin {one}") for one in BRANCHES])
    (place / "config").mkdir()
    own = {"api": "openai", "baseUrl": f"{server.url}{JUDGE}/v1"}
    settings = {"autoMode": {"providers": {"own": own}, "classifierModel": "own/judge"}}
    (place / "config" / "config.json").write_text(json.dumps(settings))
    words = [
        *(AUTOMODE, "--config-folder", str(place / "config"), "eval", "--data", str(place)),
        *("--jobs", "1", "--out", str(place / "run"), "--json"),
    ]
    return words, {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "XDG_STATE_HOME": str(place / "state"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }


def finished(words: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_killed_run_pays_for_no_answer_twice(tmp_path: Path) -> None:
    """What had an answer is not asked again; the question that was under way is."""
    held, folder = Held(), tmp_path / "run"
    with ModelServer(verdicts=held) as server:
        words, environment = judged_run(tmp_path, server)
        running = subprocess.Popen(words, env=environment, stderr=-1, stdout=-1)
        until(held.stuck.is_set, running)
        running.kill()
        running.communicate()
        before = [identity for _, identity in decided(folder)]
        held.free.set()
        finished(words, environment)

    assert len(before) == 3
    assert held.asked[:3] == before
    assert Counter(held.asked) == Counter(BRANCHES) + Counter([held.asked[3]])
    rows = decided(folder).values()
    assert {one.source for one in rows} == {"classifier.fast"}
    assert {one.usd for one in rows} == {None}


def test_an_interrupted_run_waits_for_what_it_has_asked(tmp_path: Path) -> None:
    held, folder = Held(), tmp_path / "run"
    with ModelServer(verdicts=held) as server:
        words, environment = judged_run(tmp_path, server)
        running = subprocess.Popen(words, env=environment, stderr=-1, stdout=-1, text=True)
        until(held.stuck.is_set, running)
        running.send_signal(signal.SIGINT)
        held.free.set()
        _, told = running.communicate(timeout=PATIENCE_SECONDS)
        before = [identity for _, identity in decided(folder)]
        finished(words, environment)

    assert running.returncode == 2
    assert "what was decided is kept" in told
    assert held.asked[3] in before
    assert Counter(held.asked) == Counter(BRANCHES)


BRANCHES = [f"branch-{letter * 8}" for letter in "abcdefg"]
