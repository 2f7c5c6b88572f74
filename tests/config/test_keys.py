"""The table of settings, and what is generated from it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from automode.config.jsonc import Scalar
from automode.config.keys import (
    DEFAULT_VALUES,
    ROW_OF,
    ROWS,
    SHARED_ROWS,
    Kind,
    Row,
    canonical,
    schema,
)
from automode.config.load import State, combine
from automode.config.load import Text as SourceText
from automode.config.settings import Builtins, Settings, Source
from tests.rows import each_row, rows


def another(row: Row) -> object:
    """A value that the row allows and that is not its default."""
    match row.kind.schema:
        case {"type": "boolean"}:
            return not row.default
        case {"enum": [*words]}:
            return next(word for word in words if word != row.default)
        case {"type": "integer", "minimum": least, "maximum": most}:
            return most if least == row.default else least
        case {"type": "number"}:
            return 0.5
        case {"type": "array"}:
            return ["bash(x)"]
        case {"type": "object"}:
            return {"api": "openai", "baseUrl": "http://localhost:1/v1", "apiKeyEnv": "MY_KEY"}
        case _:
            special = {
                "store": "postgresql://h/d",
                "autoMode.fastModel": "gguf//models/a.gguf",
                "autoMode.asks.quietHours": "22:00-07:00",
            }
            return special.get(row.key, "provider/model")


def nested(key: str, value: object) -> dict[str, object]:
    for name in reversed(key.replace("<name>", "mine").split(".")):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def settings(file: object) -> tuple[Settings, list[str]]:
    text = SourceText(Source.USER, "config.json", State.READ, json.dumps(file).encode())
    loaded = combine([text], Builtins())
    return loaded.settings, [str(one) for one in loaded.diagnostics]


def test_no_key_stands_twice() -> None:
    assert len(ROW_OF) == len(ROWS)


@each_row("row", ROWS)
def test_every_setting_reaches_the_settings_in_force(row: Row) -> None:
    given = nested(row.key, another(row))
    if row.key == "autoMode.apiKeyHelper":  # alone it is for nobody
        given["autoMode"] = {"apiKeyHelper": another(row), "classifierModel": "openai/x"}
    changed, findings = settings(given)

    assert findings == []
    assert changed != settings({})[0]


@pytest.mark.parametrize("key", ["classifierModel", "fastModel"])
@given(
    value=st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=2)
    | st.builds("{}/{}".format, st.sampled_from(["gguf", "openai", ""]), st.text())
)  # fmt: skip
def test_a_model_is_taken_or_found_unusable_and_never_forgotten(key: str, value: object) -> None:
    found, findings = settings({"autoMode": {key: value}})

    taken = found.classifier_model if key == "classifierModel" else found.fast_model
    assert (taken == value and not findings) or (taken is None and found.unusable_model)
    assert found.chooses_model


def test_without_a_file_the_defaults_hold_and_each_is_a_value_that_its_row_allows() -> None:
    assert settings({}) == (Settings(), [])
    for key, value in DEFAULT_VALUES.items():
        kind = ROW_OF[key].kind
        assert isinstance(kind, Kind)
        assert value is None or kind.accepts(value), key


@each_row("row", ROWS)
def test_every_meaning_is_one_sentence(row: Row) -> None:
    assert row.meaning.endswith(".")
    assert ". " not in row.meaning


@each_row("written, meant", rows("config", "spellings"))
def test_earlier_spellings_are_understood_and_others_are_not(written: str, meant: str) -> None:
    assert canonical(written) == meant


def test_the_schema_is_one_and_knows_every_key_with_its_meaning_and_default() -> None:
    made = schema()
    text = json.dumps(made)
    Draft202012Validator.check_schema(made)

    assert made["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert all(json.dumps(row.meaning) in text for row in ROWS)
    assert not Draft202012Validator(made).is_valid({"autoMode": {"enable": True}})


@each_row("row", ROWS)
def test_the_schema_accepts_what_the_reader_accepts(row: Row) -> None:
    validator = Draft202012Validator(schema())

    assert validator.is_valid(nested(row.key, another(row)))


@each_row("row", ROWS)
@each_row("value", [None, -1, 10**9, "", "nonsense", [42], {"x": 1}])
def test_the_schema_refuses_what_the_reader_refuses(row: Row, value: object) -> None:
    file = nested(row.key, value)

    refused = not Draft202012Validator(schema()).is_valid(file)

    assert refused == bool(settings(file)[1])


def test_the_schema_of_the_shared_file_knows_deny_and_ask_only() -> None:
    validator = Draft202012Validator(schema(SHARED_ROWS))

    assert validator.is_valid({"permissions": {"deny": ["bash(x)"], "ask": []}})
    assert not validator.is_valid({"permissions": {"allow": ["bash(x)"]}})
    assert not validator.is_valid({"autoMode": {}})


FIRST = [
    ("autoMode.classifierModel", None, "c/d", False),
    ("autoMode.local.clearBelow", None, 0.1, True),
    ("autoMode.deadlineMs", None, 5000, True),
    ("autoMode.budget.usdPerSession", None, 5, False),
]


@each_row("key, now, new, loosens", [*FIRST, *rows("config", "changes")])
def test_a_change_loosens_or_not(key: str, now: Scalar, new: Scalar, loosens: object) -> None:
    assert ROW_OF[key].order.loosens(now, new) is loosens
