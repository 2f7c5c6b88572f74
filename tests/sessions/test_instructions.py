"""Instruction files: shown to the classifier, cut, without secrets, and there after a restart."""

from hypothesis import given
from hypothesis import strategies as st

from automode.agents.events import Instructions, SessionStarted
from automode.llm.model import Prompt
from automode.llm.scripted import ScriptedModel
from automode.sessions.decision_service import DecisionService
from automode.sessions.transcript_text import MOST_FILES, instructions_of, instructions_text
from tests.sessions.service_setup import CLEAR, HOST, Setup, said, working

SECRET = "ghp_" + "a1B2" * 9


def loaded(model: ScriptedModel) -> list[str]:
    """What stood in each prompt between the marks of the instruction files."""
    return [_between(prompt) for prompt in model.prompts]


def _between(prompt: Prompt) -> str:
    _, _, rest = prompt.context.partition("<loaded-project-instructions>")
    return rest.partition("</loaded-project-instructions>")[0].strip()


def test_what_the_agent_was_given_reaches_the_classifier_also_after_a_restart(
    setup: Setup,
) -> None:
    model = ScriptedModel([CLEAR] * 4)
    setup.model = model
    given = (Instructions("AGENTS.md", f"never push\ntoken {SECRET}"),)

    async def first(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(), given), HOST)
        await service.decide(setup.bash("make one"), HOST)

    async def later(service: DecisionService) -> None:
        await service.decide(setup.bash("make two"), HOST)
        sub = setup.bash("make three", session="sub", parent="s")
        await service.decide(sub, HOST)
        await service.decide(setup.bash("make four", session="other"), HOST)

    working(setup, first, later)

    own, again, below, other = loaded(model)
    assert "# AGENTS.md\nnever push" in own
    assert SECRET not in own
    assert again.splitlines()[1:-1] == own.splitlines()[1:-1] == below.splitlines()[1:-1]
    assert other == "(none)"


def test_files_are_cut_and_only_so_many_are_kept(setup: Setup) -> None:
    setup.model = model = ScriptedModel([CLEAR])
    given = tuple(Instructions(f"{n}.md", f"begin {'x' * 9000} end{n}") for n in range(50))

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(), given), HOST)
        assert said(await service.decide(setup.bash("make"), HOST)) == ("allow", "classifier.fast")

    working(setup, work)

    [text] = loaded(model)
    assert text.count("# ") == MOST_FILES
    assert text.count("characters cut]") == MOST_FILES
    assert len(text) < MOST_FILES * 4200


def test_where_the_agent_does_not_say_the_files_of_the_project_are_read(
    setup: Setup,
) -> None:
    setup.model = model = ScriptedModel([CLEAR] * 2)
    setup.project.mkdir()
    (setup.project / "CLAUDE.md").write_text("tests first")

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker()), HOST)
        await service.decide(setup.bash("make"), HOST)
        (setup.project / "CLAUDE.md").unlink()
        await service.hear(SessionStarted(setup.speaker()), HOST)
        await service.decide(setup.bash("make again"), HOST)

    working(setup, work)

    before, after = loaded(model)
    assert "tests first" in before
    assert after == "(none)"


def test_an_agent_that_says_it_was_given_none_has_none(setup: Setup) -> None:
    setup.model = model = ScriptedModel([CLEAR])
    setup.project.mkdir()
    (setup.project / "CLAUDE.md").write_text("tests first")

    async def work(service: DecisionService) -> None:
        await service.hear(SessionStarted(setup.speaker(), ()), HOST)
        await service.decide(setup.bash("make"), HOST)

    working(setup, work)

    assert loaded(model) == ["(none)"]


@given(st.lists(st.tuples(st.text(), st.text()), max_size=MOST_FILES))
def test_what_is_kept_is_what_comes_back(files: list[tuple[str, str]]) -> None:
    assert instructions_of(instructions_text(tuple(files))) == tuple(files)


@given(st.text())
def test_no_line_makes_reading_raise(text: str) -> None:
    assert instructions_of(text) is None
    assert instructions_of('{"heard":"instructions"' + text) in (None, ())
