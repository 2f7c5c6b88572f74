"""What commands and tools act upon: names that need a word, and what makes them reach further."""

from automode.core.call import ToolCall
from automode.core.tools import tool_call
from automode.judge.acts import Acts, acts_of
from automode.judge.objects import NOTHING
from automode.judge.reading import Looking
from tests.judge.sessions import TABLES, WORKSPACE, bash, saying
from tests.reading import facts_of
from tests.rows import each_row


def acts(looking: Looking, call: ToolCall) -> Acts:
    return acts_of(call, looking(facts_of(call, WORKSPACE), saying()), WORKSPACE)


@each_row("command, deed, names", TABLES["object_names"])
def test_a_command_has_names_that_need_a_word(
    looking: Looking, command: str, deed: str, names: str
) -> None:
    found = acts(looking, bash(command)).of.get(deed, NOTHING)

    assert [name.text for name in found.names] == names.split()


@each_row("command, deed, qualifiers", TABLES["qualifiers"])
def test_what_reaches_further_is_told(
    looking: Looking, command: str, deed: str, qualifiers: str
) -> None:
    assert acts(looking, bash(command)).of[deed].qualifiers == set(qualifiers.split())


def test_a_message_has_its_recipients_and_not_its_text(looking: Looking) -> None:
    given = {"to": ["a@b.test"], "cc": ["all@b.test"], "subject": "Hi", "body": "see main.py"}

    found = acts(looking, tool_call("mcp__mail__send_email", given)).of["messages"]

    assert [name.text for name in found.names] == ["a@b.test", "all@b.test"]


def test_a_program_that_starts_another_does_what_that_one_does(looking: Looking) -> None:
    found = acts(looking, bash("sudo systemctl restart nginx; ls")).together

    assert all({"elevates", "services"} <= own for own in found if "elevates" in own)
