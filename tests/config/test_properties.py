"""The sentences about settings that must hold for every input."""

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import replace
from operator import attrgetter

from hypothesis import given
from hypothesis import strategies as st

from automode.config.keys import ROWS, Row
from automode.config.load import Loaded, State, Text, combine
from automode.config.settings import Builtins, Rule, Settings, Source
from automode.core.decision import Verdict

BUILTINS = Builtins(("env",), ("may",), ("soft",), ("hard", "harder"), (".git",))
SOURCES = (Source.USER, Source.LOCAL, Source.ENVIRONMENT, Source.MANAGED, Source.SHARED)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**6)
    | st.floats(0, 1)
    | st.sampled_from(["", "$defaults", "x", "bash(rm*)", "a/b", "sqlite", "postgres://h/d"])
    | st.sampled_from(["enforce", "shadow", "both", "all", "fast", "local", "deliberate"])
    | st.sampled_from(["ask", "deny", "halt", "off", "warn", "none", "referent", "visible"])
)
ENTRIES = st.lists(st.sampled_from(["$defaults", "x", "y", "z("]), max_size=4)
PROVIDER = st.just({"api": "openai", "baseUrl": "https://h", "apiKeyEnv": "K"})
VALUES: st.SearchStrategy[object] = SCALARS | ENTRIES | PROVIDER | st.lists(SCALARS, max_size=3)
ANY_JSON = st.recursive(
    SCALARS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
KEYS = st.sampled_from([row.key for row in ROWS] + ["autoMode", "permissions", "autoMode.hardDeny"])


def tree(flat: dict[str, object]) -> dict[str, object]:
    """`{"a.b": 1}` as `{"a": {"b": 1}}`; a value in the way of a section is dropped."""
    root: dict[str, object] = {}
    for key, value in flat.items():
        *sections, name = key.split(".")
        place = root
        for section in sections:
            below = place.setdefault(section, {})
            if not isinstance(below, dict):
                below = place[section] = {}
            place = below
        place.setdefault(name, deepcopy(value))
    return root


def valid(row: Row) -> st.SearchStrategy[object]:
    """Values that the row allows."""
    match row.kind.schema:
        case {"type": "boolean"}:
            return st.booleans()
        case {"enum": [*words]}:
            return st.sampled_from(words)
        case {"type": "integer", "minimum": int(least), "maximum": int(most)}:
            return st.integers(least, most)
        case {"type": "number", "minimum": int(least), "maximum": int(most)}:
            return st.floats(least, min(most, 10))
        case {"type": "array"}:
            return ENTRIES
        case {"type": "object"}:
            return PROVIDER
        case _:
            return st.sampled_from(["a/b", "c/d", "sqlite", "postgres://h/d"])


SETTING = st.sampled_from(ROWS).flatmap(
    lambda row: st.tuples(st.just(row.key.replace("<name>", "p")), valid(row))
)
FLAT = st.lists(SETTING, max_size=8).map(dict) | st.dictionaries(KEYS, VALUES, max_size=6)
FILES = FLAT.map(tree)
STACKS = st.fixed_dictionaries({}, optional=dict.fromkeys(SOURCES, FILES))


def loaded(stack: dict[Source, object]) -> Loaded:
    texts = [
        Text(source, source.value, State.READ, json.dumps(stack[source]).encode())
        for source in SOURCES
        if source in stack
    ]
    return combine(texts, BUILTINS)


def texts(rules: tuple[Rule, ...]) -> set[str]:
    return {rule.text for rule in rules}


@given(st.sampled_from(SOURCES), st.dictionaries(KEYS, ANY_JSON, max_size=4) | ANY_JSON)
def test_no_json_anywhere_raises(source: Source, value: object) -> None:
    file = tree(value) if isinstance(value, dict) else value

    found = loaded({source: file})

    assert isinstance(found.settings, Settings)


@given(st.sampled_from(SOURCES), st.binary(max_size=60))
def test_no_bytes_anywhere_raise(source: Source, data: bytes) -> None:
    found = combine([Text(source, "f", State.READ, data)], BUILTINS)

    assert isinstance(found.settings, Settings)


@given(STACKS, st.sampled_from(SOURCES), st.sampled_from(["deny", "ask"]))
def test_adding_a_prohibition_removes_no_other(
    stack: dict[Source, object], source: Source, key: str
) -> None:
    before = loaded(stack).settings.permissions
    file = stack.get(source, {})
    assert isinstance(file, dict)
    permissions = file.get("permissions", {})
    if not isinstance(permissions, dict) or not isinstance(permissions.get(key, []), list):
        return
    more = {**permissions, key: [*permissions.get(key, []), "added"]}

    after = loaded({**stack, source: {**file, "permissions": more}}).settings.permissions

    assert texts(getattr(after, key)) == texts(getattr(before, key)) | {"added"}
    assert (after.allow, after.deny) == (before.allow, before.deny) or key == "deny"


@given(STACKS, FILES)
def test_the_shared_file_adds_prohibitions_and_changes_nothing_else(
    stack: dict[Source, object], file: dict[str, object]
) -> None:
    without = loaded({key: value for key, value in stack.items() if key is not Source.SHARED})
    found = loaded({**stack, Source.SHARED: file}).settings

    same = replace(
        found,
        permissions=replace(
            found.permissions,
            deny=without.settings.permissions.deny,
            ask=without.settings.permissions.ask,
        ),
        closing=without.settings.closing,
    )
    assert same == without.settings
    assert texts(found.permissions.deny) >= texts(without.settings.permissions.deny)
    assert texts(found.permissions.ask) >= texts(without.settings.permissions.ask)
    assert set(found.closing) >= set(without.settings.closing)


@given(STACKS, FILES)
def test_no_source_removes_what_the_administrator_forbids(
    stack: dict[Source, object], managed: dict[str, object]
) -> None:
    alone = loaded({Source.MANAGED: managed}).settings
    found = loaded({**stack, Source.MANAGED: managed}).settings

    assert set(found.permissions.deny) >= set(alone.permissions.deny)
    assert set(found.permissions.ask) >= set(alone.permissions.ask)
    own = {rule for rule in alone.policy.hard_deny if rule.source is Source.MANAGED}
    assert set(found.policy.hard_deny) >= own


STRICTER_STAGES = {
    "all": {"auto", "both", "fast", "deliberate"},
    "auto": {"both", "fast", "deliberate"},
    "both": {"fast", "deliberate"},
}
STRICTEST_FIRST: dict[str, list[object]] = {
    "enabled": [True, False],
    "mode": ["enforce", "shadow"],
    "redact": [True, False],
    "on_classifier_failure": ["deny", "ask", "local"],
    "workspace_edits": [False, True],
    "classify_read_only_tools": [True, False],
    "remote_reads": [False, True],
    "classify_all_shell": [True, False],
    "probe": ["ask", "warn", "off"],
    "transcript.assistant_text": ["none", "referent", "visible"],
    "local.unasked_commits": ["ask", "clear"],
    "local.learn": ["off", "session", "project"],
    "escalation.unattended": [Verdict.HALT, Verdict.DENY],
}
SAME = ("providers", "store", "trust_environment", "policy.environment", "confine")
NOT_HIGHER = (
    *("classifier_timeout_ms", "deadline_ms", "local.clear_below", "local.clear_below_alone"),
    *("escalation.consecutive", "escalation.total", "escalation.unavailable"),
)
"""None is a number of automode's own, which another might exceed."""
NOT_LOWER = tuple(
    f"transcript.{name}" for name in ("max_user_tokens", "max_call_tokens", "max_transcript_lines")
)
NOT_FEWER = (
    *("permissions.deny", "permissions.ask", "protected_paths"),
    *("policy.soft_deny", "policy.hard_deny"),
)
NOT_MORE = ("permissions.allow", "policy.allow")


def loosened(strict: Settings, found: Settings) -> list[str]:
    """The ways in which `found` lets more pass than `strict`."""

    def higher(now: float | None, new: float | None) -> bool:
        return now != new and (now is None or new is None or new > now)

    def fewer(before: tuple[Rule, ...], after: tuple[Rule, ...]) -> bool:
        return not texts(after) >= texts(before)

    tests: list[tuple[Iterable[str], Callable[[str], bool]]] = [
        (STRICTEST_FIRST, lambda name: _place(name, found) > _place(name, strict)),
        (SAME, lambda name: attrgetter(name)(found) != attrgetter(name)(strict)),
        (NOT_HIGHER, lambda name: higher(attrgetter(name)(strict), attrgetter(name)(found))),
        (NOT_LOWER, lambda name: attrgetter(name)(found) < attrgetter(name)(strict)),
        (NOT_FEWER, lambda name: fewer(attrgetter(name)(strict), attrgetter(name)(found))),
        (NOT_MORE, lambda name: fewer(attrgetter(name)(found), attrgetter(name)(strict))),
    ]
    ways = [name for names, is_looser in tests for name in names if is_looser(name)]
    stricter = {strict.stages.value, *STRICTER_STAGES.get(strict.stages.value, set())}
    ways += [] if found.stages.value in stricter else ["stages"]
    ways += [] if set(found.closing) >= set(strict.closing) else ["closing"]
    spends = strict.budget_usd is not None and higher(strict.budget_usd, found.budget_usd)
    return ways + (["budget"] if spends else [])


def _place(name: str, settings: Settings) -> int:
    return STRICTEST_FIRST[name].index(attrgetter(name)(settings))


@given(STACKS, FILES)
def test_an_environment_without_trust_never_loosens(
    stack: dict[Source, object], file: dict[str, object]
) -> None:
    without = loaded({key: value for key, value in stack.items() if key is not Source.ENVIRONMENT})
    if without.settings.trust_environment:
        return

    found = loaded({**stack, Source.ENVIRONMENT: file})

    assert loosened(without.settings, found.settings) == []
