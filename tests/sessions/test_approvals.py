"""A person's yes opens exactly one call: the same session, tool, input, folder and files."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import CallProposed, SessionEnded, SessionStarted
from automode.assemble import READER
from automode.core.call import ToolCall
from automode.core.errors import AutomodeError, BadCall
from automode.core.record import SessionKey
from automode.core.session import Session
from automode.core.tools import tool_call
from automode.facts.place import live_workspace
from automode.llm.scripted import ScriptedModel
from automode.sessions.decision_service import DecisionService, Ruling
from automode.sessions.layers import ONCE_SECONDS
from automode.sessions.live_session import Override
from automode.sessions.retries import LARGEST_READ, MOST_BELOW, Retries, canonical_json
from tests.sessions.service_setup import (
    HARD,
    HOST,
    KEY,
    LOOK,
    Judging,
    Losing,
    Setup,
    decision,
    records,
    said,
    working,
)

SECRET_KEY = b"k" * 32


@pytest.fixture
def place(tmp_path: Path) -> Session:
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.sh").write_text("echo 1")
    return Session("plain/s", live_workspace(str(tmp_path)), host="plain")


def digest(call: ToolCall, session: Session, key: bytes = SECRET_KEY) -> str:
    return Retries(key, READER).exact(call, session, canonical_json(call.input))


def bash(command: str, **more: object) -> ToolCall:
    return tool_call("bash", {"command": command, **more})


OTHERS: dict[str, Callable[[Session], tuple[ToolCall, Session]]] = {
    "another input": lambda s: (bash("bash run.sh -x"), s),
    "another field": lambda s: (bash("bash run.sh", timeout=5), s),
    "another tool": lambda s: (tool_call("Bash", {"command": "bash run.sh"}), s),
    "another session": lambda s: (bash("bash run.sh"), replace(s, id="plain/t")),
    "another folder": lambda s: (
        bash("bash run.sh"),
        replace(s, workspace=replace(s.workspace, cwd="/")),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_anything_else_is_no_exact_retry(place: Session, name: str) -> None:
    other = digest(*OTHERS[name](place))

    assert other != digest(bash("bash run.sh"), place)
    assert digest(bash("bash run.sh"), place) == digest(bash("bash run.sh"), place)


def test_the_digest_is_keyed(place: Session) -> None:
    call = bash("curl -u me:secret x.test")

    assert digest(call, place) != digest(call, place, b"another key" * 3)


SHELLS = [
    "bash run.sh",
    "bash ./run.sh",
    "X=1; sh run.sh $X",
    "python -c pass && sh run.sh",
    "word " * 300 + "run.sh",
]


@pytest.mark.parametrize("command", SHELLS)
def test_a_script_that_changed_makes_it_another_call(place: Session, command: str) -> None:
    script = Path(place.workspace.cwd) / "run.sh"
    before = digest(bash(command), place)
    status = script.stat()

    script.write_text("echo 2")
    changed = digest(bash(command), place)
    script.write_text("echo 1")

    assert status.st_size == script.stat().st_size
    assert changed != before
    assert digest(bash(command), place) == before


NAMED_BY_THE_READING = {
    "cd sub && bash y.sh": "sub/y.sh",
    "(cd sub; ./y.sh)": "sub/y.sh",
    "pushd sub; bash y.sh": "sub/y.sh",
    "env -C sub bash y.sh": "sub/y.sh",
    "bash 'a b.sh'": "a b.sh",
    r"bash a\ b.sh": "a b.sh",
    "bash x'.'sh": "x.sh",
    "bash $PWD/x.sh": "x.sh",
    "bash x.s?": "x.sh",
    "bash x*": "x.sh",
    "cat x.sh | sh": "x.sh",
    "sh <x.sh": "x.sh",
    'F=x.sh; bash "$F"': "x.sh",
    "bash $F": "x.sh",
    "make -C sub all": "sub/Makefile",
    "make -Csub all": "sub/Makefile",
    "make": "Makefile",
    "python3 -m mod": "mod.py",
    "python3 -m pkg": "pkg/__main__.py",
    "pytest -q": "conftest.py",
    "bash <<< 'source x.sh'": "x.sh",
    "bash -c 'cd sub && ./y.sh'": "sub/y.sh",
    "PYTHONSTARTUP=x.sh python3": "x.sh",
}


@pytest.mark.parametrize("command", NAMED_BY_THE_READING)
def test_names_are_those_that_the_shell_would_see_or_no_retry_is_exact(
    place: Session, command: str
) -> None:
    script = Path(place.workspace.cwd) / NAMED_BY_THE_READING[command]
    script.parent.mkdir(exist_ok=True)
    script.write_text("one")
    before = digest(bash(command), place)

    script.write_text("two")

    assert before == "" or digest(bash(command), place) != before


@pytest.mark.parametrize(
    "command",
    [*(one for one in SHELLS), "cd sub && bash y.sh", "bash 'a b.sh'", "make -C sub all", "make"],
)
def test_plain_names_can_be_approved(place: Session, command: str) -> None:
    (Path(place.workspace.cwd) / "sub").mkdir()

    assert digest(bash(command), place) != ""


@pytest.mark.parametrize(
    "command", ["rm -rf build/*", "rm -rf build", "cp -r data build/", "rsync -a data/ build/"]
)
def test_a_folder_that_became_a_link_makes_it_another_call(place: Session, command: str) -> None:
    folder = Path(place.workspace.cwd)
    (folder / "build").mkdir()
    (folder / "other").mkdir()
    before = digest(bash(command), place)

    (folder / "build").rmdir()
    (folder / "build").symlink_to("other")

    assert before == "" or digest(bash(command), place) != before


@pytest.mark.parametrize(
    "command",
    [
        "cd work && git push",
        "cd $PWD/work; git push",
        "git -C work push",
        "git -Cwork push",
        "make -C work",
        "rm -rf work",
        "curl x.test | jq .",
        "gh api x -q .",
        "echo work",
    ],
)
def test_what_lies_in_a_folder_is_of_no_account_where_nobody_works_on_it(
    place: Session, command: str
) -> None:
    folder = Path(place.workspace.cwd, "work")
    folder.mkdir()
    before = digest(bash(command), place)
    for number in range(MOST_BELOW + 1):
        (folder / str(number)).touch()

    assert before != ""
    assert digest(bash(command), place) == before


@pytest.mark.parametrize(
    "command",
    [
        "cd work && docker build .",
        "git -C work add .",
        "scp -C work host:",
        "rm -rf work/x; cp -r work other",
        "env -C work rsync -a . host:",
    ],
)
def test_what_lies_in_a_folder_counts_where_any_command_works_on_it(
    place: Session, command: str
) -> None:
    folder = Path(place.workspace.cwd, "work")
    folder.mkdir()
    before = digest(bash(command), place)
    (folder / "added").touch()

    assert before != ""
    assert digest(bash(command), place) != before


def test_a_search_may_find_what_came_later_and_an_unread_script_works_on_all_it_names(
    place: Session,
) -> None:
    folder = Path(place.workspace.cwd, "work")
    folder.mkdir()
    calls = [
        tool_call("grep", {"pattern": "x", "path": "work"}),
        tool_call("powershell", {"command": "Copy-Item work other"}),
    ]
    before = [digest(call, place) for call in calls]
    (folder / "added").touch()
    after = [digest(call, place) for call in calls]

    assert "" not in before
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]


@pytest.mark.parametrize("command", ["deny $F", "deny x.s?", "deny $(date)", "deny 'open"])
def test_what_is_made_up_while_it_runs_cannot_be_approved(setup: Setup, command: str) -> None:
    setup.layers = [Judging()]

    async def work(service: DecisionService) -> None:
        ruling = await service.decide(setup.bash(command), HOST)
        assert ruling.record is not None
        with pytest.raises(BadCall, match="not known beforehand"):
            await service.person.approve(ruling.record)

    working(setup, work)


def test_files_that_appear_vanish_or_grow_large_count(place: Session) -> None:
    script = Path(place.workspace.cwd) / "big.bin"
    call = bash("sh big.bin")
    seen = [digest(call, place)]

    script.write_bytes(b"x" * (LARGEST_READ + 1))
    seen.append(digest(call, place))
    script.write_bytes(b"y" * (LARGEST_READ + 2))
    seen.append(digest(call, place))
    script.unlink()

    assert digest(call, place) == seen[0]
    assert len(set(seen)) == 3


def test_a_file_tool_names_its_file_and_not_every_word_of_its_content(place: Session) -> None:
    call = tool_call("write", {"file_path": "run.sh", "content": "many words " * 5000})
    before = digest(call, place)

    (Path(place.workspace.cwd) / "run.sh").write_text("echo 2")

    assert before != ""
    assert digest(call, place) != before


def test_a_call_that_names_too_much_cannot_be_retried_exactly(place: Session) -> None:
    assert digest(bash("sh " + "word " * 20_000), place) == ""


def test_a_pipe_or_a_folder_is_not_read(place: Session) -> None:
    os.mkfifo(Path(place.workspace.cwd) / "pipe")

    assert digest(bash("sh pipe"), place) != ""
    assert digest(bash("ls ."), place) != ""


async def denied(service: DecisionService, event: CallProposed) -> str:
    ruling = await service.decide(event, HOST)
    assert said(ruling) == ("deny", "classifier.deliberate")
    assert ruling.record is not None
    return ruling.record


@pytest.fixture
def judged(setup: Setup) -> Setup:
    setup.layers = [Judging()]
    return setup


def test_an_approved_call_is_allowed_once(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        record = await denied(service, event)
        yes = await service.person.approve(record[:10])
        got = [said(await service.decide(event, HOST)) for _ in range(2)]

        assert (yes.once, yes.record) == (True, record)
        assert got == [("allow", "approval"), ("deny", "classifier.deliberate")]

    working(judged, work)


def test_an_approval_for_the_session_holds_also_when_it_is_resumed(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event), session_long=True)
        for _ in range(3):
            assert said(await service.decide(event, HOST)) == ("allow", "approval")
        await service.hear(SessionEnded(event.speaker), HOST)
        assert await service.person.has_ended(KEY)

    async def resumed(service: DecisionService) -> None:
        assert await service.person.has_ended(KEY)
        await service.hear(SessionStarted(event.speaker), HOST)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")
        assert not await service.person.has_ended(KEY)

    working(judged, work, resumed)


def test_a_session_that_has_ended_can_be_approved_for_its_next_run(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        record = await denied(service, event)
        await service.hear(SessionEnded(event.speaker), HOST)
        await service.person.approve(record, session_long=True)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")

    working(judged, work)


def test_a_reset_takes_back_what_was_approved_for_the_session(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event), session_long=True)
        await service.person.reset(KEY)
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")

    working(judged, work)


def test_a_session_that_only_says_again_that_it_began_keeps_its_approvals(
    judged: Setup,
) -> None:
    """As agents do after they have shortened what they remember."""
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event), session_long=True)
        await service.hear(SessionStarted(event.speaker), HOST)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")

    async def restarted(service: DecisionService) -> None:
        assert said(await service.decide(event, HOST)) == ("allow", "approval")

    working(judged, work, restarted)


def test_an_approval_survives_a_restart_and_opens_no_other_session(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event))

    async def restarted(service: DecisionService) -> None:
        other = judged.bash("make deny", session="other")
        assert said(await service.decide(other, HOST)) == ("deny", "classifier.deliberate")
        foreign = await service.decide(event, "other-host")
        assert said(foreign) == ("deny", "classifier.deliberate")
        assert said(await service.decide(event, HOST)) == ("allow", "approval")

    working(judged, work, restarted)


def test_an_approval_is_not_lost_when_a_person_changes_something_else_first(
    judged: Setup,
) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event))

    async def restarted(service: DecisionService) -> None:
        service.registry.seen(KEY, event.speaker)
        await service.person.set_mode(KEY, Override.ON)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")

    working(judged, work, restarted)


def test_an_approval_expires(judged: Setup) -> None:
    now = [1_700_000_000.0]
    judged.clock = lambda: now[0]
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event))
        now[0] += ONCE_SECONDS + 1
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")

    working(judged, work)


def test_reset_takes_approvals_back(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        await service.person.approve(await denied(service, event), session_long=True)
        await service.person.reset(KEY)
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")

    working(judged, work)


def test_an_approval_answers_an_ask_rule_and_lifts_no_deny_rule(judged: Setup) -> None:
    judged.settings = {"permissions": {"ask": ["bash(make*)"]}}
    event = judged.bash("make fine")

    async def work(service: DecisionService) -> None:
        asked = await service.decide(event, HOST)
        assert said(asked) == ("ask", "rules.ask")
        assert asked.record is not None
        await service.person.approve(asked.record, session_long=True)
        assert said(await service.decide(event, HOST)) == ("allow", "approval")
        judged.configure(permissions={"deny": ["bash(make*)"]})
        service.reload()
        assert said(await service.decide(event, HOST)) == ("deny", "rules.deny")

    working(judged, work)


def test_what_nobody_may_permit_cannot_be_approved(setup: Setup) -> None:
    setup.settings = {"permissions": {"deny": ["bash(git push*)"]}}
    setup.model = ScriptedModel([LOOK, HARD])
    commands = {"git push": "rules.deny", "rm -rf /": "floor.", "make": "classifier.deliberate"}

    async def work(service: DecisionService) -> None:
        for command, source in commands.items():
            ruling = await service.decide(setup.bash(command), HOST)
            assert decision(ruling).source.startswith(source)
            assert ruling.record is not None
            with pytest.raises(BadCall, match="cannot be approved"):
                await service.person.approve(ruling.record)

    working(setup, work)


def test_what_was_allowed_needs_no_approval_and_what_is_not_there_gets_none(
    setup: Setup,
) -> None:
    async def work(service: DecisionService) -> None:
        ruling = await service.decide(setup.bash("ls"), HOST)
        assert ruling.record is not None
        with pytest.raises(BadCall, match="was allowed"):
            await service.person.approve(ruling.record)
        with pytest.raises(BadCall, match="no record"):
            await service.person.approve("zzzzzzzzzzzzzz")

    working(setup, work)


def test_an_approval_that_cannot_be_written_does_not_hold(judged: Setup) -> None:
    event = judged.bash("make deny")

    async def work(service: DecisionService) -> None:
        record = await denied(service, event)
        store = Losing(service.registry.store)
        service.registry.store = store
        with pytest.raises(AutomodeError, match="could not be written"):
            await service.person.approve(record)
        assert said(await service.decide(event, HOST)) == ("deny", "classifier.deliberate")

    working(judged, work)


def test_an_approval_resumes_a_stopped_run(judged: Setup) -> None:
    calls = [judged.bash(f"make deny {n}", attended=False) for n in range(3)]

    async def work(service: DecisionService) -> None:
        rulings: list[Ruling] = [await service.decide(event, HOST) for event in calls]
        last = rulings[-1]
        assert said(last) == ("halt", "breaker.consecutive")
        assert last.record is not None
        halted = await service.decide(judged.bash("ls", attended=False), HOST)
        await service.person.approve(last.record)
        retried = await service.decide(calls[-1], HOST)
        free = await service.decide(judged.bash("ls", attended=False), HOST)

        assert [said(one) for one in (halted, retried, free)] == [
            ("halt", "breaker.consecutive"),
            ("allow", "approval"),
            ("allow", "read-only"),
        ]

    working(judged, work)


@given(st.lists(st.sampled_from(["retry", "other", "approve", "parallel"]), max_size=8))
def test_every_approval_opens_at_most_one_call(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    setup = Setup(tmp_path_factory.mktemp("setup"), layers=[Judging()])
    event, other = setup.bash("make deny"), setup.bash("make deny more")

    async def work(service: DecisionService) -> None:
        record = await denied(service, event)
        given_, opened = 0, 0
        for step in steps:
            if step == "approve":
                await service.person.approve(record)
                given_ += 1
                continue
            calls = {"retry": [event], "other": [other], "parallel": [event, event]}[step]
            rulings = await asyncio.gather(*(service.decide(one, HOST) for one in calls))
            opened += sum(decision(one).source == "approval" for one in rulings)
            assert step != "other" or decision(rulings[0]).source != "approval"
            assert opened <= given_
        everything = await records(service, SessionKey(HOST, "s"))
        assert sum(one.source == "approval" for one in everything) == opened

    working(setup, work)
