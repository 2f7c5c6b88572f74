"""The walk: walls before doors, the strictest wall wins, and everything fails closed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from automode.core.call import Other, Shell, ToolCall
from automode.core.decision import Decision, Failure, Remark, Verdict, allow, ask, deny
from automode.core.session import Mode, Session
from automode.core.transcript import Transcript
from automode.core.workspace import Workspace
from automode.facts.files import Names
from automode.gate.gate import Gate, fail_closed
from automode.gate.layer import Answer, Trail
from automode.programs.call_facts import CallFacts
from tests.rows import each_row

CALL = ToolCall("thing", Other())
WORKSPACE = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"))


@dataclass
class Says:
    """A layer that always gives the same answer, or raises it."""

    answer: Answer | Exception
    name: str = "says"
    seen: list[Trail] = field(default_factory=list)

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        self.seen.append(trail)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def session(*, attended: bool = True, mode: Mode = Mode.ENFORCE) -> Session:
    return Session("s", WORKSPACE, attended=attended, mode=mode)


def decide(gate: Gate, call: ToolCall = CALL, where: Session | None = None) -> Decision:
    decision = asyncio.run(gate.decide(call, where or session()))
    assert decision is not None
    return decision


Answers = Sequence[Answer | Exception]


def layers(*answers: Answer | Exception) -> list[Says]:
    return [Says(answer, f"layer{index}") for index, answer in enumerate(answers)]


YES = allow("door", "fine")
ASK = ask("wall.ask", "please ask")
NO = deny("wall.deny", "never")
LASTING = ask("wall.lasting", "a rule cannot be read", clearable=False)


APPROVED = allow("approval", "a person approved exactly this call")
BROKEN = OSError()
# why; walls, doors, judges, approvals; the verdict, and who gives it
WALKS: list[tuple[str, Answers, Answers, Answers, Answers, str, str]] = [
    ("nothing answered is asked", [], [], [], [], "ask", "gate.undecided"),
    ("the strictest wall wins", [ASK, NO], [YES], [], [], "deny", "wall.deny"),
    ("no door opens behind an ask", [ASK], [YES], [], [], "ask", "wall.ask"),
    ("a judge cannot loosen an ask", [ASK], [], [YES], [], "ask", "wall.ask"),
    ("and can tighten it", [ASK], [], [deny("judge", "no")], [], "deny", "judge"),
    ("the first door decides", [], [None, YES, NO], [], [], "allow", "door"),
    ("a failed wall lets the others deny", [BROKEN, NO], [YES], [], [], "deny", "wall.deny"),
    ("an approval answers an ask", [ASK], [], [NO], [APPROVED], "allow", "approval"),
    ("it lifts no wall that denies", [ASK, NO], [], [], [APPROVED], "deny", "wall.deny"),
    ("nor one that failed", [ASK, BROKEN], [YES], [], [APPROVED], "ask", "wall.ask"),
    ("nor an ask that is not clearable", [LASTING], [], [], [APPROVED], "ask", "wall.lasting"),
    ("nor one behind another ask", [ASK, LASTING], [], [], [APPROVED], "ask", "wall.lasting"),
    ("without one the walk goes on", [], [YES], [], [None], "allow", "door"),
    ("one that fails is asked about", [], [YES], [], [BROKEN], "ask", "gate.layer0-failed"),
]


@each_row("why, walls, doors, judges, approvals, verdict, source", WALKS)
def test_walls_stand_before_doors_and_doors_before_judges(
    why: str,
    walls: Answers,
    doors: Answers,
    judges: Answers,
    approvals: Answers,
    verdict: str,
    source: str,
) -> None:
    gate = Gate(layers(*walls), layers(*doors), layers(*judges), approvals=layers(*approvals))

    decision = decide(gate)

    assert (decision.verdict.word, decision.source) == (verdict, source), why


@given(st.lists(st.sampled_from([None, ASK, LASTING, NO, BROKEN, Remark("wall", "x", "y")])))
def test_an_approval_passes_only_where_every_wall_that_answers_is_clearable(
    walls: list[Answer | Exception],
) -> None:
    gate = Gate(layers(*walls), [], [], approvals=layers(APPROVED))

    passes = not any(wall in walls for wall in (LASTING, NO, BROKEN))
    assert (decide(gate).source == "approval") is passes


def test_with_nobody_there_asking_is_denying() -> None:
    decision = decide(Gate([], [], []), where=session(attended=False))

    assert (decision.verdict, decision.source) == (Verdict.DENY, "gate.undecided")


def test_a_remark_is_no_opinion_but_later_layers_read_it() -> None:
    remark = Remark("first", "ordinary-development", "runs tests")
    judge = Says(YES)

    decision = decide(Gate([], layers(remark), [judge]))

    assert judge.seen == [(remark,)]
    assert decision.trail == (remark,)


@pytest.mark.parametrize("place", ["walls", "doors", "judges"])
def test_a_layer_that_raises_is_asked_never_allowed(place: str) -> None:
    parts: dict[str, list[Says]] = {"walls": [], "doors": [], "judges": []}
    parts[place] = [Says(RuntimeError("secret detail"), "broken"), Says(YES)]

    decision = decide(Gate(parts["walls"], parts["doors"], parts["judges"]))

    assert decision.verdict is Verdict.ASK
    assert decision.source == "gate.broken-failed"
    assert decision.error is Failure.UNAVAILABLE
    assert "secret detail" not in decision.reason


def test_a_cancelled_call_is_denied_and_marked_as_no_policy() -> None:
    decision = decide(Gate([], layers(YES), []), ToolCall("thing", Other(), cancelled=True))

    assert (decision.verdict, decision.source) == (Verdict.DENY, "gate.cancelled")
    assert decision.error is Failure.CANCELLED


def test_off_has_no_opinion_but_the_administrators_walls_stand() -> None:
    off = session(mode=Mode.OFF)

    assert asyncio.run(Gate(layers(NO), [], []).decide(CALL, off)) is None
    standing = asyncio.run(Gate([], [], [], standing=layers(NO)).decide(CALL, off))
    assert standing is not None
    assert (standing.verdict, standing.enforced) == (Verdict.DENY, True)


def test_shadow_decides_and_enforces_nothing_but_the_administrators_walls() -> None:
    shadow = session(mode=Mode.SHADOW)

    assert decide(Gate(layers(NO), [], []), where=shadow).enforced is False
    assert decide(Gate([], [], [], standing=layers(NO)), where=shadow).enforced is True


def test_the_breaker_has_the_last_word() -> None:
    gate, where = Gate(layers(deny("judge", "no", clearable=True)), [], []), session()

    got = [decide(gate, where=where) for _ in range(3)]

    assert [one.verdict for one in got] == [Verdict.DENY, Verdict.DENY, Verdict.ASK]
    assert got[2].source == "breaker.consecutive"
    assert (where.history.checked, where.history.row) == (3, 3)


def test_while_off_the_breaker_only_counts() -> None:
    gate, where = Gate([], [], [], standing=layers(NO)), session(attended=False, mode=Mode.OFF)

    got = [asyncio.run(gate.decide(CALL, where)) for _ in range(4)]

    assert {one.source for one in got if one is not None} == {"wall.deny"}
    assert where.history.row == 4


class Reads:
    """A layer that needs the script of a call."""

    name = "reads"

    async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
        return allow("reads", "fine") if facts.script.complete else None


async def _unreadable(call: ToolCall, workspace: Workspace) -> CallFacts:
    raise OSError


def test_a_call_that_cannot_be_read_is_asked_and_walls_still_deny() -> None:
    call = ToolCall("bash", Shell("ls"))
    asked = decide(Gate([], [Reads()], [], read=_unreadable), call)
    denied = decide(Gate(layers(NO), [Reads()], [], read=_unreadable), call)

    assert (asked.verdict, asked.source) == (Verdict.ASK, "gate.reads-failed")
    assert (denied.verdict, denied.source) == (Verdict.DENY, "wall.deny")


def test_a_judge_whose_session_cannot_be_looked_up_is_asked_about() -> None:
    async def lost() -> Transcript:
        raise OSError

    where = replace(session(), recheck=lost)
    decision = decide(Gate([], [], layers(YES)), where=where)

    assert (decision.verdict, decision.source) == (Verdict.ASK, "gate.layer0-failed")


def test_whatever_raises_around_a_gate_can_be_closed() -> None:
    async def broken() -> str:
        raise KeyError("secret")

    async def fine() -> str:
        return "fine"

    def kind(error: Exception) -> str:
        return type(error).__name__

    assert asyncio.run(fail_closed(broken(), kind)) == "KeyError"
    assert asyncio.run(fail_closed(fine(), kind)) == "fine"


ANSWERS = st.lists(
    st.sampled_from([None, YES, ASK, NO, RuntimeError("x"), Remark("r", "m", "t")]), max_size=4
)


@given(ANSWERS, ANSWERS, ANSWERS, st.booleans(), st.booleans())
def test_no_door_no_judge_and_no_approval_lifts_a_wall(
    walls: list[Answer | Exception],
    doors: list[Answer | Exception],
    judges: list[Answer | Exception],
    approved: bool,
    attended: bool,
) -> None:
    approvals = layers(APPROVED if approved else None)
    decision = decide(
        Gate(layers(*walls), layers(*doors), layers(*judges), approvals=approvals),
        where=session(attended=attended),
    )

    if NO in walls:
        assert decision.verdict is Verdict.DENY
    if any(isinstance(wall, Exception) for wall in walls):
        assert decision.verdict >= Verdict.ASK
    if ASK in walls and not approved:
        assert decision.verdict >= Verdict.ASK
    if not attended:
        assert decision.verdict in (Verdict.ALLOW, Verdict.DENY)
    if not approved and not any(answer is YES for answer in (*walls, *doors, *judges)):
        assert decision.verdict is not Verdict.ALLOW


def test_with_two_homes_a_wall_of_either_stands_and_a_door_must_open_for_both() -> None:
    @dataclass
    class Home:
        """Answers only for one home."""

        home: str
        answer: Decision
        name: str = "home"

        async def __call__(self, facts: CallFacts, session: Session, trail: Trail) -> Answer:
            return self.answer if session.workspace.home == self.home else None

    place = Workspace("/w/p", "/w/p", "/home/u", Names("/w/p"), other_home="/data/u")
    where = Session("s", place)

    assert decide(Gate([Home("/data/u", NO)], layers(YES), []), where=where).source == "wall.deny"
    assert decide(Gate([], [Home("/home/u", YES)], []), where=where).source == "gate.undecided"
    assert decide(Gate([], layers(YES), []), where=where).source == "door"


@pytest.mark.parametrize(
    ("walls", "answer", "word"),
    [
        ((ASK,), NO, "deny"),
        ((ASK,), ASK, "ask"),
        ((ASK,), YES, "ask"),
        ((), RuntimeError("inside"), "ask"),
    ],
)
def test_walls_of_another_project_can_only_tighten_and_one_that_fails_closes(
    walls: tuple[Decision, ...], answer: Decision | Exception, word: str
) -> None:
    gate = Gate(layers(*walls), layers(YES), [])

    decision = asyncio.run(gate.decide(CALL, session(), layers(answer)))

    assert decision is not None
    assert decision.verdict.word == word


# standing, walls, further, mode → what is forbidden, and whether that is enforced
FORBIDDEN: list[tuple[Answer, Answer, Answer, Mode, str, bool]] = [
    (None, NO, None, Mode.ENFORCE, "wall.deny", True),
    (None, None, NO, Mode.ENFORCE, "wall.deny", True),
    (None, NO, None, Mode.SHADOW, "wall.deny", False),
    (NO, None, None, Mode.SHADOW, "wall.deny", True),
    (NO, None, None, Mode.OFF, "wall.deny", True),
    (None, NO, NO, Mode.OFF, "", True),
    (ASK, ASK, ASK, Mode.ENFORCE, "", True),
]


@pytest.mark.parametrize(("standing", "wall", "further", "mode", "source", "enforced"), FORBIDDEN)
def test_what_is_forbidden_is_for_the_walls_alone_to_say(
    standing: Answer, wall: Answer, further: Answer, mode: Mode, source: str, enforced: bool
) -> None:
    opening = layers(YES, YES, YES)
    gate = Gate(
        layers(wall), opening[:1], opening[1:2], standing=layers(standing), approvals=opening[2:]
    )

    found = asyncio.run(gate.forbidden(CALL, session(mode=mode), layers(further)))

    assert ("" if found is None else found.source) == source
    assert found is None or found.enforced is enforced
    assert [layer.seen for layer in opening] == [[], [], []]


def test_a_wall_that_fails_forbids_nothing_and_hides_no_other() -> None:
    gate = Gate(layers(RuntimeError("x"), NO), [], [])

    found = asyncio.run(gate.forbidden(CALL, session()))

    assert found is not None
    assert found.source == "wall.deny"
    assert asyncio.run(Gate(layers(RuntimeError("x")), [], []).forbidden(CALL, session())) is None
