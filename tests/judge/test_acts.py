"""What commands and tools act upon: names that need a word, and what makes them reach further."""

import pytest

from automode.core.tools import tool_call
from automode.judge.acts import acts_of
from automode.judge.reading import Looking
from tests.judge.sessions import WORKSPACE, bash, saying
from tests.reading import facts_of

NAMES: list[tuple[str, str, list[str]]] = [
    ("git push origin HEAD:main", "pushes", ["main"]),
    ("git push origin a b", "pushes", ["a", "b"]),
    ("git push", "pushes", []),
    ("psql -d crm -c 'DROP TABLE users, users_tmp'", "drops-data", ["crm", "users", "users_tmp"]),
    ("psql -c \"DELETE FROM a WHERE sku LIKE 'KB-%'\"", "drops-data", []),
    ("kubectl -n dev delete pod api-7", "destroys-infrastructure", ["dev", "api-7"]),
    ("kubectl delete namespace test", "destroys-infrastructure", ["test"]),
    ("docker compose down", "removes-containers", []),
    ("rm -r tests", "deletes-much", ["tests"]),
    ("kill $(lsof -t -i:3000)", "kills", ["3000"]),
    ("find . -name .svn -exec rm {} \\;", "deletes-much", [".svn"]),
    ("gh issue close 41 --comment 'not planned'", "writes-forge", ["41"]),
    ("npm install lodash evil", "installs", ["lodash", "evil"]),
    ("make deploy STAGE=test-eu", "deploys", ["test-eu"]),
]


@pytest.mark.parametrize(("command", "deed", "names"), NAMES)
def test_a_command_has_names_that_need_a_word(
    looking: Looking, command: str, deed: str, names: list[str]
) -> None:
    call = bash(command)
    acts = acts_of(call, looking(facts_of(call, WORKSPACE), saying()), WORKSPACE)

    found = [name.text for name in acts.of[deed].names] if deed in acts.of else []

    assert found == names


QUALIFIERS: list[tuple[str, str, set[str]]] = [
    ("kubectl -n prod delete pod a", "destroys-infrastructure", {"production", "deletion"}),
    ("git push --all", "pushes", {"everything"}),
    ("npm install -g lodash", "installs", {"globally"}),
    ("git push origin product-page", "pushes", set()),
]


@pytest.mark.parametrize(("command", "deed", "qualifiers"), QUALIFIERS)
def test_what_reaches_further_is_told(
    looking: Looking, command: str, deed: str, qualifiers: set[str]
) -> None:
    call = bash(command)
    acts = acts_of(call, looking(facts_of(call, WORKSPACE), saying()), WORKSPACE)

    assert acts.of[deed].qualifiers == qualifiers


def test_a_message_has_its_recipients_and_not_its_text(looking: Looking) -> None:
    given = {"to": ["a@b.test"], "cc": ["all@b.test"], "subject": "Hi", "body": "see main.py"}
    call = tool_call("mcp__mail__send_email", given)

    acts = acts_of(call, looking(facts_of(call, WORKSPACE), saying()), WORKSPACE)

    assert [name.text for name in acts.of["messages"].names] == ["a@b.test", "all@b.test"]


def test_a_program_that_starts_another_does_what_that_one_does(looking: Looking) -> None:
    call = bash("sudo systemctl restart nginx; ls")

    acts = acts_of(call, looking(facts_of(call, WORKSPACE), saying()), WORKSPACE)

    assert all({"elevates", "services"} <= own for own in acts.together if "elevates" in own)
