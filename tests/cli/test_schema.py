"""`automode schema`: a JSON Schema that accepts what automode accepts."""

import json
from collections.abc import Callable

import jsonschema
import pytest
from click.testing import Result

from automode.cli.demo_calls import SHARED_SETTINGS

Run = Callable[..., Result]


def test_it_is_a_valid_schema(automode: Run) -> None:
    schema = json.loads(automode("schema").stdout)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")


GOOD = [
    {},
    {"$schema": "https://example.com/schema.json"},
    {"autoMode": {"enabled": False, "soft_deny": ["$defaults", "no deploys"]}},
    {"permissions": {"deny": ["bash(git push --force*)"]}},
]
BAD = [[], {"nonsense": 1}, {"autoMode": {"enabled": "yes"}}, {"permissions": {"deny": "bash"}}]


@pytest.mark.parametrize("value", GOOD)
def test_it_accepts_settings(automode: Run, value: object) -> None:
    schema = json.loads(automode("schema", "--json").stdout)

    assert jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("value", BAD)
def test_it_rejects_what_is_none(automode: Run, value: object) -> None:
    schema = json.loads(automode("schema").stdout)

    assert not jsonschema.Draft202012Validator(schema).is_valid(value)


def test_the_schema_of_the_shared_file_knows_deny_and_ask_alone(automode: Run) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(automode("schema", "--shared").stdout))
    shared = "\n".join(
        line for line in SHARED_SETTINGS.splitlines() if not line.strip().startswith("//")
    )

    assert validator.is_valid(json.loads(shared))
    assert not validator.is_valid({"permissions": {"allow": ["bash(ls)"]}})
