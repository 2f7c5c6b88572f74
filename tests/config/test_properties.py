"""The sentences about settings that must hold for every input."""

import json
from copy import deepcopy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from automode.config.keys import ROWS, Choice, Endpoint, Flag, Number, Row, Rules
from automode.config.keys import Text as OneText
from automode.config.load import Loaded, State, Text, combine
from automode.config.settings import Builtins, Rule, Settings, Source
from automode.core.session import Mode

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
ENTRIES = st.lists(st.sampled_from(["$defaults", "x", "y", "z"]), max_size=4)
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
    match row.kind:
        case Flag():
            return st.booleans()
        case Choice(words):
            return st.sampled_from(words)
        case Number(least, most, True):
            return st.integers(least, most)
        case Number(least, most):
            return st.floats(least, min(most, 10))
        case Rules():
            return ENTRIES
        case Endpoint():
            return PROVIDER
        case OneText():
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
    return combine(texts, BUILTINS, lambda text: None if text != "z" else "unreadable")


def texts(rules: tuple[Rule, ...]) -> set[str]:
    return {rule.text for rule in rules}


@given(st.sampled_from(SOURCES), st.dictionaries(KEYS, ANY_JSON, max_size=4) | ANY_JSON)
def test_no_json_anywhere_raises(source: Source, value: object) -> None:
    file = tree(value) if isinstance(value, dict) else value

    found = loaded({source: file})

    assert isinstance(found.settings, Settings)


@given(st.sampled_from(SOURCES), st.binary(max_size=60))
def test_no_bytes_anywhere_raise(source: Source, data: bytes) -> None:
    found = combine([Text(source, "f", State.READ, data)], BUILTINS, lambda _: None)

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


def loosened(strict: Settings, found: Settings) -> list[str]:
    """The ways in which `found` lets more pass than `strict`."""
    one, other = strict, found
    ways = {
        "enabled": one.enabled and not other.enabled,
        "mode": one.mode is Mode.ENFORCE and other.mode is not Mode.ENFORCE,
        "stages": other.stages != one.stages
        and other.stages.value not in STRICTER_STAGES.get(one.stages.value, set()),
        "local": other.local != one.local and not _lower(one, other),
        "providers": other.providers != one.providers,
        "redact": one.redact and not other.redact,
        "failure": other.on_classifier_failure < one.on_classifier_failure,
        "stand-in": other.local_on_failure and not one.local_on_failure,
        "edits": other.workspace_edits and not one.workspace_edits,
        "reads": one.classify_read_only_tools and not other.classify_read_only_tools,
        "remote": other.remote_reads and not one.remote_reads,
        "shell": one.classify_all_shell and not other.classify_all_shell,
        "timeout": other.classifier_timeout_ms > one.classifier_timeout_ms,
        "deadline": (other.deadline_ms or 10**9) > (one.deadline_ms or 10**9)
        or (one.deadline_ms is None and other.deadline_ms is not None),
        "store": other.store != one.store,
        "trust": other.trust_environment != one.trust_environment,
        "probe": "off warn ask".index(other.probe) < "off warn ask".index(one.probe),
        "budget": (other.budget_usd if other.budget_usd is not None else 1e9)
        > (one.budget_usd if one.budget_usd is not None else 1e9),
        "closing": not set(other.closing) >= set(one.closing),
    }
    return [
        way for way, loose in {**ways, **_more(one, other), **_rules(one, other)}.items() if loose
    ]


def _lower(one: Settings, other: Settings) -> bool:
    def lower(before: float | None, after: float | None) -> bool:
        return before == after or (None not in (before, after) and (after or 0) <= (before or 0))

    return lower(one.local.clear_below, other.local.clear_below) and lower(
        one.local.clear_below_alone, other.local.clear_below_alone
    )


def _more(one: Settings, other: Settings) -> dict[str, bool]:
    order = ["none", "referent", "visible"]
    now, new = one.transcript, other.transcript
    return {
        "assistant": order.index(new.assistant_text) > order.index(now.assistant_text),
        "user tokens": new.max_user_tokens < now.max_user_tokens,
        "call tokens": new.max_call_tokens < now.max_call_tokens,
        "lines": new.max_transcript_lines < now.max_transcript_lines,
        "consecutive": other.escalation.consecutive > one.escalation.consecutive,
        "total": other.escalation.total > one.escalation.total,
        "unavailable": other.escalation.unavailable > one.escalation.unavailable,
        "unattended": other.escalation.unattended < one.escalation.unattended,
    }


def _rules(one: Settings, other: Settings) -> dict[str, bool]:
    def fewer(before: tuple[Rule, ...], after: tuple[Rule, ...]) -> bool:
        return not texts(after) >= texts(before)

    return {
        "deny": fewer(one.permissions.deny, other.permissions.deny),
        "ask": fewer(one.permissions.ask, other.permissions.ask),
        "allow": fewer(other.permissions.allow, one.permissions.allow),
        "policy allow": fewer(other.policy.allow, one.policy.allow),
        "environment": other.policy.environment != one.policy.environment,
        "soft": fewer(one.policy.soft_deny, other.policy.soft_deny),
        "hard": fewer(one.policy.hard_deny, other.policy.hard_deny),
        "paths": fewer(one.protected_paths, other.protected_paths),
    }


@given(STACKS, FILES)
def test_an_environment_without_trust_never_loosens(
    stack: dict[Source, object], file: dict[str, object]
) -> None:
    without = loaded({key: value for key, value in stack.items() if key is not Source.ENVIRONMENT})
    if without.settings.trust_environment:
        return

    found = loaded({**stack, Source.ENVIRONMENT: file})

    assert loosened(without.settings, found.settings) == []
